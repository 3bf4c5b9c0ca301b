"""The databases that permlog is compared with: how each loads the file, and its own query for each question."""
