"""The targets that need no peer, a file each: `TITLE`, and `measure(options)`, which returns the section as Markdown."""
