"""What notebooks show: pages in frames, sentences, charts."""

from __future__ import annotations

import html
import warnings
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import DATA

import permlog
from permlog._progress import Progress


@pytest.fixture(params=["report", "by", "comparison", "experiments", "audit", "flow"])
def answer(request: pytest.FixtureRequest, sample: permlog.Log) -> Any:
    """An answer of each kind that has a page."""
    makers: dict[str, Any] = {
        "report": sample.report,
        "by": lambda: sample.report("country"),
        "comparison": lambda: sample.compare("A", "B", permission="notifications"),
        "experiments": sample.experiments,
        "audit": sample.audit,
        "flow": sample.flow,
    }
    return makers[request.param]()


def test_a_page_in_a_frame(answer: Any) -> None:
    shown = answer._repr_html_()
    assert html.escape(repr(answer)) in shown
    assert '<iframe sandbox="" srcdoc="&lt;!DOCTYPE html&gt;' in shown
    assert len(shown) > 10_000
    assert repr(answer).startswith("<permlog ")


def test_a_page_as_a_file(answer: Any, tmp_path: Path) -> None:
    page = answer.to_html(tmp_path / "page.html")
    assert page.startswith("<!DOCTYPE html>")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    if hasattr(answer, "to_markdown"):
        assert len(answer.to_markdown()) > 500
    assert "\x1b" not in answer.text()


def test_a_plan_and_an_ingest_are_tables(sample: permlog.Log, log: permlog.Log) -> None:
    assert "<table" in sample.plan(permission="notifications", effect=5)._repr_html_()
    with pytest.warns(permlog.PermlogWarning):
        ingest = log.ingest(DATA / "export-1.ndjson")
    shown = ingest._repr_html_()
    assert "names no zone" in shown
    assert "seconds" not in shown
    assert repr(ingest) == "<permlog ingest: 1,003 lines read, 988 events new, 12 duplicates, 3 rejected>"


def test_a_page_of_a_log_that_changed_says_so(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    report = log.report()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report.to_html()
    log.ingest(DATA / "export-3.ndjson.zst")
    with pytest.warns(permlog.PermlogWarning, match="log has changed since this answer"):
        report.to_html()


def test_charts_draw_the_tables(sample: permlog.Log) -> None:
    report = sample.report()
    axes: Any = report.plot.grant_rate("notifications")
    weeks = report.weeks[report.weeks["permission"] == "notifications"]
    assert np.asarray(axes.collections[1].get_offsets())[:, 1] == pytest.approx(100 * weeks["grant_rate"].to_numpy())
    hollow = axes.collections[1].get_facecolor()[:, 3] == 0
    assert list(hollow) == [not complete for complete in weeks["complete"]]
    assert hollow.sum() == 1
    several: Any = report.plot.grant_rate()
    assert len(several.get_legend().get_texts()) == 6
    bars: Any = report.plot.outcomes().patches
    assert sum(bar.get_width() for bar in bars) == pytest.approx(100 * len(report.totals))
    assert report.plot.outcomes("camera").get_xlabel() == "share of the base, %"
    assert report.plot.retention().get_title("left") == "notifications"
    plt.close("all")


def test_charts_draw_on_the_callers_axes(sample: permlog.Log) -> None:
    figure, (upper, lower) = plt.subplots(2, 1)
    report = sample.report()
    assert report.plot.grant_rate("camera", ax=upper) is upper
    assert report.plot.retention("camera", ax=lower) is lower
    figure.canvas.draw()
    assert any(label.get_text() for label in upper.get_xticklabels())
    plt.close("all")


def test_the_chart_of_a_comparison(sample: permlog.Log) -> None:
    comparison = sample.compare("A", "B", permission="notifications")
    axes: Any = comparison.plot.difference()
    series = comparison.series
    drawn = axes.lines[0].get_ydata()
    assert drawn == pytest.approx(100 * series["difference"].to_numpy(), nan_ok=True)
    assert "decided on 2026-03-08" in [text.get_text() for text in axes.get_legend().get_texts()]
    with pytest.raises(permlog.UsageError, match="C is not in this comparison. It compares: B"):
        comparison.plot.difference("C")
    plt.close("all")


def test_charts_that_cannot_be_drawn_say_why(sample: permlog.Log) -> None:
    with pytest.raises(permlog.UsageError, match="no figures of siri to draw. It has: camera"):
        sample.report().plot.grant_rate("siri")
    with pytest.raises(permlog.UsageError, match="without by"):
        sample.report("country").plot.outcomes()
    with pytest.raises(permlog.UsageError, match=r'by country draws one permission: plot.grant_rate\("camera"\)'):
        sample.report("country").plot.grant_rate()
    with pytest.raises(permlog.UsageError, match="by one property"):
        sample.report(["country", "surface"]).plot.grant_rate("camera")


def test_a_chart_by_a_property_has_a_line_a_value(sample: permlog.Log) -> None:
    report = sample.report("app_version")
    axes: Any = report.plot.grant_rate("notifications")
    totals = report.totals[report.totals["permission"] == "notifications"]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == list(totals.sort_values("exposed", ascending=False)["app_version"])
    weeks = report.weeks[(report.weeks["permission"] == "notifications") & (report.weeks["app_version"] == names[0])]
    drawn = np.asarray(axes.collections[1].get_offsets())[:, 1]
    assert drawn == pytest.approx(100 * weeks["grant_rate"].dropna().to_numpy())
    assert axes.get_title("right") == ""
    few: Any = sample.report("app_version", by_limit=2).plot.grant_rate("notifications")
    assert few.get_title("right") == "all others not shown"
    many: Any = sample.report("variant").plot.grant_rate("notifications")
    assert len(many.get_legend().get_texts()) <= 6
    plt.close("all")


def test_charts_say_what_they_leave_out(sample: permlog.Log) -> None:
    plots = sample.report().plot
    assert plots.grant_rate().get_title("right") == "1 permission with fewer exposures not shown"
    assert plots.retention().get_title("right") == "6 permissions with fewer exposures not shown"
    assert plots.grant_rate("camera").get_title("right") == ""
    plt.close("all")


def test_what_is_not_drawn_is_not_in_the_legend(sample: permlog.Log) -> None:
    axes: Any = sample.report().plot.retention("microphone")
    drawn = [marks for marks in axes.collections if len(marks.get_offsets()) and marks.get_label()[0] != "_"]
    assert len(axes.get_legend().get_texts()) == len(drawn)
    assert not any(marks.get_clip_on() for marks in drawn)
    plt.close("all")


def test_a_bar_is_for_those_who_wait(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("permlog._progress._is_watched", lambda: True)
    for shown, expected in ((None, False), (True, True), (False, False)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Progress(10, shown) as bar:
                bar.update(10)
        assert ("permlog ingest" in capsys.readouterr().err) == expected
