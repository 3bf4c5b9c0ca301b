#!/usr/bin/env python3
"""Looks into a wheel: Scripts/lib/check_wheel.py WHEEL TOOL

Its tool is the built one byte for byte and may be run, its platform is no more than what the tool can keep, every licence is there, and its
list of parts has what CycloneDX 1.6 requires and a part for every library of NOTICE that is in the tool. Exits 1 with the first fault.
"""

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(holds, fault):
    if not holds:
        sys.exit(f"check_wheel: {fault}")


def check_tool(wheel, name, tool):
    names = [entry for entry in wheel.namelist() if entry.endswith(".data/scripts/permlog")]
    check(len(names) == 1, f"it has {len(names)} tools")
    check(wheel.read(names[0]) == tool.read_bytes(), f"its tool is not {tool}")
    check(wheel.getinfo(names[0]).external_attr >> 16 & 0o111 == 0o111, "its tool may not be run")
    tag = subprocess.run([ROOT / "Scripts/check-portability", "--tag", tool], capture_output=True, text=True, check=True)
    check(name.endswith(f"-py3-none-{tag.stdout.strip()}.whl"), f"it promises other systems than the tool keeps: {tag.stdout.strip()}")


def check_licenses(wheel):
    texts = {Path(name).name: wheel.read(name) for name in wheel.namelist() if ".dist-info/licenses/" in name}
    for path in [ROOT / "LICENSE", ROOT / "NOTICE", *(ROOT / "Licenses").iterdir()]:
        check(texts.get(path.name) == path.read_bytes(), f"it lacks {path.relative_to(ROOT)}")
    metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    check("\nMetadata-Version: 2.4\n" in f"\n{metadata}", "its metadata is of another version, which installers of today may not know")


def parts(components):
    for part in components:
        yield part
        yield from parts(part.get("components", []))


def check_list_of_parts(wheel, tool):
    names = [entry for entry in wheel.namelist() if ".dist-info/sboms/" in entry]
    check(len(names) == 1, f"it has {len(names)} lists of parts")
    content = json.loads(wheel.read(names[0]))
    check(content["bomFormat"] == "CycloneDX" and content["specVersion"] == "1.6", "its list of parts is of another format")
    check(re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", content["serialNumber"]), "its list has no serial number")
    own = content["metadata"]["component"]
    check(own["type"] == "application" and own["name"] == "permlog", "its list of parts is of something else")
    check(own["hashes"][0]["content"] == hashlib.sha256(tool.read_bytes()).hexdigest(), "its list of parts is of another build")
    found = [own, *parts(content["components"])]
    for part in found:
        check({"type", "name", "version", "licenses", "bom-ref", "purl"} <= part.keys(), f"{part.get('name')} lacks a field")
        check(re.fullmatch(r"pkg:[a-z]+/\S+@\S+", part["purl"]), f"{part['name']} has no place of origin: {part['purl']}")
        check(part["licenses"][0]["expression"], f"{part['name']} has no licence")
        for digest in part.get("hashes", []):
            check(digest["alg"] == "SHA-256" and re.fullmatch(r"[0-9a-f]{64}", digest["content"]), f"{part['name']}: checksum")
    references = [part["bom-ref"] for part in found]
    check(len(references) == len(set(references)), "two parts have one reference")
    check({reference for edge in content["dependencies"] for reference in edge["dependsOn"]} <= set(references), "a part is not there")
    # What is only in a portable build is named if it is linked, and libraries of the machine are not.
    shared = subprocess.run(["readelf", "--dynamic", tool], capture_output=True, text=True, check=True).stdout
    named = {part["name"] for part in found}
    for name, library in (("simdjson", "simdjson"), ("libstdc++", "stdc++"), ("libisal", "isal")):
        check((name in named) != (f"lib{library}.so" in shared), f"{name} is in the tool or in its list of parts, not in both")
    always = {"swift", "swift-foundation", "libdispatch", "swift-argument-parser", "libsodium", "zstd", "xxhash", "zlib", "brotli", "snappy", "libyaml", "utf8proc"}
    check(always <= named, f"a part is not named: {', '.join(sorted(always - named))}")
    notice = (ROOT / "NOTICE").read_text().lower()
    for name in named:
        check(name in notice or name.replace("-", " ") in notice, f"{name} is in its list of parts, and not in NOTICE")
    return len(found) - 1


def main():
    path, tool = Path(sys.argv[1]), Path(sys.argv[2])
    with zipfile.ZipFile(path) as wheel:
        check(wheel.testzip() is None, "it is damaged")
        check_tool(wheel, path.name, tool)
        check_licenses(wheel)
        count = check_list_of_parts(wheel, tool)
    print(f"check_wheel: the built tool, its licences and {count} parts with version, licence and origin are in {path.name}")


main()
