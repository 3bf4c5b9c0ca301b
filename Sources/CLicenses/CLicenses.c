// See CLicenses.h. The compiler puts the files in; a file that is missing is an error.

#include "CLicenses.h"

// An extension here, and part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

/// Between two texts.
#define RULE '\n', '-', '-', '-', '-', '-', '-', '-', '-', '\n', '\n',

static const unsigned char licenses[] = {
#embed "../../NOTICE" suffix(,)
    RULE
#embed "../../LICENSE" suffix(,)
    RULE
#embed "../../Licenses/swift.txt" suffix(,)
    RULE
#embed "../../Licenses/zstd.txt" suffix(,)
    RULE
#embed "../../Licenses/xxhash.txt" suffix(,)
    RULE
#embed "../../Licenses/zlib.txt" suffix(,)
    RULE
#embed "../../Licenses/brotli.txt" suffix(,)
    RULE
#embed "../../Licenses/snappy.txt" suffix(,)
    RULE
#embed "../../Licenses/libyaml.txt" suffix(,)
    RULE
#embed "../../Licenses/utf8proc.txt" suffix(,)
    RULE
#embed "../../Licenses/libsodium.txt" suffix(,)
    RULE
#embed "../../Licenses/simdjson.txt" suffix(,)
    RULE
#embed "../../Licenses/libarchive.txt" suffix(,)
    RULE
#embed "../../Licenses/isa-l.txt" suffix(,)
    RULE
#embed "../../Licenses/bzip2.txt" suffix(,)
    RULE
#embed "../../Licenses/xz.txt" suffix(,)
    RULE
#embed "../../Licenses/libstdcxx.txt"
};

const unsigned char *cl_licenses(void) { return licenses; }

size_t cl_licenses_length(void) { return sizeof licenses; }
