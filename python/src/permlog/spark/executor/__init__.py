"""What runs on executors.

These modules travel to the executors as they are, with the functions that use them. So they import nothing else of permlog, and
executors need only Python, pyarrow and the tool.
"""
