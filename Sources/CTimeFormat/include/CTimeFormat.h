// The C library's `strptime`, which its headers show to C alone that asks for it.

#ifndef CTIMEFORMAT_H
#define CTIMEFORMAT_H

#include <time.h>

/// Reads a date and a time by a format of `strptime` (POSIX.1-2017). Returns the end of the parsed text, or null.
const char *ctf_parse(const char *text, const char *format, struct tm *parts);

#endif
