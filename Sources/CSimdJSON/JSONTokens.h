// The common parts of both parsers: the translation of simdjson's errors, tokens, and the walk that validates an unwanted value.

#ifndef JSONTOKENS_H
#define JSONTOKENS_H

#include "CSimdJSON.h"

#include <simdjson.h>

#include <string_view>
#include <utility>

namespace csj {

using namespace simdjson;

// Deeper values are refused: the walk recurses, and a thread's stack is finite.
inline constexpr int maximum_depth = 256;

inline int status_of(error_code error) {
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

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// RFC 8259, section 6.
inline bool is_number(std::string_view text) {
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

// A token reaches to the next one, including whitespace.
inline std::string_view trimmed(std::string_view token) {
  while (!token.empty()) {
    const char last = token.back();
    if (last != ' ' && last != '\t' && last != '\r' && last != '\n') break;
    token.remove_suffix(1);
  }
  return token;
}

inline int scalar(std::string_view token, csj_value &out) {
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
inline int walk(ondemand::value value, int depth, csj_value &out) {
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

}  // namespace csj

#endif
