// Values by their place in a JSON object: see CSimdJSONExtractor.h. simdjson's on-demand parser goes through the line once;
// at each object a small hash table says which members lead to something wanted, all others are only validated.

#include "JSONTokens.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace csj;

namespace {

constexpr size_t no_slot = SIZE_MAX;
// Texts inside of texts that one line may hold.
constexpr size_t maximum_texts = 16;

struct Node {
  struct Edge {
    std::string key;
    int32_t node;
  };
  std::vector<Edge> edges;
  // Indices of edges plus one, by hash; a power of two, at least half of it empty.
  std::vector<uint16_t> table;
  size_t slot = no_slot;
  // The line in which the node was last met.
  uint64_t line = 0;

  // The first and last eight bytes of a key and its length, mixed.
  static uint64_t hash(std::string_view key) {
    uint64_t first = 0, last = 0;
    const size_t n = key.size();
    if (n >= 8) {
      std::memcpy(&first, key.data(), 8);
      std::memcpy(&last, key.data() + n - 8, 8);
    } else {
      for (size_t i = 0; i < n; i++) first = first << 8 | uint8_t(key[i]);
    }
    uint64_t h = (first ^ (last << 23 | last >> 41)) + n * 0xD6E8FEB86659FD93u;
    h *= 0x9E3779B97F4A7C15u;
    return h >> 32;
  }

  int32_t find(std::string_view key) const {
    if (table.empty()) return -1;
    const size_t mask = table.size() - 1;
    for (size_t i = hash(key) & mask; table[i] != 0; i = (i + 1) & mask) {
      const Edge &edge = edges[table[i] - 1];
      if (edge.key == key) return edge.node;
    }
    return -1;
  }

  void add(std::string_view key, int32_t node) {
    edges.push_back(Edge{std::string(key), node});
    size_t size = 8;
    while (size < 2 * edges.size() + 2) size *= 2;
    table.assign(size, 0);
    for (size_t e = 0; e < edges.size(); e++) {
      size_t i = hash(edges[e].key) & (size - 1);
      while (table[i] != 0) i = (i + 1) & (size - 1);
      table[i] = uint16_t(e + 1);
    }
  }
};

// Names of members that only say a value's type: BigQuery's rows of analytics parameters, Avro's unions in JSON.
bool is_type_name(std::string_view key) {
  static constexpr std::string_view names[] = {"string_value", "int_value", "float_value", "double_value", "string",
                                               "int", "long", "float", "double", "boolean", "bytes"};
  for (auto name : names) {
    if (name == key) return true;
  }
  return false;
}

// The name in `iglu:vendor/name/format/version`; the whole text if it is not of that form.
std::string_view schema_name(std::string_view schema) {
  const size_t first = schema.find('/');
  if (first == std::string_view::npos) return schema;
  const size_t second = schema.find('/', first + 1);
  return schema.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
}

}  // namespace

struct csj_extractor {
  std::vector<Node> nodes{1};
  std::vector<csj_value> values;
  // One for the line and one for each text inside of it: their unescaped strings must live as long as the line's.
  std::vector<std::unique_ptr<ondemand::parser>> parsers;
  size_t used = 0;
  size_t capacity = 0;
  uint64_t line = 0;
  // Elements of arrays that are being read: what appears in several of them does not appear twice in one object.
  int elements = 0;

  int read(std::string_view text, int32_t node, int depth, csj_result &result);
  int object(ondemand::object &object, int32_t node, int depth, csj_result &result);
  int value(ondemand::value value, int32_t node, int depth, csj_result &result);
  int array(ondemand::array &array, int32_t node, int depth, csj_result &result);
  int element(ondemand::object &object, int32_t node, int depth, csj_result &result);
  int wrapped(ondemand::object &object, int32_t node, int depth);

  void keep(int32_t node, const csj_value &value) {
    const size_t slot = nodes[size_t(node)].slot;
    if (slot == no_slot || value.type == CSJ_NULL || values[slot].type != CSJ_ABSENT) return;
    values[slot] = value;
  }
};

int csj_extractor::read(std::string_view text, int32_t node, int depth, csj_result &result) {
  if (used == maximum_texts || text.size() > capacity) return CSJ_TOO_DEEP;
  if (used == parsers.size()) parsers.push_back(std::make_unique<ondemand::parser>());
  ondemand::parser &parser = *parsers[used++];
  ondemand::document document;
  if (auto error = parser.iterate(text.data(), text.size(), text.size() + SIMDJSON_PADDING).get(document)) {
    return status_of(error);
  }
  ondemand::object root;
  if (auto error = document.get_object().get(root)) {
    return error == INCORRECT_TYPE ? CSJ_NOT_OBJECT : status_of(error);
  }
  if (int status = object(root, node, depth, result)) return status;
  // There is a current location only if something follows the object.
  const char *place;
  return document.current_location().get(place) == OUT_OF_BOUNDS ? CSJ_OK : CSJ_INVALID;
}

int csj_extractor::object(ondemand::object &object, int32_t node, int depth, csj_result &result) {
  if (depth > maximum_depth) return CSJ_TOO_DEEP;
  for (auto item : object) {
    ondemand::field field;
    if (auto error = std::move(item).get(field)) return status_of(error);
    std::string_view key;
    if (auto error = field.unescaped_key().get(key)) return status_of(error);
    const int32_t child = nodes[size_t(node)].find(key);
    if (child < 0) {
      csj_value inner{nullptr, 0, CSJ_ABSENT};
      if (int status = walk(field.value(), depth + 1, inner)) return status;
      // Avro's union around a text that holds the members.
      if (inner.type == CSJ_STRING && key == "string" && inner.count > 0 && inner.bytes[0] == '{') {
        if (int status = read({reinterpret_cast<const char *>(inner.bytes), inner.count}, node, depth + 1, result)) {
          return status;
        }
      } else {
        result.unknown++;
      }
      continue;
    }
    Node &met = nodes[size_t(child)];
    if (met.line == line && elements == 0 && met.slot != no_slot) {
      result.duplicate = met.slot;
      return CSJ_DUPLICATE;
    }
    met.line = line;
    if (int status = value(field.value(), child, depth + 1, result)) return status;
  }
  return CSJ_OK;
}

int csj_extractor::value(ondemand::value value, int32_t node, int depth, csj_result &result) {
  if (depth > maximum_depth) return CSJ_TOO_DEEP;
  const std::string_view token = value.raw_json_token();
  if (token.empty()) return CSJ_INVALID;
  const bool is_branch = !nodes[size_t(node)].edges.empty();
  csj_value found{nullptr, 0, CSJ_ABSENT};
  if (token[0] == '{') {
    ondemand::object inner;
    if (auto error = value.get_object().get(inner)) return status_of(error);
    if (!is_branch) return wrapped(inner, node, depth);
    found.type = CSJ_OBJECT;
    keep(node, found);
    return object(inner, node, depth, result);
  }
  if (token[0] == '[' && is_branch) {
    ondemand::array inner;
    if (auto error = value.get_array().get(inner)) return status_of(error);
    found.type = CSJ_ARRAY;
    keep(node, found);
    return array(inner, node, depth, result);
  }
  if (int status = walk(value, depth, found)) return status;
  keep(node, found);
  if (is_branch && found.type == CSJ_STRING && found.count > 0 && found.bytes[0] == '{') {
    return read({reinterpret_cast<const char *>(found.bytes), found.count}, node, depth, result);
  }
  return CSJ_OK;
}

int csj_extractor::array(ondemand::array &array, int32_t node, int depth, csj_result &result) {
  for (auto item : array) {
    ondemand::value inner;
    if (auto error = std::move(item).get(inner)) return status_of(error);
    const std::string_view token = inner.raw_json_token();
    if (!token.empty() && token[0] == '{') {
      ondemand::object entity;
      if (auto error = inner.get_object().get(entity)) return status_of(error);
      if (int status = element(entity, node, depth + 1, result)) return status;
    } else {
      csj_value ignored;
      if (int status = walk(inner, depth + 1, ignored)) return status;
    }
  }
  return CSJ_OK;
}

// One `{"key","value"}` or `{"schema","data"}`. The name comes first in all exports; if it does not, the object is
// gone through once more. Nothing but the name is unescaped before that, because simdjson has room for each string once.
int csj_extractor::element(ondemand::object &object, int32_t node, int depth, csj_result &result) {
  if (depth > maximum_depth) return CSJ_TOO_DEEP;
  int32_t child = -1;
  bool is_named = false;
  bool skipped = false;
  for (int round = 0; round < 2; round++) {
    for (auto item : object) {
      ondemand::field field;
      if (auto error = std::move(item).get(field)) return status_of(error);
      const ondemand::raw_json_string key = field.key();
      const bool is_key = key.unsafe_is_equal("key");
      if (is_key || key.unsafe_is_equal("schema")) {
        if (is_named || round == 1) continue;
        ondemand::value inner = field.value();
        const std::string_view token = inner.raw_json_token();
        if (token.empty() || token[0] != '"') continue;
        std::string_view name;
        if (auto error = inner.get_string().get(name)) return status_of(error);
        child = nodes[size_t(node)].find(is_key ? name : schema_name(name));
        is_named = true;
      } else if (key.unsafe_is_equal("value") || key.unsafe_is_equal("data")) {
        if (!is_named) {
          skipped = true;
        } else if (child >= 0) {
          elements++;
          const int status = value(field.value(), child, depth + 1, result);
          elements--;
          if (status) return status;
          child = -1;
        } else if (round == 0 && !skipped) {
          csj_value ignored;
          if (int status = walk(field.value(), depth + 1, ignored)) return status;
          result.unknown++;
        }
      }
    }
    if (!skipped || child < 0) return CSJ_OK;
    if (object.reset().error()) return CSJ_INVALID;
  }
  return CSJ_OK;
}

// A scalar in an object that says its type.
int csj_extractor::wrapped(ondemand::object &object, int32_t node, int depth) {
  csj_value kept{nullptr, 0, CSJ_OBJECT};
  for (auto item : object) {
    ondemand::field field;
    if (auto error = std::move(item).get(field)) return status_of(error);
    std::string_view key;
    if (auto error = field.unescaped_key().get(key)) return status_of(error);
    csj_value inner{nullptr, 0, CSJ_ABSENT};
    if (int status = walk(field.value(), depth + 1, inner)) return status;
    if (!is_type_name(key)) continue;
    if (inner.type == CSJ_NULL) {
      if (kept.type == CSJ_OBJECT) kept.type = CSJ_NULL;
    } else if (kept.type == CSJ_OBJECT || kept.type == CSJ_NULL) {
      kept = inner;
    }
  }
  keep(node, kept);
  return CSJ_OK;
}

extern "C" csj_extractor *csj_extractor_new(size_t slots, size_t capacity) {
  try {
    auto extractor = std::make_unique<csj_extractor>();
    extractor->values.assign(slots, csj_value{nullptr, 0, CSJ_ABSENT});
    extractor->parsers.push_back(std::make_unique<ondemand::parser>());
    extractor->capacity = capacity;
    if (extractor->parsers[0]->allocate(capacity)) return nullptr;
    return extractor.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

extern "C" void csj_extractor_free(csj_extractor *extractor) { delete extractor; }

extern "C" int32_t csj_extractor_child(csj_extractor *self, int32_t parent, const uint8_t *key, size_t length) {
  if (parent < 0 || size_t(parent) >= self->nodes.size() || self->nodes.size() >= 60000) return -1;
  const std::string_view name(reinterpret_cast<const char *>(key), length);
  const int32_t known = self->nodes[size_t(parent)].find(name);
  if (known >= 0) return known;
  try {
    const auto made = int32_t(self->nodes.size());
    self->nodes.emplace_back();
    self->nodes[size_t(parent)].add(name, made);
    return made;
  } catch (const std::bad_alloc &) {
    return -1;
  }
}

extern "C" void csj_extractor_want(csj_extractor *self, int32_t node, size_t slot) {
  if (node < 0 || size_t(node) >= self->nodes.size() || slot >= self->values.size()) return;
  self->nodes[size_t(node)].slot = slot;
}

extern "C" void csj_extractor_begin(csj_extractor *self) {
  self->line++;
  self->used = 0;
  for (auto &value : self->values) value = csj_value{nullptr, 0, CSJ_ABSENT};
}

extern "C" csj_result csj_extractor_read(csj_extractor *self, int32_t node, const uint8_t *text, size_t length) {
  csj_result result{CSJ_OK, 0, 0};
  if (node < 0 || size_t(node) >= self->nodes.size()) {
    result.status = CSJ_INVALID;
    return result;
  }
  try {
    result.status = self->read({reinterpret_cast<const char *>(text), length}, node, 1, result);
  } catch (const std::bad_alloc &) {
    result.status = CSJ_OUT_OF_MEMORY;
  }
  return result;
}

extern "C" const csj_value *csj_extractor_values(const csj_extractor *self) { return self->values.data(); }
