"""Looking after a log."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from conftest import DATA

import permlog


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
