// The C border around simdjson: see CSimdJSON.h. On-demand parsing keeps the digits of numbers unchanged. Values that
// it would skip are walked here, so that a line is either completely valid JSON or refused.

#include "CSimdJSON.h"

#include "JSONTokens.h"

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace csj;

struct csj_parser {
  ondemand::parser parser;
  std::vector<std::string> names;
};

// What the caller promises after a line: `PaddedBytes.padding`.
static_assert(SIMDJSON_PADDING <= 64, "simdjson reads further than lines are padded");

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
  // There is a current location only if something follows the object.
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
