"""The classes of attacks, by name."""

from .attack_inputs import archives, documents, records, values, vendors
from .attack_places import arguments, clock, doors, logs, signals

CLASSES = {
    "records": records, "values": values, "archives": archives, "vendors": vendors, "documents": documents, "logs": logs, "doors": doors,
    "arguments": arguments, "signals": signals, "clock": clock}
