// Rates that others published, with what each is a share of: references.json, in UTF-8.

#pragma once
#include <stddef.h>

const unsigned char *crf_references(void);
size_t crf_length(void);
