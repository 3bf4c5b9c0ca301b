"""What a task is told, and how it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ShardError(RuntimeError):
    """A task failed, and Spark may try it again. Its text names the shard."""


class NoToolError(ShardError):
    """The tool is missing here, or another one is here."""


class RefusedError(Exception):
    """Rows or arguments are at fault, which another attempt would find again."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Tool:
    """The tool that executors must have: the driver's, to the byte."""

    version: str
    sha256: str
    archive: str | None = None
    """The folder that it was shipped in; None if executors have it already."""


@dataclass(frozen=True)
class Job:
    """All that a task needs to know."""

    id: str
    shards: int
    questions: Sequence[bytes]
    options: Sequence[str]
    """How rows are read."""
    mappings: Sequence[tuple[str, bytes]]
    """Names of their files, which reasons of rejected rows tell, and what is in them."""
    columns: Sequence[str]
    """Names of the columns that are sent; of lines none."""
    json_columns: frozenset[str]
    """Those that hold objects and lists, which go to the tool as texts."""
    tool: Tool
    has_key: bool = False
    """The last column but one is what users are divided by, and the tool does not see it."""
    needs_event_id: bool = False
    """No id can be made of a row, because columns were left out."""
    scratch: str | None = None
    """A folder on the executors' own disks; by default Spark's own."""
