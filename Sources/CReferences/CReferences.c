// See CReferences.h.

#include "CReferences.h"

// An extension here, and part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char references[] = {
#embed "references.json"
};

const unsigned char *crf_references(void) { return references; }

size_t crf_length(void) { return sizeof references; }
