#!/usr/bin/env python3
"""Makes the Arrow streams of data/samples/arrow with pyarrow, each beside the same rows as lines of JSON, which say what an import
should find in them. --check compares the rows of what is there, whatever version of pyarrow wrote them."""

import datetime
import decimal
import json
import os
import sys

import pyarrow as pa
import pyarrow.ipc as ipc

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "samples")
START = 1740830400000
EVENTS = ["explanation_shown", "prompt_shown", "granted", "app_active"]
# Marks a column of texts that hold nested values.
JSON = {b"permlog.json": b"true"}
PERMISSIONS = ["notifications", "notifications", "camera", None]


def stream(batches, schema, **options):
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, schema, options=ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


class Nested:
    """What the text of a column of JSON is, if it is no text."""

    def __init__(self, text):
        self.value = json.loads(text)


def spelled(value):
    """A value as a line of JSON has it."""
    if isinstance(value, Nested):
        return value.value
    if isinstance(value, datetime.datetime):
        text = value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}"
        return text + "Z" if value.tzinfo else text
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float) and value == int(value) and abs(value) < 2**53:
        return int(value)
    if isinstance(value, (str, int, float)):
        return value
    return "ignored"


def lines(rows):
    """Absent values are left out, so that nobody counts them."""
    result = []
    for row in rows:
        result.append({key: spelled(value) for key, value in row.items() if value is not None})
    return b"".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for row in result)


def rows_of(batches):
    rows = []
    for batch in batches:
        columns = []
        for field, column in zip(batch.schema, batch.columns):
            if field.metadata == JSON:
                columns.append([Nested(v) if v and v[0] in "{[" else v for v in column.to_pylist()])
            elif pa.types.is_timestamp(column.type):
                # Cut to milliseconds, toward the past, in UTC.
                zone = column.type.tz
                ticks = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[column.type.unit]
                values = [None if v is None else v * 1000 // ticks for v in column.cast(pa.int64()).to_pylist()]
                base = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc if zone else None)
                columns.append([None if v is None else base + datetime.timedelta(milliseconds=v) for v in values])
            elif pa.types.is_float32(column.type):
                # The shortest spelling of 32 bits, not of the 64 that Python has.
                columns.append([None if v is None else float(v) for v in column.cast(pa.string()).to_pylist()])
            else:
                columns.append(column.to_pylist())
        rows += [dict(zip(batch.schema.names, values)) for values in zip(*columns)]
    return rows


def batch(count=4, **columns):
    """Good rows, with some columns in place of their own."""
    usual = {
        "user_id": pa.array([f"u{i % 2 + 1}" for i in range(count)]),
        "timestamp": pa.array([START + 1000 * i for i in range(count)]),
        "event": pa.array([EVENTS[i % 4] for i in range(count)]),
        "permission": pa.array([PERMISSIONS[i % 4] for i in range(count)]),
    }
    usual.update(columns)
    return pa.RecordBatch.from_arrays(list(usual.values()), names=list(usual))


def texts(kind):
    def column(values):
        return pa.array([None if v is None else v.encode() if "binary" in str(kind) else v for v in values], kind)

    return batch(
        user_id=column(["u1", "3F2504E0-4F89-11D3-9A0C-0305E82C3301", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "ünï"]),
        timestamp=column(["2025-03-01T12:00:00Z", "2025-03-01T13:00:00.250+01:00", "2025-03-01T12:00:00.123Z", "1740830400000"]),
        event=column(EVENTS), permission=column(PERMISSIONS), event_id=column(["a", "", None, "x" * 128]),
        variant=column(["B", "a longer variant than sixteen bytes", "ü", "x" * 257]),
        status=column(["", None, "Authorized", "nonsense"]),
    )


def nested(count=4):
    """A column of each type that is passed over, before those that are read."""
    def ignored(name, values, kind):
        return name, pa.array(values, kind)

    some = [1, None, 3, 4]
    struct = [{"a": v, "b": [str(v)]} for v in some]
    columns = dict([
        ignored("a list", [[1, 2], None, [], [3]], pa.list_(pa.int32())),
        ignored("a struct", struct, pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))])),
        ignored("a map", [[("a", 1)], [], None, [("b", 2)]], pa.map_(pa.string(), pa.int32())),
        ignored("a decimal", [decimal.Decimal("1.5"), None, decimal.Decimal("2.5"), None], pa.decimal128(10, 2)),
        ignored("fixed bytes", [b"ab", None, b"cd", b"ef"], pa.binary(2)),
        ignored("a fixed list", [[1, 2], None, [3, 4], [5, 6]], pa.list_(pa.int8(), 2)),
        ignored("a large list", [["x"], ["y"], None, []], pa.large_list(pa.string())),
        ignored("a time", some, pa.time64("us")),
        ignored("a duration", some, pa.duration("ms")),
        ignored("an interval", [pa.MonthDayNano([1, 2, 3]), None, None, None], pa.month_day_nano_interval()),
        ignored("a view", ["short", "a text that is longer than a view", None, "another one that has to be elsewhere"], pa.string_view()),
        ignored("a binary view", [b"short", b"bytes that are longer than a view", None, b""], pa.binary_view()),
        ignored("a half float", [None, None, None, None], pa.float16()),
        ignored("a null", [None] * 4, pa.null()),
    ])
    columns["a list view"] = pa.ListViewArray.from_arrays([0, 0, 1, 1], [1, 0, 2, 1], pa.array([1, 2, 3]))
    types = pa.array([0, 1, 0, 1], pa.int8())
    columns["a sparse union"] = pa.UnionArray.from_sparse(types, [pa.array(some), pa.array(["a", "b", "c", "d"])])
    columns["a dense union"] = pa.UnionArray.from_dense(
        types, pa.array([0, 0, 1, 1], pa.int32()), [pa.array([1, 2]), pa.array(["a", "b"])])
    columns["runs"] = pa.RunEndEncodedArray.from_arrays(pa.array([1, 4], pa.int32()), pa.array(["x", "y"]))
    columns["a dictionary of numbers"] = pa.array([5, None, 5, 6]).dictionary_encode()
    good = batch()
    return pa.RecordBatch.from_arrays(list(columns.values()) + good.columns, names=list(columns) + good.schema.names)


def dictionary(values, indices, kind=None, text=None):
    return pa.DictionaryArray.from_arrays(pa.array(indices, kind or pa.int32()), pa.array(values, text or pa.string()))


def json_texts():
    """Nested values as JSON text, in columns that say so; one that does not say so has texts."""
    columns = {
        "user_id": ["u1", '{"a": 1}', '["u1"]', "u2", "u3", "u4", "u5", "u6"],
        "timestamp": ["2025-03-01T12:00:00Z"] * 3 + ['{"$date": 5}', "[1740830400000]"] + ["2025-03-01T12:00:01Z"] * 3,
        "event": ["granted"] * 5 + ['{"kind": "granted"}', "granted", "granted"],
        "permission": ["camera"] * 8,
        "variant": ['{"x": "A"}', "B", None, "B", "B", "B", "B", '["B"]'],
        "properties": ['{"v": "A", "n": {"w": "C"}}', "{}", None, "[]", '["v"]', '{"v": {"n": 1}}', '{"v": "B"}', "text"],
    }
    fields = [pa.field(name, pa.large_string() if name == "variant" else pa.string(), metadata=JSON) for name in columns]
    columns["country"] = ["{x}", "[y]", None, "DE", "DE", "DE", "{z}", "[]"]
    fields.append(pa.field("country", pa.string()))
    return pa.RecordBatch.from_arrays([pa.array(columns[f.name], f.type) for f in fields], schema=pa.schema(fields))


def canonical():
    """Batches of each stream, and how it is written."""
    result = {}
    for kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        result[f"texts_{kind}"] = ([texts(kind)], {})
    for bits in (8, 16, 32, 64):
        for name in (f"int{bits}", f"uint{bits}"):
            kind = getattr(pa, name)()
            most = 2 ** (bits - (name[0] == "i")) - 1
            ids = pa.array([1, most, None, 0 if name[0] == "u" else -most - 1], kind)
            indices = dictionary(EVENTS, [0, 1, 2, None], kind)
            result[name] = ([batch(user_id=ids, event_id=ids, event=indices)], {})
    result["int64_times"] = ([batch(timestamp=pa.array([START // 1000, START * 1000, START * 10**6, -1]))], {})
    for kind, most in ((pa.float32(), 2**24 - 1), (pa.float64(), 2**53 - 1)):
        result[str(kind)] = (
            [batch(user_id=pa.array([1.0, 2.5, -0.0, float(most)], kind)),
             batch(user_id=pa.array([1e-9, 1.25, 0.1, None] if most < 2**53 - 1 else [2.0**60, 1e22, 0.1, None], kind)),
             batch(variant=pa.array([1.5, None, 3.0, None], kind), user_id=pa.array([7, 8, 9, 10], kind)).select(range(4))], {})
    result["float64_times"] = (
        [batch(timestamp=pa.array([START / 1000 + 0.5, START * 1.0, START * 1000.0, -1.5]))], {})
    result["boolean"] = ([batch(user_id=pa.array([True, False, None, True]), variant=pa.array([True, None, False, None])),
                          batch(user_id=pa.array([None] * 4, pa.bool_()), variant=pa.array([None] * 4, pa.bool_()))], {})
    for unit, ticks in (("s", 1), ("ms", 1000), ("us", 10**6), ("ns", 10**9)):
        values = [START * ticks // 1000, START * ticks // 1000 + ticks * 5 // 4, -1, None]
        zones = [("utc", "UTC"), ("berlin", "Europe/Berlin"), ("wall_clock", None)]
        for name, zone in zones:
            result[f"times_{unit}_{name}"] = ([batch(timestamp=pa.array(values, pa.timestamp(unit, zone)))], {})
    day = datetime.date(2025, 3, 1)
    for kind in (pa.date32(), pa.date64()):
        result[str(kind).split("[")[0]] = ([batch(timestamp=pa.array([day] * 4, kind), variant=pa.array([day] * 4, kind))], {})
    result["json"] = ([json_texts()], {})
    result["null"] = ([batch(status=pa.nulls(4), variant=pa.array(["B", "", None, "A"]))], {})
    result["passed_over"] = ([nested()], {})
    result["spellings"] = ([batch().rename_columns(["User ID", " time-stamp ", "EVENT", "Permission"])], {})
    sliced = batch(40, variant=dictionary(["A", "B", None], [i % 3 for i in range(40)]), even=pa.array([True, False] * 20))
    result["slices"] = ([sliced.slice(3, 9), sliced.slice(0, 0), sliced.slice(17, 1), sliced.slice(31)], {})
    result["no_rows"] = ([], {"schema": batch().schema})
    result["empty_batch"] = ([batch().slice(0, 0)], {})
    result["version_4"] = ([batch(variant=dictionary(["A", "B"], [0, 1, 0, None]))], {"metadata_version": ipc.MetadataVersion.V4})
    words = [["A", "B"], ["B", "C", None], ["x" * 20], ["A"]]
    result["replaced"] = ([batch(variant=dictionary(w, [len(w) - 1, 0, 0, None])) for w in words], {})
    longer = [["A", "B"], ["A", "B", "C"], ["A", "B", "C"], ["A", "B", "C", "D", "E", "F"]]
    result["lengthened"] = (
        [batch(variant=dictionary(w, [len(w) - 1, 0, 1, None], text=pa.large_string())) for w in longer],
        {"emit_dictionary_deltas": True})
    result["rejected"] = ([batch(
        8, user_id=pa.array(["anonymous", "1.77245E+15", "u1", "u1", "u1", "u1", None, ' "quoted"\n\\ ']),
        event=pa.array(["granted"] * 4 + ["Granted", "push_denied", "granted", "granted"]),
        permission=pa.array(["camera", "camera", None, "push", "photoLibrary", "camera", "camera", "Camera"]),
        timestamp=pa.array([START] * 7 + [START * 2]))], {})
    # Names that are no kinds, and a column that is no field and contradicts one of them.
    names = ["primer shown", "primer continue", "pushPermissionDenied", "granted", "zzz", "push_permission_granted",
             "notification_permission_allowed", "did become active"]
    permissions = ["push", "camera", None, "photos", "camera", "camera", None, None]
    for name, kind in [("names", pa.string()), ("names_dictionary", pa.dictionary(pa.int8(), pa.string()))]:
        result[name] = ([batch(
            8, event=pa.array(names).cast(kind), permission=pa.array(permissions).cast(kind),
            result=pa.array([None] * 6 + ["denied", "x"]).cast(kind))], {})
    return result


def vendors():
    """Tables as warehouses have them, each with the lines of the same events."""
    def read(path):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]

    def instant(text):
        return datetime.datetime.fromisoformat(text)

    def table(rows, kinds):
        def value(cell):
            return json.dumps(cell) if isinstance(cell, (dict, list)) else cell

        return pa.RecordBatch.from_arrays(
            [pa.array([value(row.get(name)) for row in rows], kind) for name, kind in kinds.items()], names=list(kinds))

    text, moment = pa.string(), pa.timestamp("us", "UTC")
    posthog = read("posthog/events.jsonl")
    times = [dict(row, timestamp=instant(row["timestamp"]), created_at=instant(row["created_at"])) for row in posthog]
    ga4 = read("ga4/events_20251124.json")
    numbers = ("event_timestamp", "event_bundle_sequence_id", "batch_event_index")
    counted = [dict(row, **{name: int(row[name]) for name in numbers if row.get(name)}) for row in ga4]
    segment = read("segment/archive.ndjson")
    amplitude = read("amplitude/187520_2025-11-24_18#0.json")
    names = ["uuid", "event_time", "platform", "os_version", "version_name", "$insert_id", "event_type", "device_id", "user_id",
             "language", "country", "event_properties"]
    wide = ["uuid", "event", "properties", "distinct_id", "person_id", "person_properties", "elements_chain"]
    return {
        "posthog": (table(times, {**{name: text for name in wide}, "timestamp": moment, "created_at": moment}), posthog),
        "ga4": (
            table(counted, {"event_date": text, "event_name": text, **{name: pa.int64() for name in numbers},
                            "user_pseudo_id": text, "user_id": text, "event_params": text, "app_info": text, "device": text,
                            "geo": text, "platform": text, "batch_page_id": pa.int64(), "batch_ordering_id": pa.int64()}), ga4),
        "segment": (
            table(segment, {name: text for name in dict.fromkeys(key for row in segment for key in row) if name != "version"}),
            segment),
        "amplitude": (table(amplitude, {**{name: text for name in names}, "amplitude_id": pa.int64()}), amplitude),
    }


def flattened():
    """Frames as `pandas.json_normalize` and warehouses make them: ten rows that are named for a grant, of which four say the
    contrary in a column of another name each."""
    shapes = {
        "amplitude": ("event_type", "device_id", "event_time", "2025-11-24 18:03:21.412000", "event_properties", {}),
        "segment": ("event", "anonymousId", "timestamp", "2025-11-24T18:03:21.412Z", "properties", {"type": "track"}),
        "ga4": ("event_name", "user_pseudo_id", "event_timestamp", "1764007405717000", "event_params", {}),
        "mixpanel": ("event", "properties.distinct_id", "properties.time", 1764007405, "properties", {}),
    }
    for vendor, (name, user, time, moment, holder, others) in shapes.items():
        for sign, word in ((".", "dotted"), ("_", "underscored")):
            rows = []
            for number in range(10):
                says = number < 6
                row = {name: "Notification Permission Allowed", user.replace(".", sign): f"d{number}",
                       time.replace(".", sign): moment, **others, f"{holder}{sign}variant": "B",
                       f"{holder}{sign}permission": "push", f"{holder}{sign}is_granted": says if number % 2 == 0 else None,
                       f"{holder}{sign}auth_status": None if number % 2 == 0 else "authorized" if says else "denied",
                       f"user_properties{sign}push_enabled": not says}
                rows.append(row)
            batch = pa.RecordBatch.from_pylist(rows)
            yield f"{vendor}_{word}", batch, rows


def refused():
    """Streams that are refused as a whole, or have rows that no line of JSON is like."""
    named = batch(2, other=pa.array(["a", "b"])).rename_columns(["user_id", "timestamp", "event", " user_id ", "user\nid"])
    whole = pa.array([2.0**24 - 1, 2.0**24, 2.0**24 + 2, -(2.0**30), 2.0**60, 0.5], pa.float32())
    times = pa.array([START / 1000, START * 1.0, 1e7, 5.0, 2.0**24, 1e30], pa.float32())
    return {
        "compressed": ([batch(1000)], {"compression": "zstd"}),
        "named_twice": ([named], {}),
        "rounded_ids": ([batch(6, user_id=whole)], {}),
        "rounded_times": ([batch(6, timestamp=times)], {}),
        "not_utf8": ([batch(2, event=pa.array([b"Camera Permission Granted", b"Camera Permission \xff Granted"]))], {}),
    }


def files():
    result = {}
    for name, (batches, options) in canonical().items():
        options = dict(options)
        schema = options.pop("schema", None) or batches[0].schema
        named = [{"User ID": "user_id", " time-stamp ": "timestamp", "EVENT": "event", "Permission": "permission"}.get(n, n)
                 for n in schema.names]
        result[f"arrow/{name}.arrows"] = stream(batches, schema, **options)
        result[f"arrow/{name}.ndjson"] = lines(
            rows_of(batch.rename_columns(named) for batch in batches))
    for name, (batches, options) in refused().items():
        result[f"../../Tests/ArrowStreams/{name}.arrows"] = stream(batches, batches[0].schema, **options)
    for name, (rows, events) in vendors().items():
        result[f"arrow/vendors/{name}.arrows"] = stream([rows], rows.schema)
        result[f"arrow/vendors/{name}.ndjson"] = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    for name, rows, events in flattened():
        result[f"arrow/flat/{name}.arrows"] = stream([rows], rows.schema)
        result[f"arrow/flat/{name}.ndjson"] = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    return result


def same(path, data, other):
    if data == other:
        return True
    if not path.endswith(".arrows"):
        return False
    first, second = ipc.open_stream(data), ipc.open_stream(other)
    return first.schema == second.schema and list(map(str, first)) == list(map(str, second))


def main():
    check = sys.argv[1:] == ["--check"]
    for path, data in files().items():
        full = os.path.join(ROOT, path)
        if not check:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(data)
            continue
        with open(full, "rb") as file:
            if not same(path, data, file.read()):
                sys.exit(f"data/samples/{path} is not what Scripts/make_arrow_samples.py makes")


main()
