"""Puts the tool, built and stripped, into the wheel: ``Scripts/package --wheel`` of the repository calls this.

The wheel is for one system and machine, but for every Python 3 there. What goes into it is prepared in a folder, which
the environment variable ``PERMLOG_WHEEL_PARTS`` names: the tool ``permlog``, its manual page ``permlog.1``, its list of
parts ``permlog.cdx.json``, and the platform ``tag``, which was found by looking at the tool.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ToolBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Hatchling asks it what else is part of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files of the tool and the platform.

        Parameters
        ----------
        version : str
            ``"editable"`` for ``pip install --editable``, which then uses the tool of ``PERMLOG_TOOL`` or ``PATH``.
        build_data : dict
            What hatchling builds from; changed here.

        Raises
        ------
        RuntimeError
            If there is no prepared folder. A wheel without the tool would install and then do nothing.
        """
        if version == "editable":
            return
        named = os.environ.get("PERMLOG_WHEEL_PARTS")
        if not named:
            raise RuntimeError("The wheel needs the built tool. Make it with: Scripts/package --wheel")
        parts = Path(named)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{(parts / 'tag').read_text(encoding='ascii').strip()}"
        build_data["shared_scripts"][str(parts / "permlog")] = "permlog"
        build_data["shared_data"][str(parts / "permlog.1")] = "share/man/man1/permlog.1"
        build_data["sbom_files"].append(str(parts / "permlog.cdx.json"))
