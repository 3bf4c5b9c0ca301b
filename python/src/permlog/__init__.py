"""Permission analytics for iOS apps: reads exported events into a log, and answers from it.

Everything is computed by the tool ``permlog``, which this package brings along; here its answers become tables.
"""

from permlog._version import __version__

__all__ = ["__version__"]
