"""Paths, patterns and addresses: which are tables, and which the tool reads itself."""

from __future__ import annotations

import fnmatch
import glob
import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from permlog._extras import need_pyarrow
from permlog.errors import UsageError

if TYPE_CHECKING:
    from permlog._arrow_files import ArrowFiles

_SUFFIXES = {
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".feather": "ipc",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".orc": "orc",
}
_FIRST_BYTES = {b"PAR1": "parquet", b"PARE": "parquet", b"ARROW1": "ipc", b"ORC": "orc"}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_address(path: str) -> bool:
    """Whether it is a URI like s3://bucket/folder."""
    return _ADDRESS.match(path) is not None


def has_pattern(path: str) -> bool:
    """Whether it holds a sign of a pattern."""
    return any(sign in path for sign in "*?[")


def split(paths: Sequence[str], filesystem: Any) -> tuple[list[str], list[str]]:
    """Exports for the tool, and places of tables; patterns of this machine's files are replaced by what they match.

    Raises
    ------
    UsageError
        For a pattern that matches nothing, and a folder that holds both.
    """
    exports: list[str] = []
    tables: list[str] = []
    for path in paths:
        if filesystem is not None or is_address(path):
            tables.append(path)
            continue
        for each in _matches(path):
            (tables if _is_table(each) else exports).append(each)
    return exports, tables


def _matches(path: str) -> list[str]:
    """The path, or what a pattern matches."""
    if not has_pattern(path) or os.path.lexists(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise UsageError(f"No file matches {path}")
    return found


def _is_table(path: str) -> bool:
    """Whether a file or folder of this machine holds tables; a path with nothing there is the tool's to refuse."""
    if not os.path.isdir(path):
        return form_of(path) is not None
    forms = {form_of(file) for file in local_files(path)}
    if forms - {None} and None in forms:
        raise UsageError(
            f"{path} holds tables and other files: they are two ingests. Name one kind, like {path}/*.parquet"
        )
    return bool(forms - {None})


def local_files(folder: str) -> list[str]:
    """The files below a folder, but hidden ones and those that writers of tables leave beside them."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        found += [os.path.join(place, name) for name in sorted(names) if not name.startswith((".", "_"))]
    return found


def form_of(path: str) -> str | None:
    """The form of a table by its name, else by its first bytes; None if it is none."""
    known = _SUFFIXES.get(os.path.splitext(path)[1].lower())
    if known in ("parquet", "orc"):
        return known
    # A file named .arrow may hold a stream, which the tool reads itself.
    try:
        if not os.path.isfile(path):  # A pipe is read once, and not here.
            return None
        with open(path, "rb") as file:
            return form_by_bytes(file.read(6))
    except OSError:
        return None


def form_by_bytes(head: bytes) -> str | None:
    """The form of a table by its first bytes."""
    return next((form for start, form in _FIRST_BYTES.items() if head.startswith(start)), None)


def arrow_files(places: Sequence[str], filesystem: Any) -> ArrowFiles:
    """The files of tables at these places, which may be addresses.

    Raises
    ------
    UsageError
        If there are none, or they are of several forms or file systems.
    """
    from permlog._arrow_files import ArrowFiles

    need_pyarrow("fs")
    found: list[str] = []
    shared: Any = None
    for place in places:
        system, path = _system(place, filesystem)
        if shared is not None and not system.equals(shared):
            raise UsageError(f"{places[0]} and {place} are on two file systems: call ingest for each")
        shared = system
        found += _listed(system, path, place)
    forms = {_remote_form(shared, path) for path in found}
    if len(forms) > 1:
        raise UsageError("Tables of several forms: Parquet, Arrow and ORC files are an ingest each")
    form = forms.pop()
    if form is None:
        raise UsageError(
            f"{found[0]} is no Parquet, Arrow or ORC file. Copy exports to this machine, and ingest them here."
        )
    return ArrowFiles(shared, found, form)


def _system(place: str, filesystem: Any) -> tuple[Any, str]:
    """The file system of a place, and the path in it."""
    pa: Any = need_pyarrow("fs")
    if filesystem is not None:
        if isinstance(filesystem, pa.fs.FileSystem):
            return filesystem, place
        return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(filesystem)), getattr(filesystem, "_strip_protocol", str)(place)
    if not is_address(place):
        return pa.fs.LocalFileSystem(), os.path.abspath(place)
    # What comes before a pattern says which system it is.
    scheme, _, path = place.partition("://")
    if scheme in ("s3", "gs", "gcs", "hdfs", "viewfs", "file", "abfs", "abfss"):
        try:
            system, _ = pa.fs.FileSystem.from_uri(f"{scheme}://{_fixed(path)}")
            return system, path.split("?")[0] if scheme != "hdfs" and not has_pattern(path) else path
        except (pa.ArrowInvalid, NotImplementedError, ImportError):
            pass  # Not built in, or an address that fsspec may know.
    try:
        import fsspec
    except ImportError as problem:
        raise ImportError(f"{place} needs fsspec: pip install fsspec", name="fsspec") from problem
    try:
        system, inner = fsspec.core.url_to_fs(place)
    except (ValueError, ImportError) as problem:
        raise UsageError(f"{place}: {problem}") from problem
    return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(system)), inner


def _fixed(path: str) -> str:
    """The folders of a path before the first with a pattern."""
    parts = path.split("/")
    plain = next((place for place, part in enumerate(parts) if has_pattern(part)), len(parts))
    return "/".join(parts[:plain])


def _listed(system: Any, path: str, place: str) -> list[str]:
    """The files at a path: itself, those below it, or those that a pattern matches."""
    pa: Any = need_pyarrow("fs")
    info = system.get_file_info(path)
    if info.type == pa.fs.FileType.File:
        return [path]
    if info.type != pa.fs.FileType.Directory and not has_pattern(path):
        raise UsageError(f"There is nothing at {place}")
    base = path if info.type == pa.fs.FileType.Directory else _fixed(path)
    selector = pa.fs.FileSelector(base, recursive=True, allow_not_found=True)
    files = sorted(each.path for each in system.get_file_info(selector) if each.type == pa.fs.FileType.File)
    files = [each for each in files if not _is_hidden(each, base)]
    if base != path:
        fits = re.compile(_pattern(path.lstrip("/")))
        files = [each for each in files if fits.fullmatch(each.lstrip("/"))]
    if not files:
        raise UsageError(f"There is no file at {place}")
    return files


def _is_hidden(path: str, base: str) -> bool:
    inner = posixpath.relpath(path.lstrip("/"), base.lstrip("/") or ".")
    return any(part.startswith((".", "_")) for part in inner.split("/"))


def _pattern(path: str) -> str:
    """A pattern as a regular expression: * and ? within a folder, ** for folders in between."""
    parts: Iterable[str] = path.split("/")
    made = ""
    for part in parts:
        if part == "**":
            made += "(?:[^/]+/)*"
        else:
            made += (
                fnmatch.translate(part)
                .removeprefix("(?s:")
                .removesuffix(r")\Z")
                .removesuffix(r")\z")
                .replace(".*", "[^/]*")
                + "/"
            )
    return made.removesuffix("/")


def _remote_form(system: Any, path: str) -> str | None:
    known = _SUFFIXES.get(posixpath.splitext(path)[1].lower())
    if known is not None:
        return known
    with system.open_input_stream(path, compression=None) as file:
        return form_by_bytes(file.read(6))
