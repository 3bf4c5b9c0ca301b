"""A few words about the machine, without its name or its folders."""

import os
import platform
import re
import subprocess
from pathlib import Path


def processor():
    """The processor's model."""
    if os.path.exists("/proc/cpuinfo"):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return re.sub(r"\((R|TM)\)", "", line.split(":", 1)[1]).strip()
    if platform.system() == "Darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return platform.processor() or platform.machine()


def memory():
    """Memory in GB (2^30), or None."""
    if os.path.exists("/proc/meminfo"):
        return int(Path("/proc/meminfo").read_text().split()[1]) / (1 << 20)
    return None


def description():
    """One line: processor, cores, memory, system."""
    gigabytes = memory()
    size = f", {gigabytes:.0f} GB" if gigabytes else ""
    virtual = "hypervisor" in Path("/proc/cpuinfo").read_text() if os.path.exists("/proc/cpuinfo") else False
    kind = ", a virtual machine" if virtual else ""
    return f"{processor()}, {os.cpu_count()} cores{size}{kind}, {platform.system()} {platform.release().split('-')[0]}"


def slug():
    """The machine in a file's name."""
    words = re.sub(r"[^a-z0-9]+", "-", processor().lower()).strip("-")
    return f"{words}-{os.cpu_count()}-cores"


def permlog_version(permlog):
    """The tool's version."""
    done = subprocess.run([permlog, "--version"], capture_output=True, text=True, check=False)
    return f"permlog {done.stdout.strip() or 'of unknown version'}"
