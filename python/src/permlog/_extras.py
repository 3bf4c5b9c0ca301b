"""Optional packages, imported on first use."""

from __future__ import annotations

import importlib
from typing import Any


def _need(module: str, packages: str, use: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise ImportError(f"{use} needs {module}: pip install {packages}", name=module) from problem


def need_pandas() -> Any:
    """The module pandas."""
    return _need("pandas", "pandas pyarrow", "A table")


def need_pyarrow(*parts: str) -> Any:
    """The module pyarrow, with its parts (like ``dataset``) imported."""
    module = _need("pyarrow", "pandas pyarrow", "Reading and writing tables of Arrow and Parquet")
    for part in parts:
        _need(f"pyarrow.{part}", "pandas pyarrow", "Reading and writing tables of Arrow and Parquet")
    return module


def need_pyspark() -> Any:
    """The module pyspark."""
    return _need("pyspark", "'pyspark>=4.0' pyarrow (the extra spark)", "A lake")


def need_pyplot() -> Any:
    """The module matplotlib.pyplot."""
    return _need("matplotlib.pyplot", "matplotlib", "A chart")
