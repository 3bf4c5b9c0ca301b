#!/usr/bin/env python3
"""Writes what is in the built tool as a CycloneDX list of parts (SBOM): Scripts/lib/make_sbom.py TOOL > permlog.cdx.json

Versions and checksums are read from what was linked: the packages of Swift from the build's own record, the libraries from dpkg and from
what Scripts/make-static-libraries wrote. Only names and licences are written here (NOTICE has their authors); what is linked and has no name
here is an error. The same build gives the same bytes: the time is SOURCE_DATE_EPOCH, and the serial number is made of the content.
"""

import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
STATIC = BUILD / "static"

WITH_EXCEPTION = "Apache-2.0 WITH Swift-exception"
# What Swift itself brings, its runtime besides: a text that is in a tool with this part, the repository, the licence. (Of swift-collections,
# swift-foundation has its own copy, FoundationCollections.)
WITH_SWIFT = {
    "swift-foundation": (b"FoundationEssentials", "swiftlang/swift-foundation", WITH_EXCEPTION),
    "libdispatch": (b"com.apple.libdispatch", "swiftlang/swift-corelibs-libdispatch", "Apache-2.0"),
}
# What Swift could bring and NOTICE does not name: the rest of Foundation, with ICU, libxml2 and curl.
NOT_NAMED = (b"FoundationInternationalization", b"CoreFoundation", b"FoundationXML", b"FoundationNetworking", b"icudt")
# Packages of Swift, by the modules of theirs that may be linked.
SWIFT_PACKAGES = {
    "swift-argument-parser": ({"ArgumentParser", "ArgumentParserToolInfo"}, WITH_EXCEPTION),
}
# Archives that Package.swift links if they are installed: the Debian package, the archive, the licence.
ARCHIVES = {
    "zstd": ("libzstd-dev", "libzstd.a", "BSD-3-Clause"),
    "xxhash": ("libxxhash-dev", "libxxhash.a", "BSD-2-Clause"),
    "brotli": ("libbrotli-dev", "libbrotlidec.a", "MIT"),
    "snappy": ("libsnappy-dev", "libsnappy.a", "BSD-3-Clause"),
    "zlib": ("zlib1g-dev", "libz.a", "Zlib"),
    "libyaml": ("libyaml-dev", "libyaml.a", "MIT"),
    "libsodium": ("libsodium-dev", "libsodium.a", "ISC AND BSD-2-Clause"),
    "utf8proc": ("libutf8proc-dev", "libutf8proc.a", "MIT AND Unicode-DFS-2015"),
}
# Those that are linked in addition if the tool was linked with what Scripts/make-static-libraries made.
MORE_ARCHIVES = {
    "xz-utils": ("liblzma-dev", "liblzma.a", "LicenseRef-public-domain"),
    "bzip2": ("libbz2-dev", "libbz2.a", "bzip2-1.0.6"),
    "libstdc++": (None, "libstdc++.a", "GPL-3.0-or-later WITH GCC-exception-3.1"),
}
FROM_SOURCE = {"simdjson": "Apache-2.0 AND BSD-3-Clause AND MIT", "libarchive": "BSD-2-Clause AND BSD-3-Clause", "libisal": "BSD-3-Clause"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def component(name, version, license, purl, digest=None, **more):
    if not version:
        sys.exit(f"make_sbom: the version of {name} is not known")
    found = {"type": "library", "name": name, "version": version, "bom-ref": purl, "purl": purl, **more}
    found["licenses"] = [{"expression": license}]
    if digest:
        found["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return found


def swift_runtime(tool):
    """The runtime, and what of Swift's own libraries is in the tool."""
    found = re.search(r"Swift version ([\d.]+)", output("swift", "--version"))
    version = found and found[1]
    yield component("swift", version, WITH_EXCEPTION, f"pkg:github/swiftlang/swift@swift-{version}-RELEASE")
    content = Path(tool).read_bytes()
    for mark in NOT_NAMED:
        if mark in content:
            sys.exit(f"make_sbom: the tool has {mark.decode()} of Swift in it, which NOTICE and Scripts/lib/make_sbom.py do not name: add it to both")
    for name, (mark, repository, license) in WITH_SWIFT.items():
        if mark in content:
            yield component(name, version, license, f"pkg:github/{repository}@swift-{version}-RELEASE")


def linked_modules():
    """The modules whose objects were linked; each is one of ours or of a package that is named here."""
    objects = (BUILD / "release/permlog.product/Objects.LinkFileList").read_text().split("\n")
    modules = {found[1] if (found := re.search(r"/([^/]+)\.build/", line)) else line for line in objects if line.strip()}
    ours = {path.name for path in (ROOT / "Sources").iterdir()}
    unknown = modules - ours - set().union(*(known for known, _ in SWIFT_PACKAGES.values()))
    if unknown or not modules & ours:
        sys.exit(f"make_sbom: {', '.join(sorted(unknown)) or 'nothing of ours'} was linked: add to SWIFT_PACKAGES in Scripts/lib/make_sbom.py, and to NOTICE")
    return modules


def swift_packages():
    """The packages whose modules are among the files that were linked."""
    linked = linked_modules()
    for dependency in json.loads((BUILD / "workspace-state.json").read_text())["object"]["dependencies"]:
        name, state = dependency["packageRef"]["identity"], dependency["state"]["checkoutState"]
        modules, license = SWIFT_PACKAGES.get(name, (set(), None))
        if not modules & linked:
            continue
        yield component(
            name, state["version"], license, f"pkg:swift/github.com/apple/{name}@{state['version']}",
            pedigree={"commits": [{"uid": state["revision"]}]},
        )  # fmt: skip


def archive_path(archive):
    """Where the compiler finds an archive; its bare name if it does not."""
    return output(shutil.which("clang") or "cc", f"-print-file-name={archive}")


def debian(name, package, archive, license):
    """A library of the distribution; the checksum is that of the archive that was linked."""
    path = archive_path(archive)
    if package is None:
        package = output("dpkg-query", "-S", os.path.realpath(path)).split(":")[0]
    source, version = output("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}\n", package).splitlines()[0].split()
    return component(name, version, license, source_purl(source, version), sha256(path))


def source_purl(source, version):
    release = dict(re.findall(r'^(ID|VERSION_ID)="?([^"\n]*)', Path("/etc/os-release").read_text(), re.MULTILINE))
    distribution = release.get("ID", "linux")
    version = version.replace("+", "%2B").replace(":", "%3A").replace("~", "%7E")
    return f"pkg:deb/{distribution}/{source}@{version}?arch=source&distro={distribution}-{release.get('VERSION_ID', '')}"


def libraries(tool):
    is_static = "libsimdjson.so" not in output("readelf", "--dynamic", tool)
    for name, (package, archive, license) in {**ARCHIVES, **(MORE_ARCHIVES if is_static else {})}.items():
        if os.path.isabs(archive_path(archive)):
            yield debian(name, package, archive, license)
    if is_static:
        for line in (STATIC / "versions.tsv").read_text().splitlines():
            name, version, _, digest = line.split("\t")
            yield component(name, version, FROM_SOURCE[name], source_purl(name, version), digest)


def main():
    tool = sys.argv[1]
    parts = [{key: value for key, value in part.items() if value} for part in [*swift_runtime(tool), *swift_packages(), *libraries(tool)]]
    version = output(tool, "--version")
    own = component("permlog", version, "Apache-2.0", f"pkg:generic/permlog@{version}", sha256(tool))
    content = {"metadata": {"component": {**own, "type": "application"}}, "components": parts}
    content["dependencies"] = [{"ref": own["purl"], "dependsOn": [part["bom-ref"] for part in parts]}]
    moment = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    content["metadata"]["timestamp"] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": serial.urn, "version": 1}
    print(json.dumps({**head, **content}, indent=2, ensure_ascii=False))


main()
