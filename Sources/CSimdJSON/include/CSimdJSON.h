// One JSON object a call, by simdjson's on-demand parser, with a plain C interface. The caller names the members that
// it wants; all others are checked and counted. Every byte of the line is validated, those of unwanted members too.

#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The type of a member's value.
enum csj_type {
  CSJ_ABSENT = 0,
  CSJ_STRING = 1,   // `bytes` is the text, unescaped
  CSJ_NUMBER = 2,   // `bytes` is the number as it is spelled
  CSJ_BOOLEAN = 3,  // `bytes` is `true` or `false`
  CSJ_NULL = 4,
  CSJ_OBJECT = 5,
  CSJ_ARRAY = 6
};

/// How a call ended.
enum csj_status {
  CSJ_OK = 0,
  CSJ_NOT_OBJECT,
  CSJ_INVALID,
  CSJ_INVALID_UTF8,
  CSJ_UNCLOSED_STRING,
  CSJ_CONTROL_CHARACTER,
  CSJ_BAD_ESCAPE,
  CSJ_BAD_NUMBER,
  CSJ_TOO_DEEP,
  CSJ_DUPLICATE,     // `duplicate` is the index of the name that appears twice
  CSJ_OUT_OF_MEMORY
};

typedef struct csj_value {
  const uint8_t *bytes;  // valid until the next call; 64 bytes after the end are readable
  size_t count;
  int type;
} csj_value;

typedef struct csj_result {
  int status;
  size_t unknown;    // members whose name is not among the wanted
  size_t duplicate;
} csj_result;

typedef struct csj_parser csj_parser;

/// A parser for objects of at most `capacity` bytes; null if memory runs out. For one thread at a time.
/// `names` are the wanted members, at most 64; they are copied.
csj_parser *csj_parser_new(const char *const *names, size_t count, size_t capacity);
void csj_parser_free(csj_parser *parser);

/// Parses one object; 64 bytes after its line are readable. `values` has a slot for each wanted name and is overwritten.
csj_result csj_parse(csj_parser *parser, const uint8_t *line, size_t length, csj_value *values);

#ifdef __cplusplus
}
#endif

#include "CSimdJSONExtractor.h"

#endif
