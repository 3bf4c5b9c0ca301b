"""Logs to ask, made once: the sample exports of the repository, and an onboarding."""

from __future__ import annotations

import os
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import pandas as pd
import pytest

import permlog

matplotlib.use("Agg")

DATA = Path(__file__).parents[2] / "data"
AS_OF = "2026-04-01T22:47:06.058Z"

Run = Callable[..., bytes]


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame under the names of its columns."""
    made: list[dict[str, Any]] = frame.to_dict("records")  # type: ignore[assignment]
    return made


@pytest.fixture(scope="session")
def tool() -> Run:
    """Runs the tool on the command line, apart from the package."""
    path = permlog.find_tool()

    def run(*arguments: str | os.PathLike[str], text: bytes | None = None) -> bytes:
        done = subprocess.run([path, *arguments], input=text, capture_output=True, check=True)
        return done.stdout

    return run


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> permlog.Log:
    """A log of the three sample exports; it is only read."""
    log = permlog.Log(tmp_path_factory.mktemp("sample") / "log")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", permlog.PermlogWarning)  # Three lines are bad on purpose.
        log.ingest([DATA / "export-1.ndjson", DATA / "export-2.csv", DATA / "export-3.ndjson.zst"])
    return log


@pytest.fixture(scope="session")
def onboarding(tmp_path_factory: pytest.TempPathFactory) -> permlog.Log:
    """A log of an onboarding of three permissions, with installs; it is only read."""
    log = permlog.Log(tmp_path_factory.mktemp("onboarding") / "log")
    log.ingest(DATA / "onboarding.ndjson.zst")
    return log


@pytest.fixture
def log(tmp_path: Path) -> permlog.Log:
    """A log that is not there yet."""
    return permlog.Log(tmp_path / "log")


@pytest.fixture(scope="session")
def events(sample: permlog.Log, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All events of the sample as Parquet."""
    return sample.export(tmp_path_factory.mktemp("events") / "events.parquet")
