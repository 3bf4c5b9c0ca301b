"""permlog over a Parquet file, through its Python package: an ingest into a log, and the report of it."""

import importlib

from peer_databases import figures

from .forms import STORED


def version():
    import permlog

    # As the peers' packages: what an ingest of Parquet needs is imported before the clock starts.
    importlib.import_module("pyarrow.dataset")
    importlib.import_module("pandas")
    return f"permlog {permlog.__version__}"


def weekly(file, form, place):
    """Rows of permission, week and five counts: those of the report's JSON."""
    import permlog

    assert form == STORED, "a log has each event once"
    log = permlog.Log(place)
    log.ingest(file, progress=False)
    return figures.weekly(log.report().to_json())
