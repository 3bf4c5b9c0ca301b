"""The databases that permlog is timed beside: how each loads the file, and its own query for each question."""
