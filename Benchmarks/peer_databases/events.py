"""The columns of canonical events, and the queries."""

from pathlib import Path

COLUMNS = (
    "event_id user_id timestamp event permission status variant surface feature app_version os_version locale country"
).split()

QUERIES = Path(__file__).with_name("queries")

# What each query is for, in the order of the result's table.
QUESTIONS = {
    "third": "report / a third of its figures",
    "weekly": "report / five weekly counts",
    "compare": "compare / its counts",
}


def query(database, question, table):
    """The SQL of a question, over a table."""
    text = "\n".join((QUERIES / database / f"{name}.sql").read_text() for name in ("journeys", question))
    permissions = "permission = 'notifications'" if question == "compare" else "TRUE"
    return text.replace("{permissions}", permissions).replace(" events", f" {table}")
