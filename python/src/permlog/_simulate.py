"""Made-up exports with known truths."""

from __future__ import annotations

import datetime
import json
import os
import tempfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permlog._arguments import StrPath, files, options
from permlog._extras import need_pandas, need_pyarrow
from permlog._process import run
from permlog._stream import EVENT_COLUMNS, batches, schema
from permlog.errors import FailedError

if TYPE_CHECKING:
    import pandas


class Simulation:
    """A made-up export: its file, its events, and the expected results of a report.

    The same arguments give the same bytes on every machine.
    """

    def __init__(self, path: Path, chosen: list[str], directory: tempfile.TemporaryDirectory[str] | None) -> None:
        self.path = path
        """The export. A temporary file exists as long as this object."""
        self._chosen = chosen
        self._directory = directory

    @cached_property
    def truth(self) -> dict[str, Any]:
        """The true rates and effects (docs/simulation.md), for a report at their ``as_of``."""
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "truth.json")
            run(["simulate", *self._chosen, f"--output={os.devnull}", f"--truth={path}"])
            with open(path, "rb") as file:
                found: dict[str, Any] = json.load(file)
        if not str(found.get("schema", "")).startswith("permlog."):
            raise FailedError(
                f"The tool's truth has the format {found.get('schema')}, which this package does not know."
            )
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """The events in permlog's own columns: texts ``string``, ``timestamp`` in UTC."""
        pd, pa = need_pandas(), need_pyarrow()
        arguments = ["simulate", *self._chosen, "--format=csv"]
        columns: dict[str, str] = EVENT_COLUMNS
        table = pa.Table.from_batches(batches(arguments, columns), schema=schema(columns))
        frame: pandas.DataFrame = table.to_pandas(types_mapper={pa.string(): pd.StringDtype()}.get)
        return frame

    def __repr__(self) -> str:
        return f"<permlog simulation {self.path.name} ({', '.join(self._chosen) or 'defaults'})>"


def simulate(
    output: StrPath | None = None,
    *,
    users: int | None = None,
    seed: int | None = None,
    weeks: int | None = None,
    start: str | datetime.date | None = None,
    onboarding: bool = False,
    decided_before: int | None = None,
    assignments: bool = False,
    settings_messages: bool = False,
    format: str | None = None,
    truth: StrPath | None = None,
) -> Simulation:
    """Writes a made-up export with known truths, to try things without data.

    Parameters
    ----------
    output : path, optional
        The file to write. By default a temporary one, which is deleted with the object.
    users : int, optional
        The number of users who install the app. By default 10,000.
    seed : int, optional
        Each seed gives a different sample. By default 1.
    weeks : int, optional
        Length of the export. By default 12.
    start : str or date, optional
        First day, UTC. By default 2025-01-06.
    onboarding : bool
        An app with installs, an onboarding of three permissions and a new release.
    decided_before : int, optional
        Percent of the users, up to 80, who decided before the export begins but are asked again: these calls return
        at once. By default 0.
    assignments : bool
        The variants of the experiments are ``assigned`` events, as an experiment tool logs them, and no screen has
        them. Then compare with ``log.compare("A", "B", experiment=..., permission=...)``. Not with ``onboarding``.
    settings_messages : bool
        Settings prompts have two messages, for ``log.compare("A", "B", screen="settings", ...)``. Not with ``onboarding`` or
        ``assignments``.
    format : str, optional
        ndjson, csv, amplitude, mixpanel, segment, ga4, posthog or snowplow. By default from the name, else ndjson.
    truth : path, optional
        Write the truths to this file, too; ``.truth`` has them anyway.

    Returns
    -------
    Simulation
        With ``path``, ``truth`` and ``to_pandas()``.

    Raises
    ------
    UsageError
        If an argument is wrong.
    FailedError
        If a file cannot be written.

    Examples
    --------
    >>> made = permlog.simulate(users=500, seed=2)  # doctest: +SKIP
    >>> permlog.Log("try-out").ingest(made.path)  # doctest: +SKIP
    """
    chosen = options(
        users=users,
        seed=seed,
        weeks=weeks,
        start=start,
        onboarding=onboarding,
        decided_before=decided_before,
        assignments=assignments,
        settings_messages=settings_messages,
    )
    directory = None
    if output is None:
        directory = tempfile.TemporaryDirectory(prefix="permlog-")
        output = os.path.join(directory.name, "export.csv" if format == "csv" else "export.ndjson")
    run(["simulate", *chosen, *options(output=files(output)[0], format=format, truth=truth)])
    return Simulation(Path(output), chosen, directory)
