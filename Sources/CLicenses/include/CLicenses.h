// NOTICE and the licences of all that is linked into the tool, as the repository's files have them.

#pragma once
#include <stddef.h>

/// The texts, one after the other, in UTF-8.
const unsigned char *cl_licenses(void);
/// How many bytes they have.
size_t cl_licenses_length(void);
