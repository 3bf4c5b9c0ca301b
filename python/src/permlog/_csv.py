"""CSV as a data frame of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permlog._arguments import StrPath
from permlog._extras import need_pandas
from permlog.errors import UsageError

if TYPE_CHECKING:
    import pandas


def read_csv(path: StrPath, **options: Any) -> pandas.DataFrame:
    """A CSV file as a frame, with every value as it is written.

    ``pandas.read_csv`` alone makes numbers of versions (18.10 becomes 18.1) and of ids, and takes "NA" and "null" for
    missing values. To store the file as it is, ``log.ingest(path)`` needs no frame.

    Parameters
    ----------
    path : path
        The file, or anything else that ``pandas.read_csv`` takes.
    **options
        Other options of ``pandas.read_csv``, such as ``usecols`` and ``nrows``.

    Returns
    -------
    pandas.DataFrame
        All columns are texts; an empty cell is an empty text, which means that there is no value.

    Examples
    --------
    >>> frame = permlog.read_csv("export.csv")  # doctest: +SKIP
    >>> log.ingest(frame[frame["country"] == "DE"])  # doctest: +SKIP
    """
    for name in ("dtype", "keep_default_na", "na_values", "parse_dates", "converters"):
        if name in options:
            raise UsageError(f"read_csv reads texts: leave {name} out, or use pandas.read_csv")
    # A comma at the end of each row would make the first column the index, and move the others.
    options = {"index_col": False} | options
    frame: pandas.DataFrame = need_pandas().read_csv(path, dtype=str, keep_default_na=False, **options)
    return frame
