#!/usr/bin/env python3
"""Makes the other versions of the vendors' sample files from the plain ones in data/samples: packed as vendors pack them, with
renamed keys, as batches and arrays, with plain numbers, with properties as text. Run it again after a change of a plain file;
--check compares what is there, unpacked."""

import copy
import gzip
import io
import json
import lzma
import os
import sys
import tarfile
import zipfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")


def read(path):
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def rows(path):
    return [json.loads(line) for line in read(path).splitlines() if line.strip()]


def lines(items):
    return b"".join(json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for item in items)


def packed(data):
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def archive(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name, (2025, 12, 3, 0, 0, 0)), data)
    return buffer.getvalue()


def tar(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as file:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def renamed(event):
    """Amplitude's own import asks for these names, and exports are passed on with them."""
    names = {"$insert_id": "insert_id", "version_name": "app_version"}
    return {names.get(key, key): value for key, value in event.items()}


def plain_numbers(row):
    """Client libraries write integers as numbers."""
    row = copy.deepcopy(row)
    for key in ("event_timestamp", "event_bundle_sequence_id", "batch_event_index"):
        row[key] = int(row[key])
    for item in row["event_params"]:
        if item["value"].get("int_value") is not None:
            item["value"]["int_value"] = int(item["value"]["int_value"])
    return row


def files():
    amplitude = read("amplitude/187520_2025-11-24_18#0.json")
    merged = read("amplitude/-189524_2025-12-02_2.json")
    segment = rows("segment/archive.ndjson")
    ga4 = rows("ga4/events_20251124.json")
    posthog = rows("posthog/events.jsonl")
    as_text = [dict(row, properties=json.dumps(row["properties"])) for row in posthog]
    return {
        "amplitude/export.zip": archive(
            [
                ("187520/187520_2025-11-24_18#0.json.gz", packed(amplitude)),
                ("187520/-189524_2025-12-02_2.json.gz", packed(merged)),
                ("187520/complete", b""),
            ]
        ),
        "amplitude/renamed_keys.json": lines(
            renamed(row) for row in rows("amplitude/187520_2025-11-24_18#0.json")
        ),
        "mixpanel/seconds.jsonl.gz": packed(read("mixpanel/seconds.jsonl")),
        "segment/archive.ndjson.gz": packed(read("segment/archive.ndjson")),
        "segment/batch.json": json.dumps({"batch": segment, "sentAt": "2025-12-02T02:41:38.090Z"}).encode() + b"\n",
        "ga4/array.json": json.dumps(ga4, indent=1).encode() + b"\n",
        "ga4/plain_numbers.json": lines(plain_numbers(row) for row in ga4),
        "ga4/events_20251124-000000000000.json.gz": packed(read("ga4/events_20251124.json")),
        "posthog/properties_as_text.jsonl": lines(as_text),
        "posthog/export.tar.gz": packed(
            tar([("export/events.jsonl", read("posthog/events.jsonl")), ("export/manifest.json", b'{"files":["events.jsonl"]}\n')])
        ),
        "snowplow/enriched.tsv.gz": packed(read("snowplow/enriched.tsv")),
        "snowplow/enriched.tsv.xz": lzma.compress(read("snowplow/enriched.tsv")),
    }


def unpacked(data):
    """What is inside, whatever the version of the library that packed it."""
    if data.startswith(b"\x1f\x8b"):
        return unpacked(gzip.decompress(data))
    if data.startswith(b"\xfd7zXZ"):
        return lzma.decompress(data)
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            return [(name, unpacked(file.read(name))) for name in file.namelist()]
    return data


def main():
    check = sys.argv[1:] == ["--check"]
    for path, data in files().items():
        if not check:
            with open(os.path.join(ROOT, path), "wb") as file:
                file.write(data)
        elif unpacked(read(path)) != unpacked(data):
            sys.exit(f"data/samples/{path} is not what Scripts/make_vendor_samples.py makes")


main()
