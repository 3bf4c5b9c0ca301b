"""The version, which must be the same as the tool's."""

__version__ = "0.4.0"
