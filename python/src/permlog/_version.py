"""The version: the tool's own, which must be the same."""

__version__ = "0.4.0"
