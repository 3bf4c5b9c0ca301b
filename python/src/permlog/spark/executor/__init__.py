"""What runs on executors.

These modules are sent to the executors unchanged, with the functions that use them. So they import nothing else of
permlog, and executors need only Python, pyarrow and the tool.
"""
