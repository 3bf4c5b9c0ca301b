"""Inputs with a long run of combining marks in one position of text: every position of every reader. Used by Scripts/check-proportions,
which counts the work for them.

A position is a function that gets a folder and a name of n marks, writes files, and returns the arguments of a command. Documents
(mappings, plans, questions, sums …) are given whole, and each of their texts is replaced in turn, so a new key is a new position.
"""

import copy
import ctypes
import io
import json
import re
import struct
import tarfile
import zipfile
import zlib

from .store_checks import ROOT

# Alternating classes of combination: normal forms sort them.
PAIR = "\u0301\u0316"
EVENT = {"event_id": "e", "user_id": "u", "timestamp": 1772409600000, "event": "prompt_shown", "permission": "camera"}
POSITIONS = {}
# Positions that are texts of documents.
DOCUMENTS = set()


def marks(count):
    return "a" + PAIR * (count // 2)


def position(name):
    def enter(function):
        POSITIONS[name] = function
        return function
    return enter


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def ingest(file):
    return ["ingest", file, "--log", file.parent / "new"]


# --- Archives ---

def tar(folder, name, form):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for end in "12":
            content = json.dumps(EVENT | {"event_id": end}).encode() + b"\n"
            member = tarfile.TarInfo(f"{name}{end}.ndjson")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return write(folder, "x.tar", buffer.getvalue())


@position("name of a tar's member, pax")
def tar_pax(folder, name):
    return ingest(tar(folder, name, tarfile.PAX_FORMAT))


@position("name of a tar's member, GNU")
def tar_gnu(folder, name):
    return ingest(tar(folder, name, tarfile.GNU_FORMAT))


@position("name of a zip's member")
def zip_member(folder, name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for end in "12":
            archive.writestr(f"{name[:30000]}{end}.ndjson", json.dumps(EVENT | {"event_id": end}) + "\n")
    return ingest(write(folder, "x.zip", buffer.getvalue()))


# --- Tables and records ---

def csv(names, values):
    return ",".join(names) + "\n" + ",".join(values) + "\n"


@position("heading of CSV")
def heading(folder, name):
    return ingest(write(folder, "x.csv", csv([*EVENT, name + "1", name + "2"], [*map(str, EVENT.values()), "x", "y"])))


@position("heading of CSV, drafted")
def drafted_heading(folder, name):
    return ["mapping", "draft", write(folder, "x.csv", csv(["id", "when", name + "1", name + "2"], ["a", "2026-03-02", "x", "y"]))]


@position("cell of CSV, drafted")
def drafted_cell(folder, name):
    return ["mapping", "draft", write(folder, "x.csv", "id,when,what\n" + f"a,2026-03-02,{name}1\nb,2026-03-02,{name}2\n")]


for field in [*EVENT, "variant", "status"]:
    @position(f"NDJSON: value of {field}")
    def value(folder, name, field=field):
        return ingest(write(folder, "x.ndjson", json.dumps(EVENT | {field: name}) + "\n" + json.dumps(EVENT) + "\n"))


@position("NDJSON: key")
def key(folder, name):
    return ingest(write(folder, "x.ndjson", json.dumps(EVENT | {name + "1": 1, name + "2": 2}) + "\n"))


@position("JSON: key, drafted")
def drafted_key(folder, name):
    return ["mapping", "draft", write(folder, "x.ndjson", json.dumps({name + "1": {name + "2": 1}, "time": "2026-03-02"}) + "\n")]


@position("JSON: value, drafted")
def drafted_value(folder, name):
    lines = [json.dumps({"name": name + end, "time": "2026-03-02"}) + "\n" for end in "12"]
    return ["mapping", "draft", write(folder, "x.ndjson", "".join(lines))]


AMPLITUDE = {
    "event_type": "Push Prompt Shown", "device_id": "d", "user_id": "u", "event_time": "2026-03-02 10:00:00.000000", "uuid": "1",
    "event_properties": {"button": "yes"}, "user_properties": {"copy": "A"}, "app": 1, "library": "x", "platform": "iOS"}
for place in ["event_type", "event_time", "event_properties key", "event_properties value", "key"]:
    @position(f"Amplitude: {place}")
    def amplitude(folder, name, place=place):
        record = copy.deepcopy(AMPLITUDE)
        if place == "key":
            record |= {name + "1": 1, name + "2": 2}
        elif place == "event_properties key":
            record["event_properties"] |= {name + "1": "no", name + "2": "no"}
        elif place == "event_properties value":
            record["event_properties"]["button"] = name
        else:
            record[place] = name
        return ["mapping", "check", write(folder, "x.ndjson", json.dumps(record) + "\n")]


@position("name of a workbook's sheet and cell")
def workbook(folder, name):
    rows = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) + "</row>"
        for row in [[*EVENT, name + "1", name + "2"], [*map(str, EVENT.values()), name, "x"]])
    buffer = io.BytesIO()
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", f'<Relationships><Relationship Id="{name}" Type="{relation}/officeDocument" '
                         'Target="xl/workbook.xml"/></Relationships>')
        archive.writestr("xl/workbook.xml", f'<workbook xmlns:r="{relation}"><sheets><sheet name="{name}" r:id="r1"/></sheets></workbook>')
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships><Relationship Id="r1" Type="{relation}/worksheet" '
                         'Target="worksheets/sheet1.xml"/></Relationships>')
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{rows}</sheetData></worksheet>")
    return ingest(write(folder, "x.xlsx", buffer.getvalue()))


# --- Arrow: a stream with only its schema (FlatBuffers, format/Schema.fbs and Message.fbs) ---

def table(fields):
    """A FlatBuffers table of fields, each None, a number's bytes, or another table, vector or text; its place is where it begins."""
    return ("table", fields)


def flat(root):
    """Bytes of a buffer. Objects are laid out one after the other, each after all that refer to it."""
    out = bytearray(4)

    def align(size):
        while len(out) % size:
            out.append(0)

    def put(item):
        kind, content = item
        if kind == "text":
            align(4)
            place = len(out)
            out.extend(struct.pack("<I", len(content)) + content + b"\0")
            return place
        if kind == "vector":
            align(4)
            place = len(out)
            out.extend(struct.pack("<I", len(content)) + bytes(4 * len(content)))
            for index, child in enumerate(content):
                slot = place + 4 + 4 * index
                struct.pack_into("<I", out, slot, put(child) - slot)
            return place
        align(2)
        vtable = len(out)
        out.extend(bytes(4 + 2 * len(content)))
        align(8)
        place = len(out)
        out.extend(struct.pack("<i", place - vtable))
        slots = []
        for index, field in enumerate(content):
            if field is None:
                continue
            size = len(field) if isinstance(field, bytes) else 4
            align(size)
            struct.pack_into("<H", out, vtable + 4 + 2 * index, len(out) - place)
            if not isinstance(field, bytes):
                slots.append((len(out), field))
            out.extend(field if isinstance(field, bytes) else bytes(4))
        struct.pack_into("<HH", out, vtable, 4 + 2 * len(content), len(out) - place)
        for slot, child in slots:
            struct.pack_into("<I", out, slot, put(child) - slot)
        return place

    struct.pack_into("<I", out, 0, put(root))
    align(8)
    return bytes(out)


def arrow(names):
    # Field: name, nullable, type_type (5 is Utf8), type, dictionary, children.
    fields = [table([("text", name.encode()), b"\1", b"\5", table([]), None, ("vector", [])]) for name in names]
    schema = table([struct.pack("<h", 0), ("vector", fields)])
    # Message: version (V5 is 4), header_type (1 is Schema), header, bodyLength.
    message = flat(table([struct.pack("<h", 4), b"\1", schema, struct.pack("<q", 0)]))
    return struct.pack("<Ii", 0xFFFFFFFF, len(message)) + message + struct.pack("<Ii", 0xFFFFFFFF, 0)


@position("column of an Arrow stream")
def column(folder, name):
    return ingest(write(folder, "x.arrows", arrow([*EVENT, name + "1", name + "2"])))


@position("column of an unknown Arrow stream")
def unknown_column(folder, name):
    return ingest(write(folder, "x.arrows", arrow([name + "1", name + "2"])))


# --- What apps declare ---

def audit(folder):
    return ["audit", "--log", folder / "log", "--info-plist", folder / "app" / "Info.plist"]


PLIST = {
    "CFBundleIdentifier": "x.y", "CFBundleDevelopmentRegion": "en", "CFBundleLocalizations": ["en", "de"],
    "NSCameraUsageDescription": "To scan codes.", "LSMinimumSystemVersion": "1.0", "CFBundlePackageType": "APPL"}


def xml(value):
    if isinstance(value, dict):
        return "<dict>" + "".join(f"<key>{key}</key>{xml(item)}" for key, item in value.items()) + "</dict>"
    if isinstance(value, list):
        return "<array>" + "".join(map(xml, value)) + "</array>"
    return f"<string>{value}</string>"


def old_style(value):
    if isinstance(value, dict):
        return "{" + "".join(f'"{key}" = {old_style(item)};\n' for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "(" + ",".join(map(old_style, value)) + ")"
    return f'"{value}"'


def binary(pairs):
    """A binary property list of a dictionary of texts in UTF-16."""
    objects, table_ = [], []

    def put(value):
        number = len(objects)
        objects.append(b"")
        if isinstance(value, dict):
            keys, values = [put(key) for key in value], [put(item) for item in value.values()]
            objects[number] = bytes([0xD0 | len(keys)]) + bytes(keys + values)
        elif isinstance(value, list):
            objects[number] = bytes([0xA0 | len(value)]) + bytes([put(item) for item in value])
        else:
            text = value.encode("utf-16-be")
            objects[number] = b"\x6f\x12" + struct.pack(">I", len(text) // 2) + text
        return number

    put(pairs)
    out = bytearray(b"bplist00")
    for item in objects:
        table_.append(len(out))
        out += item
    start = len(out)
    out += b"".join(struct.pack(">I", place) for place in table_)
    return bytes(out + bytes(6) + bytes([4, 1]) + struct.pack(">QQQ", len(objects), 0, start))


PROJECT = {"objects": {
    "A1": {"isa": "PBXProject", "developmentRegion": "en"},
    "A2": {"isa": "XCBuildConfiguration", "name": "Debug", "buildSettings": {
        "INFOPLIST_FILE": "app/Info.plist", "INFOPLIST_KEY_NSCameraUsageDescription": "To scan codes.",
        "IPHONEOS_DEPLOYMENT_TARGET": "17.0", "PRODUCT_BUNDLE_IDENTIFIER": "x.y"}}}}
CATALOG = {"sourceLanguage": "en", "version": "1.0", "strings": {"NSCameraUsageDescription": {
    "shouldTranslate": True, "localizations": {"de": {"stringUnit": {"state": "translated", "value": "Zum Scannen."}}}}}}


def replaced(document, name, wanted=lambda path: True):
    """The document with each of its texts in turn replaced: (path, document). Keys are given a like one beside them."""
    def walk(value, path, put):
        if isinstance(value, dict):
            if wanted((*path, "key")):
                yield (*path, "key"), put(value | {name + "1": "x", name + "2": "x"})
            for key, item in value.items():
                yield from walk(item, (*path, key), lambda new, key=key: put(value | {key: new}))
        elif isinstance(value, list):
            # One item stands for all.
            for index, item in enumerate(value[:1]):
                yield from walk(item, (*path, index), lambda new, index=index: put(value[:index] + [new] + value[index + 1:]))
        elif isinstance(value, str) and wanted(path):
            yield path, put(name)
    return walk(document, (), lambda new: new)


def paths(document):
    return [path for path, _ in replaced(document, "?")]


def enter_document(kind, document, command):
    """A position for each text of a document."""
    for path in paths(document):
        name = f"{kind}: {'/'.join(map(str, path))}"
        DOCUMENTS.add(name)

        @position(name)
        def text(folder, name, path=path):
            return command(folder, dict(replaced(document, name))[path])


def audited(name, form):
    def command(folder, document):
        write(folder, "app/Info.plist", xml(PLIST) if name != "app/Info.plist" else "")
        write(folder, name, form(document))
        return audit(folder)
    return command


enter_document("Info.plist", PLIST, audited("app/Info.plist", lambda value: "<plist>" + xml(value) + "</plist>"))
# The readers of the other forms, by a key and a value of each.
for name, form in {"old style": old_style, "binary": binary}.items():
    enter_document(f"Info.plist, {name}", {"CFBundleDevelopmentRegion": "en"}, audited("app/Info.plist", form))
enter_document("InfoPlist.strings", {"NSCameraUsageDescription": "Zum Scannen."},
               audited("app/de.lproj/InfoPlist.strings", lambda value: old_style(value)[1:-1]))
enter_document("string catalog", CATALOG, audited("app/InfoPlist.xcstrings", json.dumps))
enter_document("project", PROJECT, audited("app.xcodeproj/project.pbxproj", lambda value: "// !$*UTF8*$!\n" + old_style(value)))

# --- Mappings: all keys of the reader (checked by `missing_mapping_keys`) ---

RULE = {
    "event": "Push Shown", "pattern": "push_*", "where": {"step": "push"}, "kind": "prompt_shown",
    "permission": {"from": "gate", "values": {"cam": "camera"}, "default": "camera"},
    "status": {"from": "state", "values": {"on": "authorized"}, "default": "denied"}, "variant": "A"}
MAPPING = {
    "name": "mine",
    "record": {
        "form": "json", "columns": ["name", "user"], "minimum_columns": "1", "recognise": ["/name"], "unless": "/none", "companions": ["/user"],
        "event": [{"join": ["/name"]}], "each": "/events", "ignore": "/info", "user": [{"from": "/user", "without": "x"}], "account": ["/account"],
        "time": {"from": "/time", "unit": "seconds", "format": "%d/%m/%Y", "zone": "UTC", "given": "no"},
        "id": {"from": "/id", "within": "/batch", "derived_from": ["time"], "needs": "/id"}, "former_id": "/old",
        "number": {"from": "/n", "within": ["/user"]},
        "link": [{"event": "login", "from": "/user", "with": "/anonymous", "unless": "/no"}], "session": "/session",
        "properties": "/properties"},
    "fields": {"variant": {"from": "copy", "values": {"a": "A"}}, "status": ["state"]},
    "values": {"status": {"on": "authorized"}}, "experiments": ["flag"], "states": {"notifications": "push"},
    "rules": [RULE], "usual_spellings": "yes", "otherwise": [{"pattern": "*", "kind": "ignore"}]}


def mapped(folder, document):
    write(folder, "m.yaml", json.dumps(document, ensure_ascii=False))
    return ["mapping", "check", write(folder, "x.ndjson", json.dumps({"name": "x", "user": "u", "time": 1}) + "\n"), "--mapping", folder / "m.yaml"]


enter_document("mapping", MAPPING, mapped)
enter_document("mapping of a preset", {"extends": "amplitude"}, mapped)


def missing_mapping_keys():
    """Keys that the reader of mappings takes and the document here does not have."""
    reader = (ROOT / "Sources/EventMapping/YAML/Mapping+YAML.swift").read_text()
    taken = set(re.findall(r'\b(?:take|text|texts|places|choice|flag|rules|lists|identities)\(\s*(?:&reader, )?"(\w+)"', reader))
    known = {part for path in paths(MAPPING) + paths({"extends": ""}) for part in path}
    return sorted(taken - known - {"name"})


# --- Files that permlog writes: made by the tool, then changed with a right checksum ---

def checksum(content):
    """XXH3 of 64 bits, as the tool's files have it."""
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_64bits.restype = ctypes.c_uint64
    return f"{library.XXH3_64bits(content, ctypes.c_size_t(len(content))):016x}"


def compared(folder, document):
    write(folder, "plan.json", json.dumps(document, ensure_ascii=False))
    return ["compare", "--plan", folder / "plan.json", "--log", folder / "log"]


def recorded(plan):
    def command(folder, document):
        content = write(folder, "plan.json", plan).read_bytes()
        encoded = json.dumps(document | {"checksum": ""}, ensure_ascii=False, separators=(",", ":")).encode()
        write(folder, "plan.looks.json", json.dumps(document | {"checksum": checksum(encoded)}, ensure_ascii=False))
        return compared(folder, json.loads(content))
    return command


LOOKS = {"schema": "permlog.looks/1", "plan": "0123456789abcdef", "arms": [{
    "variant": "B", "first_day": None, "exponent": None, "days": [],
    "decisions": [{"decision": "none", "decided_on": "2026-03-02", "recorded_at": "2026-03-02T00:00:00.000Z"}]}]}


def asked(folder, document):
    write(folder, "x.question", json.dumps(document, ensure_ascii=False, separators=(",", ":")))
    return ["sums", "make", "--log", folder / "log", "--question", folder / "x.question", "--output", folder / "x.sums"]


def enter_files(folder, run):
    """Positions in the files of the tool.

    - Parameter run: runs the tool with arguments.
    """
    run(["plan", "A", "B", "--permission", "camera", "--baseline", "40", "--effect", "5", "--traffic", "100", "--save", folder / "p"])
    plan = (folder / "p").read_text()
    enter_document("plan", json.loads(plan), compared)
    enter_document("looks", LOOKS, recorded(plan))
    run(["compare", "A", "B", "--permission", "camera", "--where", "country=DE", "--as-of", "2026-04-01", "--save-question", folder / "q"])
    enter_document("question", json.loads((folder / "q").read_text()), asked)
    run(["sums", "make", "--log", folder / "log", "--question", folder / "q", "--output", folder / "s"])
    lines = (folder / "s").read_bytes().split(b"\n")
    seen = set()
    for number, line in enumerate(lines):
        word = line.split(b" ")[0]
        word = b"=" if word.startswith(b"=") else word
        # The first of each kind of line, and each of its words once.
        if not line or word in seen or word in (b"checksum", b"question"):
            continue
        seen.add(word)
        @position(f"sums: line {word.decode()}")
        def in_line(folder, name, number=number):
            first = lines[number].split(b" ")[0]
            text = b"=" + name.encode() if first.startswith(b"=") else first + b" " + name.encode()
            changed = b"\n".join([*lines[:number], text, *lines[number + 1:]])
            content = changed[:changed.rindex(b"checksum ")]
            write(folder, "x.sums", content + b"checksum " + checksum(content).encode() + b"\n")
            return ["sums", "show", folder / "x.sums"]


# --- The command line. Its arguments are looked at before all else, so that a few stand for all options ---

@position("argument: a command")
def argument_command(folder, name):
    return [name]


@position("argument: an option")
def argument_option(folder, name):
    return ["report", "--log", folder / "log", "--" + name]


@position("argument: a value")
def argument_value(folder, name):
    return ["report", "--log", folder / "log", "--permission", name]


@position("argument: a file")
def argument_file(folder, name):
    return ["ingest", folder / name, "--log", folder / "new"]
