"""The input of a task, and its failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ShardError(RuntimeError):
    """A task failed, and Spark may try it again. Its text names the shard."""


class NoToolError(ShardError):
    """The tool is missing here, or is a different one."""


class RefusedError(Exception):
    """Rows or arguments are wrong, as another attempt would find again."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Tool:
    """The tool that executors must have: the driver's, to the byte."""

    version: str
    sha256: str
    archive: str | None = None
    """The folder in which it was shipped; None if executors already have it."""


@dataclass(frozen=True)
class Job:
    """Everything that a task needs."""

    id: str
    shards: int
    questions: Sequence[bytes]
    options: Sequence[str]
    """How rows are read."""
    mappings: Sequence[tuple[str, bytes]]
    """The names of their files, which reasons of rejected rows show, and their content."""
    columns: Sequence[str]
    """The names of the columns that are sent; empty for lines."""
    json_columns: frozenset[str]
    """The columns with objects and lists, which go to the tool as texts."""
    tool: Tool
    has_key: bool = False
    """Whether the last column but one is the id by which users are divided. The tool does not read it."""
    needs_event_id: bool = False
    """Whether no id can be made of a row, because columns were left out."""
    scratch: str | None = None
    """A folder on the executors' own disks; by default Spark's own."""
