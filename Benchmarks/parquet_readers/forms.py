"""What is asked of a reader of Parquet, and the words that all readers share."""

# The counts of the file as it is; of each event once; of each event once, after a table of these by user is on the disk.
COPIES, ONCE, STORED = "copies", "once", "stored"
FORMS = {COPIES: "counted with its copies", ONCE: "copies removed", STORED: "stored, each event once, by user; then counted"}

# The events that decide how a journey ends, in the order in which events of one millisecond count.
DECIDING = ("explanation_shown", "prompt_shown", "granted", "denied", "skipped", "re_enabled")
