"""Looking after a log."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pandas as pd
import pytest
from conftest import DATA

import permlog
from permlog._info import findings


def test_what_is_in_a_log(sample: permlog.Log) -> None:
    info = sample.info()
    assert info.events == info.data["events"] == info.parts["events"].sum()
    assert info.newest == datetime.datetime(2026, 4, 1, 22, 47, 6, 58000, datetime.timezone.utc)
    assert "notifications" in info.permissions
    assert info.variants == ("A", "B")
    assert sample.verify().events == info.events


def test_users_are_erased(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    users = list(log.journeys().to_pandas()["user_id"].unique()[:2])
    before = log.info().events
    assert "2 users" in log.erase(users, dry_run=True)
    assert log.info().events == before
    log.erase(users)
    assert log.info().events < before
    assert not set(users) & set(log.journeys().to_pandas()["user_id"])
    assert log.ingest(DATA / "export-2.csv").erased > 0
    log.erase(readmit=users)
    assert log.ingest(DATA / "export-2.csv").new > 0
    with pytest.raises(permlog.UsageError, match="line break"):
        log.erase("a\nb")


def test_old_events_expire(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    day = log.info().oldest
    assert day is not None
    log.expire(day.date() + datetime.timedelta(days=3))
    oldest = log.info().oldest
    assert oldest is not None
    assert oldest.date() >= day.date() + datetime.timedelta(days=3)
    assert "part" in log.compact()


def test_hashed_users_keep_their_text_to_themselves(log: permlog.Log, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"0123456789abcdef")
    key.chmod(0o600)
    with pytest.warns(permlog.PermlogWarning):
        ingest = log.ingest(DATA / "export-1.ndjson", hash_users=key)
    assert ingest.rejections["text"].isna().all()
    with pytest.raises(permlog.PermlogError):
        log.ingest(DATA / "export-2.csv")


def test_a_log_of_hashed_users_gets_another_key(log: permlog.Log, tmp_path: Path) -> None:
    keys = [tmp_path / "one", tmp_path / "-two"]
    for key, letter in zip(keys, "ab", strict=True):
        key.write_text(letter * 32)
        key.chmod(0o600)
    log.ingest(DATA / "export-2.csv", hash_users=keys[0])
    before, rows = log.info(), log.report().rows
    told = log.rekey(*keys)
    assert told == f"169 users have another pseudonym, in {before.events} events"
    pd.testing.assert_frame_equal(log.report().rows, rows)
    assert log.ingest(DATA / "export-2.csv", hash_users=keys).new == 0
    with pytest.raises(permlog.UsageError, match="different key"):
        log.ingest(DATA / "export-2.csv", hash_users=keys[1])


def test_ingests_are_listed_and_the_newest_is_taken_back(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    before = log.info()
    assert before.undoable_ingest == 1
    added = log.ingest(DATA / "export-3.ndjson.zst").new
    rows = log.ingests().rows
    assert rows["ingest"].to_list() == [1, 2]
    assert rows["new"].to_list() == [before.events, added]
    assert rows["can_undo"].to_list() == [False, True]
    assert rows["undone"].isna().all()
    assert [Path(name).name for name in rows["names"][1]] == ["export-3.ndjson.zst"]
    info = log.info()
    assert (info.ingests, info.undoable_ingest) == (2, 2)
    assert info.newest_ingest == rows["time"][1]
    measures = log.ingests().measures
    lines = measures[measures["measure"] == "lines"]
    assert lines["ingest"].to_list() == [1, 2]
    assert lines["count"].ge(rows["new"].to_numpy()).all()
    assert "would take back" in log.undo(dry_run=True)
    assert log.info().events == before.events + added
    assert re.sub(r"[^0-9]", "", log.undo().splitlines()[1]) == str(added)
    assert log.info().events == before.events
    assert log.ingests().rows["undone"].notna().to_list() == [False, True]
    assert "2 ingests" in repr(log.ingests())
    assert "can_undo" in log.ingests()._repr_html_()
    assert "export-2.csv" in log.ingests().text()


def test_what_cannot_be_taken_back_is_an_error(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    log.undo()
    assert log.info().undoable_ingest is None
    with pytest.raises(
        permlog.FailedError, match=r"no ingest that can be taken back.*a readmission or compact\(\)\. Nothing"
    ):
        log.undo()
    with pytest.raises(permlog.FailedError, match="no log at "):
        permlog.Log(log.path.with_name("nowhere")).undo()


def test_unusual_measures_are_a_table(log: permlog.Log) -> None:
    # Of three weeks with the machine's clock nobody can wait: the tool's JSON is enough.
    finding = {"measure": "denied camera", "count": 0, "of": 200, "usual": 100.0, "ingests": 1, "reference": 19}
    found = findings([{**finding, "sentence": "0 of 200; see --mapping"}])
    assert found.iloc[0].to_dict() == {**finding, "sentence": "0 of 200; see mapping"}
    log.ingest(DATA / "export-2.csv")
    for table in (log.info().health, log.ingest(DATA / "export-2.csv").health):
        assert table.empty
        assert table.dtypes.to_list() == found.dtypes.to_list()
    assert list(log.ingests().health.columns) == ["ingest", *found.columns]


def test_a_request_that_is_not_fulfilled_raises(log: permlog.Log, tmp_path: Path) -> None:
    log.ingest(DATA / "export-2.csv")
    users = list(log.journeys().to_pandas()["user_id"].unique()[:3])
    other = users[0].swapcase()
    with pytest.raises(permlog.MissingUsersError, match="does not have 3 of 4 ids") as raised:
        log.erase([other, users[1], "#nobody", " "])
    assert raised.value.code == 3
    assert other in str(raised.value)
    assert "#nobody" in str(raised.value)
    with pytest.raises(permlog.MissingUsersError, match="does not have #nobody"):
        log.erase("#nobody")
    text = log.erase(["#nobody", other], other_spellings=True, allow_missing=True, receipt=tmp_path / "receipt.json")
    assert "#nobody: NOT FOUND" in text
    assert f"as {users[0]}" in text
    assert users[0] not in (tmp_path / "receipt.json").read_text()
    assert "found       none" in log.verify_receipt(tmp_path / "receipt.json")
    again = permlog.Log(tmp_path / "again")
    again.ingest(DATA / "export-2.csv")
    with pytest.raises(permlog.DataError, match="request 2 of the receipt is in the log again"):
        again.verify_receipt(tmp_path / "receipt.json")
    (tmp_path / "pairs.csv").write_text(f"account,install\nanna@example.com,{users[2]}\n")
    assert "anna@example.com: erased" in log.erase("anna@example.com", link_file=tmp_path / "pairs.csv")
    person = again.person(users[2])[0]
    assert person["found"] is True
    assert {event["user_id"] for event in person["events"]} == {users[2]}
    assert person["journeys"][0]["partial"] in (True, False, None)
    with pytest.raises(permlog.MissingUsersError, match="the log has nothing of nobody"):
        log.person("nobody")
    requests = log.erasures().rows
    assert requests["ids"].sum() == 7
    assert (requests["found"] + requests["not_found"]).sum() == 7
    assert "request" in repr(log.erasures())
    assert "wrote" in log.erase(export_list=tmp_path / "erased.list")


def test_a_rule_for_old_events(log: permlog.Log) -> None:
    log.ingest(DATA / "export-2.csv")
    assert "the log keeps events for 90 years" in log.expire(keep="90y")
    assert log.info().data["keep"] == "90y"
    with pytest.raises(permlog.UsageError, match="keep 13 is not a span"):
        log.expire(keep="13")
    log.expire(keep="none")
    assert log.info().data["keep"] is None


def test_a_copy_is_a_log(log: permlog.Log, tmp_path: Path) -> None:
    log.ingest(DATA / "export-2.csv")
    assert "copied" in log.backup(tmp_path / "copy")
    copy = permlog.Log(tmp_path / "copy")
    assert copy.verify().events == log.info().events
    assert copy.info().fingerprint == log.info().fingerprint
    log.erase("8C1B3F6E-2D7A-4E55-9A0B-0F3C6D1E7A42", allow_missing=True)
    log.backup(copy.path)
    assert copy.info().data["erased_users"] == 1
    copy.backup(tmp_path / "restored")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(
        permlog.FailedError,
        match=r"not empty \(it has file\)\. Name an empty directory, or one that is not there yet\.$",
    ):
        log.backup(tmp_path / "other")
    with pytest.raises(permlog.UsageError, match="is the log itself"):
        log.backup(log.path)


@pytest.mark.parametrize("name", ["events.ndjson", "events.parquet"])
def test_a_log_that_is_made_of_an_export_keeps_the_same_users_out(log: permlog.Log, tmp_path: Path, name: str) -> None:
    log.ingest(DATA / "export-2.csv")
    users = list(log.journeys().to_pandas()["user_id"].unique()[:2])
    log.erase(users)
    with pytest.warns(
        permlog.PermlogWarning,
        match=r"export\(path, with_erasures=file\) writes the list for erase\(import_list=file\)",
    ):
        log.export(tmp_path / name)
    log.export(tmp_path / name, with_erasures=tmp_path / "erased.list")
    other = permlog.Log(tmp_path / "other")
    other.ingest(tmp_path / name)
    assert "keeps out 2 more ids" in other.erase(import_list=tmp_path / "erased.list")
    assert other.ingest(DATA / "export-2.csv").new == 0
    assert not set(users) & set(other.journeys().to_pandas()["user_id"])
    with pytest.raises(permlog.UsageError, match="leave .* out with journeys"):
        log.export(tmp_path / name, with_erasures=tmp_path / "x", journeys=True)
    with pytest.raises(permlog.UsageError, match="skip_damaged"):
        log.export(tmp_path / name, with_erasures=tmp_path / "x", skip_damaged=True)
    with pytest.raises(permlog.UsageError, match="import_list can be combined with key only"):
        other.erase("someone", import_list=tmp_path / "erased.list")


def test_users_are_left_out(log: permlog.Log, tmp_path: Path) -> None:
    log.ingest(DATA / "export-2.csv")
    users = sorted(log.journeys().to_pandas()["user_id"].unique())
    gone = tmp_path / "gone.txt"
    gone.write_text("# the team\n" + "\n".join(users[:3]) + "\n")
    everyone = log.report()
    assert everyone.left_out_users is None
    rest = log.report(without_users=gone)
    assert rest.left_out_users == 3
    assert "3 users left out" in rest.text().replace("\xa0", " ")
    rows = log.journeys(without_users=gone).to_pandas()
    assert set(rows["user_id"]) == set(users[3:])
    for answer in (
        log.flow(without_users=gone),
        log.audit(without_users=[gone]),
        log.experiments(without_users=gone),
        log.compare("A", "B", permission="notifications", without_users=gone),
    ):
        assert answer.left_out_users == 3
    assert "4 ids are left out" in log.exclude_users([*users[:3], "# not there"])
    assert log.excluded_users() == sorted([*users[:3], "# not there"])
    assert log.info().excluded_users == 4
    assert log.report().to_json() == rest.to_json()
    assert "1 id is in every answer again" in log.include_users(users[0])
    assert log.report().left_out_users == 2
    log.include_users([*users[1:3], "# not there"])
    with pytest.raises(permlog.MissingUsersError, match="1 id was not in the list"):
        log.include_users("# not there")
    with pytest.raises(permlog.MissingUsersError, match="not erased in this log: # not there"):
        log.erase(readmit="# not there")
    assert log.report().to_json() == everyone.to_json()
    with pytest.raises(permlog.PermlogError, match=r"absent\.txt"):
        log.report(without_users=tmp_path / "absent.txt")
