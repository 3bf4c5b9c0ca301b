"""Locations of tables: the caller's text, the path in its file system, and the form that errors show."""

from __future__ import annotations

import os
import re
import urllib.parse
from dataclasses import dataclass
from typing import Any

from permlog._extras import need_pyarrow
from permlog.errors import FailedError, UsageError

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_OF_PYARROW = ("s3", "gs", "gcs", "hdfs", "viewfs", "file", "abfs", "abfss")
# An address may end with options of its file system. A question mark elsewhere is a sign of a pattern.
_QUERY = re.compile(r"\?[A-Za-z_]+=")


@dataclass(frozen=True)
class Place:
    """A path, pattern or address of tables."""

    path: str
    """The path to read."""
    base: str | None = None
    """The folder below which folders named ``key=value`` count, if it is not the path's own."""


@dataclass(frozen=True)
class File:
    """A file of a table, and the folders named ``key=value`` between the caller's location and the file."""

    path: str
    folders: dict[str, str | None]


def is_address(path: str) -> bool:
    """Whether it is a URI like s3://bucket/folder."""
    return _ADDRESS.match(path) is not None


def has_pattern(path: str) -> bool:
    """Whether it has a sign of a pattern."""
    return any(sign in path for sign in "*?[")


def fixed(path: str) -> str:
    """The folders of a path before the first with a pattern."""
    parts = path.split("/")
    plain = next((place for place, part in enumerate(parts) if has_pattern(part)), len(parts))
    return "/".join(parts[:plain]) or ("/" if path.startswith("/") else "")


def shown(place: str) -> str:
    """A location for errors: without the passwords and options that an address can have."""
    if not is_address(place):
        return place
    return re.sub(r"://[^/@:]*:.*@", "://", _QUERY.split(place)[0])


def file_of(path: str, base: str) -> File:
    """A file below a folder, with the folders in between that are named as Hive names them."""
    found: dict[str, str | None] = {}
    inner = path.lstrip("/").removeprefix(base.strip("/")).strip("/")
    for part in inner.split("/")[:-1]:
        key, sign, value = part.partition("=")
        if sign and key:
            text = urllib.parse.unquote(value)
            found[urllib.parse.unquote(key)] = None if text == _NO_VALUE else text
    return File(path, found)


def located(place: Place, filesystem: Any) -> tuple[Any, str]:
    """The file system of a location, and its path or pattern there.

    Raises
    ------
    UsageError
        If no file system takes the address.
    FailedError
        If the file system cannot be asked.
    """
    pa: Any = need_pyarrow("fs")
    path = place.path
    if filesystem is not None:
        if isinstance(filesystem, pa.fs.FileSystem):
            return filesystem, path
        if not hasattr(filesystem, "_strip_protocol"):
            raise UsageError(f"filesystem is a {type(filesystem).__name__}, not a file system of pyarrow.fs or fsspec")
        return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(filesystem)), str(filesystem._strip_protocol(path))
    if not is_address(path):
        return pa.fs.LocalFileSystem(), os.path.abspath(path)
    try:
        known = _of_pyarrow(pa, path) if path.partition("://")[0] in _OF_PYARROW else None
        return known or _of_fsspec(pa, path)
    except OSError as problem:
        # Not from the problem: its text may hold the whole address.
        raise FailedError(f"{shown(path)}: {_said(problem, path)}") from None


def _of_pyarrow(pa: Any, address: str) -> tuple[Any, str] | None:
    """The file system of an address, if pyarrow was built with it. The part before a pattern tells which it is."""
    found = _QUERY.search(address)
    plain, query = (address[: found.start()], address[found.start() :]) if found else (address, "")
    scheme, _, path = plain.partition("://")
    start = fixed(path)
    try:
        quoted = urllib.parse.quote(start, safe="/:@%&=+,;$!'()~[]")
        system, base = pa.fs.FileSystem.from_uri(f"{scheme}://{quoted}{query}")
    except (pa.ArrowInvalid, NotImplementedError, ImportError):
        return None  # Not built in, or an address that fsspec may know.
    rest = urllib.parse.unquote(path[len(start) :]).lstrip("/")
    return system, f"{base.rstrip('/')}/{rest}" if rest else base


def _of_fsspec(pa: Any, address: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError as problem:
        raise ImportError(f"{shown(address)} needs fsspec: pip install fsspec", name="fsspec") from problem
    try:
        system, path = fsspec.core.url_to_fs(address)
    except (ValueError, ImportError) as problem:
        raise UsageError(f"{shown(address)}: {_said(problem, address)}") from None
    return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(system)), path


def _said(problem: Exception, address: str) -> str:
    """The text of an exception, without the secret parts of an address."""
    said = str(problem).replace(address, shown(address))
    user, _, host = address.partition("://")[2].rpartition("@")
    secrets = [user.partition(":")[2] if host else "", *(_QUERY.split(address)[1:])]
    for secret in filter(None, secrets):
        said = said.replace(secret, "…")
    return said
