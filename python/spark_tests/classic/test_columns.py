"""Which rows, columns and users come to the tool: what a division by the wrong user or a column left out would change in silence."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import permlog
from permlog import spark as ps
from permlog.spark._lake import PermissionLake
from permlog.spark._users import NOBODY, is_somebody
from spark_tests.conftest import sums_lines

AS_OF = "2026-04-01"
ASKED = {"as_of": AS_OF, "log_start": "2026-01-01"}
TEXTS = "user_id string, timestamp string, event string"


@pytest.fixture(scope="module")
def question() -> ps.Question:
    return ps.report(as_of=AS_OF, log_start="2026-01-01")


def alike(lake: PermissionLake, question: ps.Question, shards: tuple[int, ...] = (3,)) -> permlog.Counts:
    """The counts of one shard, which are those of several."""
    one = lake.sums(question, shards=1)
    for number in shards:
        assert sums_lines(one.to_bytes()) == sums_lines(lake.sums(question, shards=number).to_bytes())
    return one.counts


def moment(minute: int) -> str:
    return f"2026-03-02T10:{minute:02d}:00Z"


# Tables of vendors


@pytest.mark.parametrize(
    "schema",
    [
        "user_id string, device_id string, event_time string, event_type string, uuid string",
        "userId string, anonymousId string, timestamp string, event string, messageId string, type string",
        "user_id string, user_pseudo_id string, event_timestamp string, event_name string",
        "user_id string, distinct_id string, timestamp string, event string, uuid string, properties string",
    ],
)
def test_a_vendors_table_without_a_mapping(spark: Any, schema: str, question: ps.Question) -> None:
    names = [each.split()[0] for each in schema.split(",")]
    frame = spark.createDataFrame([["x"] * len(names)], schema)
    if {"user_id", "timestamp", "event"} <= set(names):
        # permlog's own form comes first, and so it does on executors, which get fewer columns.
        assert "permlog_user" not in ps.PermissionLake(frame)._divided([]).sent
        return
    with pytest.raises(permlog.UsageError, match="read as a vendor's table, because it has the column .*mapping="):
        ps.PermissionLake(frame)


def test_the_form_of_a_table_is_the_drivers(spark: Any, question: ps.Question) -> None:
    """Names in other spellings are the tool's own on executors, and two of one field are refused."""
    frame = spark.createDataFrame(
        [(f"u{number % 5}", f"a{number % 3}", moment(number), "app_active") for number in range(30)],
        "`User ID` string, anonymousId string, timestamp string, Event string",
    )
    with pytest.raises(permlog.UsageError, match="has the column anonymousId"):
        ps.PermissionLake(frame.withColumn("type", F.lit("track")).withColumnRenamed("User ID", "userId"))
    counts = alike(ps.PermissionLake(frame.drop("anonymousId")), question)
    assert (counts.users, counts.events) == (5, 30)
    with pytest.raises(permlog.PermlogError, match="two columns for user_id"):
        ps.PermissionLake(frame.drop("anonymousId").withColumn("user-id", F.lit("x")))


def _amplitude(spark: Any) -> Any:
    """Users by device, or by account if the device is blank, nobody's or missing."""
    ids = [(blank, f"u{number}") for blank in ("", " ", None, "unknown", " 0 ", "null") for number in range(5)]
    ids += [(f" d{number}", f"u{number % 2}") for number in range(5)] + [
        (f"d{number}\u00a0", None) for number in range(5)
    ]
    rows = [
        (device, account, f"2026-03-02 10:{minute:02d}:00", "push_prompt_shown", f"e{minute}")
        for minute, (device, account) in enumerate(ids)
    ]
    return spark.createDataFrame(
        rows, "device_id string, user_id string, event_time string, event_type string, uuid string"
    )


@pytest.mark.parametrize("identity", ["device", "account"])
def test_amplitude(spark: Any, identity: str, question: ps.Question) -> None:
    frame = _amplitude(spark)
    counts = alike(ps.PermissionLake(frame, mapping="amplitude", identity=identity), question)
    assert (counts.users, counts.events) == (10, 40)
    lines = frame.select(F.to_json(F.struct("*")).alias("line"))
    texts = alike(ps.PermissionLake.lines(lines, "line", mapping="amplitude", identity=identity), question)
    assert (texts.users, texts.events) == (counts.users, counts.events)


def test_odd_ids_of_a_table(spark: Any, question: ps.Question) -> None:
    # The second and the third are nobody's: the account is the user. Spark makes the sign of kelvins a small k, and the tool does not.
    devices = ("d", " (NULL)", "\u00a0-0", "un\u212anown", "{3F2504E0-4F89-11D3-9A0C-0305E82C3301}", "[x]")
    frame = spark.createDataFrame(
        [
            (name, f"{name}{each}", moment(each), "push_prompt_shown", f"{name}{each}")
            for name in devices
            for each in range(12)
        ],
        "device_id string, user_id string, event_time string, event_type string, uuid string",
    )
    counts = alike(ps.PermissionLake(frame, mapping="amplitude"), question, (3, 7))
    assert (counts.users, counts.events, counts.rejected) == (4 + 2 * 12, 6 * 12, 0)


def test_ids_of_nobody(spark: Any) -> None:
    """In Spark as in the tool, to which python/tests/test_spark_words.py gives the same list."""
    nobody = [text for each in NOBODY for text in (each, f" {each.upper()}\u00a0", f"\t{each.title()}\ufeff")]
    somebody = [
        "nul",
        "00",
        "un\u212anown",
        "n\u0130l",
        "\u2003null",
        "[ ]",
        "(null",
        "00000000-0000-0000-0000-000000000001",
    ]
    frame = spark.createDataFrame([(text,) for text in [*nobody, *somebody]], "id string")
    found = [row["id"] for row in frame.where(is_somebody(F.col("id"))).collect()]
    assert found == somebody


def test_ga4(spark: Any, question: ps.Question) -> None:
    rows = [
        (pseudo, account, 1772445600000000 + number, "screen_view")
        for number, (pseudo, account) in enumerate(
            [("1.2", "a"), ("1.2", None), (None, "a"), ("", "b"), ("(not set)", "b")]
        )
    ]
    frame = spark.createDataFrame(
        rows, "user_pseudo_id string, user_id string, event_timestamp bigint, event_name string"
    )
    counts = alike(ps.PermissionLake(frame, mapping="ga4"), question)
    assert (counts.users, counts.events) == (3, 5)
    lines = frame.select(F.to_json(F.struct("*")).alias("line"))
    assert alike(ps.PermissionLake.lines(lines, "line", mapping="ga4"), question).users == 3


def test_places_of_presets_are_the_tools() -> None:
    from permlog._process import run
    from permlog.spark._users import PLACES

    for preset, (device, account) in PLACES.items():
        shown = run(["mapping", "show", preset]).decode()
        for key, places in (("user", device), ("account", account)):
            assert f"\n  {key}: [{', '.join(f'/{place}' for place in places)}]\n" in shown


def test_spellings_of_ids_in_lines(spark: Any, question: ps.Question) -> None:
    """Ids that are numbers, objects and blank: whose they are is the tool's to say, and all lines of one user go to one shard."""
    ids = [
        "1",
        '"1"',
        "12345678901234567890",
        '"12345678901234567890"',
        "1.5",
        '"1.5"',
        "15e1",
        '"15e1"',
        "true",
        '"true"',
    ]
    record = '{"device_id":%s,"user_id":"a%d","event_type":"push_prompt_shown","event_time":"2026-03-02 10:%02d:00","uuid":"%d"}'
    lines = [(record % (text, number, number, number),) for number, text in enumerate(ids)]
    frame = spark.createDataFrame(lines, "line string")
    assert alike(ps.PermissionLake.lines(frame, "line", mapping="amplitude"), question).users == 5
    objects = spark.createDataFrame([(record % ('{"x":1}', 1, 1, 1),)], "line string")
    with pytest.raises(permlog.DataError, match="user has no id for 1 rows, but the tool reads 1 events from them"):
        ps.PermissionLake.lines(objects, "line", mapping="amplitude").sums(question, shards=2)


def test_rows_that_user_has_no_id_for(spark: Any, tmp_path: Path, question: ps.Question) -> None:
    frame = _amplitude(spark)
    # coalesce takes blanks, and ids of nobody.
    for user in (F.coalesce("device_id", "user_id"), F.lit(None), "device_id"):
        lake = ps.PermissionLake(frame, mapping="amplitude", user=user)
        with pytest.raises(
            permlog.DataError, match=r"user has no id for [0-9]+ rows, but the tool reads [0-9]+ events"
        ):
            lake.sums(question, shards=3)
    # Rows that the tool rejects anyway are counted with their reason.
    nobody = spark.createDataFrame([("", "", moment(1), "push_prompt_shown", "e")], frame.schema)
    counts = alike(ps.PermissionLake(frame.union(nobody), mapping="amplitude"), question)
    assert (counts.users, counts.events, counts.rejected) == (10, 40, 1)
    for mapping in ("mixpanel", "segment"):
        with pytest.raises(permlog.UsageError, match=f"user is needed with {mapping}"):
            ps.PermissionLake.lines(nobody.select(F.col("uuid").alias("line")), "line", mapping=mapping)


def test_lines_that_spark_reads_in_another_way(spark: Any, question: ps.Question) -> None:
    good = '{"user_id":"a","timestamp":"2026-03-02T10:%02d:00Z","event":"app_active"%s}'
    frame = spark.createDataFrame([(good % (1, ""),), (good % (2, ',"x":' + "9" * 1500),)], "line string")
    with pytest.raises(permlog.DataError, match="user has no id for 1 rows, but the tool reads 1 events"):
        ps.PermissionLake.lines(frame, "line").sums(question, shards=7)


def test_line_ends_within_lines(spark: Any, question: ps.Question) -> None:
    texts = [
        '{"user_id":"a\nb","timestamp":"2026-03-02T10:01:00Z","event":"app_active"}',
        '{\r\n  "user_id": "a b",\r\n  "timestamp": "2026-03-02T10:02:00Z",\r\n  "event": "app_active"\r\n}\r\n',
        '{"user_id":"a","timestamp":"2026-03-02T10:01:00Z","event":"app_active"}\n{"user_id":"b"}',
    ]
    frame = spark.createDataFrame([(text,) for text in texts], "line string")
    counts = alike(ps.PermissionLake.lines(frame, "line"), question)
    assert (counts.users, counts.events, counts.rejected) == (1, 1, 2)


# Columns


def test_equal_copies_needs_ids(spark: Any, question: ps.Question) -> None:
    places = [
        (user, missing, place)
        for user, missing in (("u1", None), ("u2", ""), ("u3", " \u00a0"), ("u4", "x"))
        for place in ("home", "map")
    ]
    frame = spark.createDataFrame(
        [(user, missing, moment(1), "prompt_shown", "camera", place) for user, missing, place in places[:-1]],
        "user_id string, event_id string, timestamp string, event string, permission string, surface string",
    )
    assert alike(ps.PermissionLake(frame), question).events == 7
    with pytest.raises(permlog.DataError, match="equal_copies needs an event_id in every row, but some rows have none"):
        ps.PermissionLake(frame, equal_copies=True).sums(question, shards=1)
    # Rows that are rejected anyway need none.
    rejected = frame.where("user_id = 'u4'").union(frame.withColumn("timestamp", F.lit(None)))
    counts = ps.PermissionLake(rejected, equal_copies=True).sums(question, shards=1).counts
    assert (counts.events, counts.rejected) == (1, 7)


def test_equal_copies_change_no_counts(spark: Any, question: ps.Question) -> None:
    """The tool rejects rows for what is no text, and the question does not look at it. A column of numbers has no right row."""
    frame = spark.createDataFrame(
        [(f"u{each % 3}", f"e{each}", moment(each), "prompt_shown", "camera") for each in range(12)],
        "user_id string, event_id string, timestamp string, event string, permission string",
    )
    said = []
    for is_equal in (False, True):
        numbers = ps.PermissionLake(frame.withColumn("surface", F.lit(7)), equal_copies=is_equal)
        with pytest.raises(permlog.DataError, match="column surface has whole numbers where text is needed"):
            numbers.sums(question, shards=2)
        objects = frame.withColumn("surface", F.expr("named_struct('a', 1)"))
        counts = ps.PermissionLake(objects, equal_copies=is_equal).sums(question, shards=2).counts
        said.append((counts.users, counts.events, counts.rejected, counts.rejections))
    assert said[0] == said[1]
    assert said[0][1:3] == (0, 12)


def test_one_of_several_columns_of_a_field_is_left_out(spark: Any) -> None:
    frame = spark.createDataFrame(
        [(f"u{each}", moment(each), "prompt_shown", "camera", "DE", "x") for each in range(4)],
        "user_id string, timestamp string, event string, permission string, country string, `Country ` string",
    )
    asked = ps.report("country", **ASKED)
    lake = ps.PermissionLake(frame, {"Country ": None})
    assert list(lake.sums(asked, shards=2).report().totals["country"]) == ["DE"]
    assert list(ps.PermissionLake(frame, {"country": None}).sums(asked, shards=2).report().totals["country"]) == ["x"]
    # Under a name that the frame does not have, all of the field.
    assert "country" not in ps.PermissionLake(frame, {"COUNTRY": None})._divided([]).sent


def test_names_that_no_field_has(spark: Any) -> None:
    frame = spark.createDataFrame([("u", moment(1), "app_active")], TEXTS)
    for name, said in (
        ("contry", "did you mean country"),
        ("uid", "is not a field of an event"),
        ("variation", "is not a field of an event"),
    ):
        with pytest.raises(permlog.UsageError, match=f"columns: {name} .*{said}|columns: {name} {said}"):
            ps.PermissionLake(frame, {name: "event"})
    with pytest.raises(permlog.UsageError, match="two columns named user_id"):
        ps.PermissionLake(frame.select("*", F.lit("x").alias("user_id")))


def test_types_are_refused_before_the_shuffle(
    spark: Any, question: ps.Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.createDataFrame([("u", moment(1), "app_active")], TEXTS)
    monkeypatch.setattr("permlog.spark._run._collected", lambda *_: pytest.fail("a job began"))
    for column in (F.lit(1).cast("decimal(10,2)"), F.expr("interval 1 day")):
        with pytest.raises(permlog.DataError, match="^the table: the column country is of the type"):
            ps.PermissionLake(frame.withColumn("country", column)).sums(question, shards=2)
    for text, kind in (("interval 1 month", "interval month"), ("make_interval(1, 2)", "interval")):
        odd = frame.withColumn("a.b`c", F.expr(text))
        with pytest.raises(
            permlog.UsageError,
            match=f"^The column country is of the type {kind}, .* Cast it to string, or leave it out",
        ):
            ps.PermissionLake(odd, {"country": F.col("`a.b``c`")}).sums(question, shards=2)


@pytest.mark.parametrize(
    ("expression", "newest"),
    [
        ("timestamp'2026-03-02 10:00:00'", "2026-03-02T15:00:00+00:00"),  # The session's zone is New York.
        ("timestamp_ntz'2026-03-02 10:00:00'", "2026-03-02T09:00:00+00:00"),
        ("date'2026-03-02'", None),
    ],
)
def test_types_of_times(spark: Any, expression: str, newest: str | None, question: ps.Question) -> None:
    frame = spark.sql(f"select 'u' user_id, {expression} timestamp, 'app_active' event")
    counts = ps.PermissionLake(frame, input_time_zone="Europe/Berlin").sums(question, shards=1).counts
    assert counts.newest == (None if newest is None else datetime.datetime.fromisoformat(newest))
    assert (counts.events, counts.rejected) == ((0, 1) if newest is None else (1, 0))


# Properties of an event, by what they show.
NESTED = {
    "binary in a map": "map('copy', cast('B' as binary))",
    "binary in a struct": "named_struct('copy', cast('B' as binary))",
    "a double": "named_struct('copy', 1e12D)",
    "a fraction": "named_struct('copy', 1.5D)",
    "no number": "named_struct('copy', double('NaN'))",
    "a decimal": "named_struct('copy', 1.50BD)",
    "a null in a map": "map('copy', 'B', 'x', null)",
    "a time": "named_struct('copy', timestamp'2026-03-02 10:00:00')",
    "a day": "named_struct('copy', date'2026-03-02')",
    "a list": "named_struct('copy', 'B', 'x', array(1, 2))",
    "a long": "named_struct('copy', 12345678901234567)",
    "signs": "named_struct('copy', 'a\"\\\\b\\n')",
}


def test_nested_values_are_those_of_an_ingest(spark: Any, tmp_path: Path) -> None:
    """Each kind in a column of its own type, and a row of each."""
    places = [f"p{number}" for number in range(len(NESTED))]
    (tmp_path / "mine.yaml").write_text(
        "record:\n  recognise: [/who, /name, /at]\n  event: /name\n  user: /who\n  time: {from: /at}\n  id: /who\n"
        f"  properties: [{', '.join(f'/{place}' for place in places)}]\nfields:\n  variant: [copy]\nusual_spellings: false\n"
        "rules:\n  - event: Push Prompt Shown\n    kind: prompt_shown\n    permission: notifications\n"
    )
    rows = spark.range(len(NESTED)).selectExpr(
        *("concat('u', id) who", "'Push Prompt Shown' name", "'2026-03-02T10:00:00Z' at"),
        *(
            f"case when id = {number} then {value} end {place}"
            for number, (place, value) in enumerate(zip(places, NESTED.values(), strict=True))
        ),
    )
    # In a file everything may be null; of rows that are made here not, and Arrow refuses then to change their types.
    rows.write.parquet(str(tmp_path / "rows"))
    frame = spark.read.parquet(str(tmp_path / "rows"))
    log = permlog.Log(tmp_path / "log")
    log.ingest(frame.toArrow(), mapping=tmp_path / "mine.yaml")
    sums = ps.PermissionLake(frame, mapping=tmp_path / "mine.yaml", user="who").sums(
        ps.report("variant", **ASKED), shards=2
    )
    assert sums.counts.users == len(NESTED)
    assert sums.report().to_json() == log.report("variant", **ASKED).to_json()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("parse_json(text)", '{"variant": "B"}'),
        ("map('variant', parse_json(text))", '"B"'),
        ("named_struct('variant', 'B', 'x', array(parse_json(text)))", '{"variant": "C"}'),
    ],
)
def test_variants(spark: Any, tmp_path: Path, value: str, text: str) -> None:
    frame = spark.createDataFrame(
        [("u1", "d1", "2026-03-02 10:00:00", "push_prompt_shown", "e", text)],
        "user_id string, device_id string, event_time string, event_type string, uuid string, text string",
    ).select("*", F.expr(value).alias("event_properties"))
    sums = ps.PermissionLake(frame, mapping="amplitude").sums(ps.report("variant", **ASKED), shards=2)
    assert list(sums.report().totals["variant"]) == ["B"]
    # The same in lines.
    record = {name: cell for name, cell in frame.first().asDict().items() if isinstance(cell, str)}
    record["event_properties"] = {"variant": "B"}
    (tmp_path / "lines").write_text(json.dumps(record) + "\n")
    log = permlog.Log(tmp_path / "log")
    log.ingest(tmp_path / "lines", format="amplitude")
    assert sums.report().to_json() == log.report("variant", **ASKED).to_json()


def test_an_older_spark_is_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyspark

    frame = spark.createDataFrame([("u", moment(1), "app_active")], TEXTS)
    monkeypatch.setattr(pyspark, "__version__", "3.5.1")
    with pytest.raises(permlog.UsageError, match=r"Spark 4\.0 or later is needed, and PySpark is 3\.5\.1"):
        ps.PermissionLake(frame)


def test_rows_that_link_ids_are_refused_by_name_and_passed_over_if_asked(spark: Any, question: ps.Question) -> None:
    def line(number: int, name: str, user: str, more: str = "") -> str:
        return (
            f'{{"uuid":"019ab6f2-{number:04d}-7d1e-9a02-000000000000","event":"{name}","distinct_id":"{user}",'
            f'"properties":{{"$lib":"posthog-ios"{more}}},"timestamp":"2026-03-02T10:00:0{number}.000Z"}}'
        )

    lines = [
        line(1, "notification_primer_shown", "anonymous-phone"),
        line(2, "push_permission_granted", "account-1"),
        line(3, "$identify", "account-1", ',"$anon_distinct_id":"anonymous-phone"'),
    ]
    frame = spark.createDataFrame([(each,) for each in lines], "line string")
    user = F.get_json_object("line", "$.distinct_id")
    with pytest.raises(permlog.DataError, match="two ids are one user.*no_join"):
        ps.PermissionLake.lines(frame, "line", user, mapping="posthog").sums(question, shards=2)
    lake = ps.PermissionLake.lines(frame, "line", user, mapping="posthog", no_join=True)
    assert alike(lake, question).users == 2


def test_shards_follow_the_rows(spark: Any, question: ps.Question, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a number there is a shard for so many rows, and one for each core if it has enough to do."""
    frame = spark.createDataFrame([(f"u{each}", moment(each), "app_active") for each in range(40)], TEXTS)
    cores = spark.sparkContext.defaultParallelism
    assert ps.PermissionLake(frame).sums(question).counts.shards == 1
    monkeypatch.setattr("permlog.spark._run._LEAST_ROWS", 1)
    assert ps.PermissionLake(frame).sums(question).counts.shards == cores
    monkeypatch.setattr("permlog.spark._run._ROWS", 7)
    assert ps.PermissionLake(frame).sums(question).counts.shards == 6
    assert ps.PermissionLake(frame.limit(0)).sums(question).counts.shards == 1


def test_rejected_rows_have_examples(spark: Any, question: ps.Question) -> None:
    rows = [(f"u{each}", moment(each), "app_active") for each in range(20)]
    rows += [("u1", "yesterday", "app_active")] * 2 + [("u2", moment(2), "no_such_kind")]
    frame = spark.createDataFrame(rows, TEXTS)
    for merge_above in (200, 2):
        with pytest.warns(permlog.PermlogWarning, match=r"3 of 23 rows were rejected") as caught:
            ps.PermissionLake(frame).sums(question, shards=6, merge_above=merge_above)
        said = str(caught[0].message)
        assert 'for example: timestamp "yesterday" is neither' in said, said
        assert 'for example: event "no_such_kind" is not' in said, said
