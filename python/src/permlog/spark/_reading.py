"""How rows are read: the tool's options, and mappings as bytes, because executors do not have the driver's files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from permlog._arguments import Paths, files
from permlog._process import run
from permlog.errors import FailedError, UsageError


def presets() -> list[str]:
    """The vendors whose exports the tool reads."""
    return run(["mapping", "show"]).decode().split()


@dataclass(frozen=True)
class Reading:
    """The options that decide how a row becomes an event."""

    options: tuple[str, ...]
    """Options of the tool, without mappings."""
    paths: tuple[str, ...]
    """Mappings on this machine."""
    mappings: tuple[bytes, ...]
    """The content of the mappings."""
    is_vendor: bool
    """Whether rows are not canonical."""
    preset: str | None = None
    """The preset that reads them."""
    is_account: bool = False
    """Whether users are accounts, not installs."""

    @classmethod
    def of(cls, mapping: Paths | None, chosen: Sequence[str], form: str) -> Reading:
        """A preset by its name, files of mappings, or neither.

        Raises
        ------
        FailedError
            If a mapping cannot be read.
        UsageError
            If lines have several mappings: a shard could only guess from its rows which of them applies.
        """
        if isinstance(mapping, str) and mapping in presets():
            is_account = "--identity=account" in chosen
            return cls((*chosen, f"--format={mapping}"), (), (), True, mapping, is_account)
        if mapping is None:
            return cls((*chosen, f"--format={form}"), (), (), False)
        paths = files(mapping)
        if form != "arrow" and len(paths) > 1:
            raise UsageError("Lines take one mapping: make one lake, or one job, for each format of lines")
        try:
            contents = tuple(Path(os.fspath(path)).read_bytes() for path in paths)
        except OSError as problem:
            raise FailedError(
                f"The mapping {problem.filename} cannot be read: {problem.strerror}. Presets are {', '.join(presets())}."
            ) from problem
        # The format of lines is recognised by their content; a table is an Arrow stream.
        given = [f"--format={form}"] if form == "arrow" else []
        return cls((*chosen, *given), tuple(paths), contents, True)

    @property
    def here(self) -> list[str]:
        """All options, for the tool on this machine."""
        return [*self.options, *(f"--mapping={path}" for path in self.paths)]
