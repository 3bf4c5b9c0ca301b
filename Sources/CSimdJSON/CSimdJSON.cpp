// The C border around simdjson: see CSimdJSON.h. On-demand parsing keeps the digits of numbers as they are; what it
// would skip unread is walked here, so that a line is either valid JSON as a whole or refused.

#include "CSimdJSON.h"

#include <simdjson.h>

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace simdjson;

namespace {

// Deeper values are refused: the walk recurses, and a thread's stack is finite.
constexpr int maximum_depth = 256;

int status_of(error_code error) {
  switch (error) {
    case SUCCESS: return CSJ_OK;
    case UTF8_ERROR: return CSJ_INVALID_UTF8;
    case UNCLOSED_STRING: return CSJ_UNCLOSED_STRING;
    case UNESCAPED_CHARS: return CSJ_CONTROL_CHARACTER;
    case STRING_ERROR: return CSJ_BAD_ESCAPE;
    case NUMBER_ERROR: return CSJ_BAD_NUMBER;
    case DEPTH_ERROR: return CSJ_TOO_DEEP;
    case MEMALLOC: return CSJ_OUT_OF_MEMORY;
    default: return CSJ_INVALID;
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// RFC 8259, section 6.
bool is_number(std::string_view text) {
  size_t i = 0;
  const size_t n = text.size();
  if (i < n && text[i] == '-') i++;
  if (i == n || !is_digit(text[i])) return false;
  if (text[i] == '0') {
    i++;
  } else {
    while (i < n && is_digit(text[i])) i++;
  }
  if (i < n && text[i] == '.') {
    i++;
    if (i == n || !is_digit(text[i])) return false;
    while (i < n && is_digit(text[i])) i++;
  }
  if (i < n && (text[i] == 'e' || text[i] == 'E')) {
    i++;
    if (i < n && (text[i] == '+' || text[i] == '-')) i++;
    if (i == n || !is_digit(text[i])) return false;
    while (i < n && is_digit(text[i])) i++;
  }
  return i == n;
}

// A token reaches to the next one, blanks included.
std::string_view trimmed(std::string_view token) {
  while (!token.empty()) {
    const char last = token.back();
    if (last != ' ' && last != '\t' && last != '\r' && last != '\n') break;
    token.remove_suffix(1);
  }
  return token;
}

int scalar(std::string_view token, csj_value &out) {
  token = trimmed(token);
  out.bytes = reinterpret_cast<const uint8_t *>(token.data());
  out.count = token.size();
  if (token == "null") {
    out.type = CSJ_NULL;
  } else if (token == "true" || token == "false") {
    out.type = CSJ_BOOLEAN;
  } else if (is_number(token)) {
    out.type = CSJ_NUMBER;
  } else {
    const bool numeric = !token.empty() && (token[0] == '-' || is_digit(token[0]));
    return numeric ? CSJ_BAD_NUMBER : CSJ_INVALID;
  }
  return CSJ_OK;
}

// Reads a value to its end; the contents of objects and arrays are only checked.
int walk(ondemand::value value, int depth, csj_value &out) {
  if (depth > maximum_depth) return CSJ_TOO_DEEP;
  const std::string_view token = value.raw_json_token();
  if (token.empty()) return CSJ_INVALID;
  csj_value inner;
  switch (token[0]) {
    case '"': {
      std::string_view text;
      if (auto error = value.get_string().get(text)) return status_of(error);
      out.bytes = reinterpret_cast<const uint8_t *>(text.data());
      out.count = text.size();
      out.type = CSJ_STRING;
      return CSJ_OK;
    }
    case '{': {
      ondemand::object object;
      if (auto error = value.get_object().get(object)) return status_of(error);
      for (auto item : object) {
        ondemand::field field;
        if (auto error = std::move(item).get(field)) return status_of(error);
        std::string_view key;
        if (auto error = field.unescaped_key().get(key)) return status_of(error);
        if (int status = walk(field.value(), depth + 1, inner)) return status;
      }
      out.type = CSJ_OBJECT;
      return CSJ_OK;
    }
    case '[': {
      ondemand::array array;
      if (auto error = value.get_array().get(array)) return status_of(error);
      for (auto item : array) {
        ondemand::value element;
        if (auto error = std::move(item).get(element)) return status_of(error);
        if (int status = walk(element, depth + 1, inner)) return status;
      }
      out.type = CSJ_ARRAY;
      return CSJ_OK;
    }
    default:
      return scalar(token, out);
  }
}

}  // namespace

struct csj_parser {
  ondemand::parser parser;
  std::vector<std::string> names;
};

extern "C" size_t csj_padding(void) { return SIMDJSON_PADDING; }

extern "C" csj_parser *csj_parser_new(const char *const *names, size_t count, size_t capacity) {
  if (count > 64) return nullptr;
  try {
    auto parser = std::make_unique<csj_parser>();
    for (size_t i = 0; i < count; i++) parser->names.emplace_back(names[i]);
    if (parser->parser.allocate(capacity)) return nullptr;
    return parser.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

extern "C" void csj_parser_free(csj_parser *parser) { delete parser; }

static int parse(csj_parser *self, const uint8_t *line, size_t length, csj_value *values, csj_result &result) {
  ondemand::document document;
  if (auto error = self->parser.iterate(reinterpret_cast<const char *>(line), length, length + SIMDJSON_PADDING)
                       .get(document)) {
    return status_of(error);
  }
  ondemand::object object;
  if (auto error = document.get_object().get(object)) {
    return error == INCORRECT_TYPE ? CSJ_NOT_OBJECT : status_of(error);
  }
  uint64_t seen = 0;
  bool twice = false;
  for (auto item : object) {
    ondemand::field field;
    if (auto error = std::move(item).get(field)) return status_of(error);
    std::string_view key;
    if (auto error = field.unescaped_key().get(key)) return status_of(error);
    size_t index = 0;
    while (index < self->names.size() && self->names[index] != key) index++;
    csj_value value{nullptr, 0, CSJ_ABSENT};
    if (int status = walk(field.value(), 1, value)) return status;
    if (index == self->names.size()) {
      result.unknown++;
    } else if (seen >> index & 1) {
      if (!twice) result.duplicate = index;
      twice = true;
    } else {
      seen |= uint64_t(1) << index;
      values[index] = value;
    }
  }
  // There is a place to stand only where something follows the object.
  const char *place;
  if (document.current_location().get(place) != OUT_OF_BOUNDS) return CSJ_INVALID;
  return twice ? CSJ_DUPLICATE : CSJ_OK;
}

extern "C" csj_result csj_parse(csj_parser *self, const uint8_t *line, size_t length, csj_value *values) {
  csj_result result{CSJ_OK, 0, 0};
  for (size_t i = 0; i < self->names.size(); i++) values[i] = csj_value{nullptr, 0, CSJ_ABSENT};
  try {
    result.status = parse(self, line, length, values, result);
  } catch (const std::bad_alloc &) {
    result.status = CSJ_OUT_OF_MEMORY;
  }
  return result;
}
