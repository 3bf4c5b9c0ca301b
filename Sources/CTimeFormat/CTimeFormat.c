// See CTimeFormat.h.

#define _GNU_SOURCE
#include "CTimeFormat.h"

const char *ctf_parse(const char *text, const char *format, struct tm *parts) { return strptime(text, format, parts); }
