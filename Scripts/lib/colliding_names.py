"""Ids and keys from outside that were made to share one slot of a hash table, and as many that were not: as inputs of the tool. Used by
Scripts/check-proportions, which counts the work for both.

A table is a function that gets a folder, a function that runs the tool, and ids; it returns the command to count.
"""

import json
import random
import uuid

from .hostile_names import EVENT, ingest, write

COUNT = 20_000
TABLES = {}
WORD = 2**64 - 1


def table(name):
    def enter(function):
        TABLES[name] = function
        return function
    return enter


def mix(value):
    """The mixer of a user's hash, which is part of the log's format."""
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & WORD
    value = (value ^ value >> 27) * 0x94D049BB133111EB & WORD
    return value ^ value >> 31


def unmix(value):
    value = (value ^ value >> 31 ^ value >> 62) * 0x319642B2D24D8EC3 & WORD
    value = (value ^ value >> 27 ^ value >> 54) * 0x96DE1B173F119089 & WORD
    return value ^ value >> 30 ^ value >> 60


def text(high, low):
    return str(uuid.UUID(int=high << 64 | low))


# Ids that share a slot, or did before the tables had keys.
FAMILIES = {
    "one slot of ids": lambda number: text(0x0123456789ABCDEF ^ number * 0x9E3779B97F4A7C15 & WORD, number),
    "one hash of users": lambda number: text(unmix(99) ^ mix(number), number),
    "one beginning and one end": lambda number: text(7, number << 32 | 7),
}


def drawn():
    numbers = random.Random(49)
    return [text(numbers.getrandbits(64), numbers.getrandbits(64)) for _ in range(COUNT)]


def made_up(family):
    return [FAMILIES[family](number) for number in range(COUNT)]


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


@table("event ids of one user")
def events(folder, run, names):
    return ingest(write(folder, "x.ndjson", lines(EVENT | {"event_id": name} for name in names)))


@table("event ids of one user, stored before")
def stored(folder, run, names):
    command = events(folder, run, names)
    run(command)
    return command


@table("users")
def users(folder, run, names):
    return ingest(write(folder, "x.ndjson", lines(EVENT | {"user_id": name, "event_id": name} for name in names)))


@table("users to erase")
def erased(folder, run, names):
    # An id to erase takes a hundred times what an event takes: it is sought in other spellings, too.
    names = names[:10_000]
    run(users(folder, run, names))
    return ["erase", "--log", folder / "new", "--users-from", write(folder, "ids", "\n".join(names[::2]) + "\n")]


@table("linked ids")
def linked(folder, run, names):
    return ingest(write(folder, "x.ndjson", lines(
        {"uuid": str(uuid.UUID(int=number)), "event": "$create_alias", "distinct_id": first, "timestamp": "2026-03-02T10:00:00Z",
         "properties": {"alias": second}} for number, (first, second) in enumerate(zip(names[::2], names[1::2])))))


@table("keys of JSON")
def keys(folder, run, names):
    return ingest(write(folder, "x.ndjson", lines(
        EVENT | {"event_id": str(number)} | dict.fromkeys(names[:4000], 1) for number in range(3))))
