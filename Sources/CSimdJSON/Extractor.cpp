// Values by their path in a JSON object: see CSimdJSONExtractor.h. simdjson's on-demand parser goes through the line
// once; at each object a small hash table says which members lead to a wanted value. For other members a second table
// has the caller's decision from their first appearance; the rest is only validated.

#include "JSONTokens.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
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
// The number of members with a decision of the caller, and of members of one line without one.
constexpr size_t maximum_learned = 8192;
constexpr size_t maximum_news = 4096;
// Longer keys are names of nothing.
constexpr size_t longest_key = 256;

// A key of hashes that is drawn when the process starts: members that share a slot cannot be made up.
const struct HashKey {
  uint64_t first = 0x9E3779B97F4A7C15u, second = 0xD6E8FEB86659FD93u;
  HashKey() {
    // Without random numbers it is the same in each process.
    if (getentropy(this, sizeof *this) != 0) second |= 1;
  }
} hash_key;

// All bytes of a key, eight at a time, by the halves of a product as wyhash mixes them.
uint64_t hash_of(std::string_view key) {
  uint64_t h = hash_key.first ^ key.size();
  for (size_t i = 0; i < key.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, key.data() + i, std::min(key.size() - i, size_t(8)));
    const auto product = static_cast<unsigned __int128>(h ^ word) * hash_key.second;
    h = uint64_t(product) ^ uint64_t(product >> 64);
  }
  return h;
}

struct Node {
  struct Edge {
    std::string key;
    int32_t node;
  };
  std::vector<Edge> edges;
  // Indices of edges plus one, by hash; a power of two, at least half of it empty.
  std::vector<uint16_t> table;
  size_t slot = no_slot;
  // Members that no edge leads to are looked up among the learned.
  bool is_open = false;
  // The line in which the node was last met.
  uint64_t line = 0;

  int32_t find(std::string_view key) const {
    if (table.empty()) return -1;
    const size_t mask = table.size() - 1;
    for (size_t i = hash_of(key) & mask; table[i] != 0; i = (i + 1) & mask) {
      const Edge &edge = edges[table[i] - 1];
      if (edge.key == key) return edge.node;
    }
    return -1;
  }

  void add(std::string_view key, int32_t node) {
    edges.push_back(Edge{std::string(key), node});
    size_t size = 8;
    while (size < 2 * edges.size() + 2) size *= 2;
    const bool has_room = size == table.size();
    if (!has_room) table.assign(size, 0);
    for (size_t e = has_room ? edges.size() - 1 : 0; e < edges.size(); e++) {
      size_t i = hash_of(edges[e].key) & (size - 1);
      while (table[i] != 0) i = (i + 1) & (size - 1);
      table[i] = uint16_t(e + 1);
    }
  }
};

// A member without an edge for which the caller has decided.
struct Learned {
  uint64_t hash;
  int32_t node;
  int32_t target;
  std::string key;
};

struct News {
  int32_t node;
  bool is_object;
  std::string key;
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
  // Values that were kept of the line.
  size_t kept = 0;
  // Slots in which two different values make the slot unreadable.
  std::vector<bool> held;
  std::vector<Learned> learned;
  // Indices of learned members plus one, by hash.
  std::vector<uint16_t> learned_table;
  std::vector<News> news;
  // Members were left out of the news.
  bool has_more_news = false;

  int32_t seek(int32_t node, std::string_view key, bool is_object);
  int read(std::string_view text, int32_t node, int depth, csj_result &result);
  int object(ondemand::object &object, int32_t node, int depth, csj_result &result);
  int value(ondemand::value value, int32_t node, int depth, csj_result &result);
  int array(ondemand::array &array, int32_t node, int depth, csj_result &result);
  int element(ondemand::object &object, int32_t node, int depth, csj_result &result);
  int wrapped(ondemand::object &object, int32_t node, int depth, csj_result &result);
  int text(const csj_value &found, int32_t node, int depth, csj_result &result);

  bool is_branch(int32_t node) const { return !nodes[size_t(node)].edges.empty(); }

  void keep(int32_t node, const csj_value &value) {
    const size_t slot = nodes[size_t(node)].slot;
    if (slot == no_slot || value.type == CSJ_NULL) return;
    csj_value &there = values[slot];
    const bool is_empty = value.type == CSJ_STRING && value.count == 0;
    if (there.type == CSJ_ABSENT || (held[slot] && there.type == CSJ_STRING && there.count == 0)) {
      there = value;
      if (!is_empty) kept++;
    } else if (held[slot] && !is_empty) {
      const bool is_same = there.type != CSJ_OBJECT && there.count == value.count && value.count > 0 &&
                           std::memcmp(there.bytes, value.bytes, value.count) == 0;
      if (!is_same) there = csj_value{nullptr, 0, CSJ_OBJECT};
    }
  }
};

// The node that a member leads to, or -1 if it is not wanted. A member without a decision of the caller is news.
int32_t csj_extractor::seek(int32_t node, std::string_view key, bool is_object) {
  if (!nodes[size_t(node)].is_open || key.size() > longest_key) return -1;
  const uint64_t hash = hash_of(key) + uint64_t(node) * 0x9E3779B1u;
  if (!learned_table.empty()) {
    const size_t mask = learned_table.size() - 1;
    for (size_t i = hash & mask; learned_table[i] != 0; i = (i + 1) & mask) {
      const Learned &member = learned[learned_table[i] - 1];
      if (member.hash != hash || member.node != node || member.key != key) continue;
      if (member.target != CSJ_MEMBER_IF_OBJECT) return member.target;
      if (!is_object) return -1;
      break;
    }
  }
  if (news.size() < maximum_news) {
    news.push_back(News{node, is_object, std::string(key)});
  } else {
    has_more_news = true;
  }
  return -1;
}

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
  const bool is_object = node == 0 || is_branch(node);
  if (int status = is_object ? object(root, node, depth, result) : wrapped(root, node, depth, result)) return status;
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
      ondemand::value member = field.value();
      const std::string_view token = member.raw_json_token();
      const int32_t other = seek(node, key, !token.empty() && token[0] == '{');
      if (other >= 0) {
        if (nodes[size_t(other)].slot == no_slot && !is_branch(other)) result.unknown++;
        if (int status = value(member, other, depth + 1, result)) return status;
        continue;
      }
      csj_value inner{nullptr, 0, CSJ_ABSENT};
      if (int status = walk(member, depth + 1, inner)) return status;
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
  const bool is_branch = this->is_branch(node);
  csj_value found{nullptr, 0, CSJ_ABSENT};
  if (token[0] == '{') {
    ondemand::object inner;
    if (auto error = value.get_object().get(inner)) return status_of(error);
    if (!is_branch) return wrapped(inner, node, depth, result);
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
  if (!is_branch && nodes[size_t(node)].is_open) return text(found, node, depth, result);
  keep(node, found);
  if (is_branch && found.type == CSJ_STRING && found.count > 0 && found.bytes[0] == '{') {
    return read({reinterpret_cast<const char *>(found.bytes), found.count}, node, depth, result);
  }
  return CSJ_OK;
}

// The value of a member without wanted paths. If it is a text with an object in it, the object is read instead. The
// text is the app's own and need not be JSON.
int csj_extractor::text(const csj_value &found, int32_t node, int depth, csj_result &result) {
  if (found.type == CSJ_STRING && found.count > 1 && found.bytes[0] == '{' && used < maximum_texts) {
    const size_t before = kept;
    csj_result inner = result;
    const int status = read({reinterpret_cast<const char *>(found.bytes), found.count}, node, depth, inner);
    if (status == CSJ_OUT_OF_MEMORY) return status;
    if (kept > before) return CSJ_OK;
  }
  keep(node, found);
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
        if (!is_key) name = schema_name(name);
        child = nodes[size_t(node)].find(name);
        if (child < 0 && is_key) child = seek(node, name, false);
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

// An object without wanted paths: a scalar with its type, or members that may be useful themselves.
int csj_extractor::wrapped(ondemand::object &object, int32_t node, int depth, csj_result &result) {
  if (depth > maximum_depth) return CSJ_TOO_DEEP;
  const size_t before = kept;
  csj_value whole{nullptr, 0, CSJ_OBJECT};
  for (auto item : object) {
    ondemand::field field;
    if (auto error = std::move(item).get(field)) return status_of(error);
    std::string_view key;
    if (auto error = field.unescaped_key().get(key)) return status_of(error);
    const bool is_type = is_type_name(key);
    ondemand::value member = field.value();
    if (!is_type) {
      const std::string_view token = member.raw_json_token();
      const int32_t other = seek(node, key, !token.empty() && token[0] == '{');
      if (other >= 0) {
        if (int status = value(member, other, depth + 1, result)) return status;
        continue;
      }
    }
    csj_value inner{nullptr, 0, CSJ_ABSENT};
    if (int status = walk(member, depth + 1, inner)) return status;
    if (!is_type) continue;
    if (inner.type == CSJ_NULL) {
      if (whole.type == CSJ_OBJECT) whole.type = CSJ_NULL;
    } else if (whole.type == CSJ_OBJECT || whole.type == CSJ_NULL) {
      whole = inner;
    }
  }
  if (whole.type != CSJ_OBJECT || kept == before) keep(node, whole);
  return CSJ_OK;
}

extern "C" csj_extractor *csj_extractor_new(size_t slots, size_t capacity) {
  try {
    auto extractor = std::make_unique<csj_extractor>();
    extractor->values.assign(slots, csj_value{nullptr, 0, CSJ_ABSENT});
    extractor->held.assign(slots, false);
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

extern "C" void csj_extractor_begin(csj_extractor *self, size_t slots) {
  self->line++;
  self->used = 0;
  self->kept = 0;
  self->news.clear();
  self->has_more_news = false;
  std::fill_n(self->values.begin(), std::min(slots, self->values.size()), csj_value{nullptr, 0, CSJ_ABSENT});
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

extern "C" void csj_extractor_open(csj_extractor *self, int32_t node) {
  if (node >= 0 && size_t(node) < self->nodes.size()) self->nodes[size_t(node)].is_open = true;
}

extern "C" void csj_extractor_hold(csj_extractor *self, size_t slot) {
  if (slot < self->held.size()) self->held[slot] = true;
}

extern "C" int32_t csj_extractor_add(csj_extractor *self) {
  if (self->nodes.size() >= 60000) return -1;
  try {
    self->nodes.emplace_back();
    self->nodes.back().is_open = true;
    return int32_t(self->nodes.size() - 1);
  } catch (const std::bad_alloc &) {
    return -1;
  }
}

extern "C" size_t csj_extractor_kept(const csj_extractor *self) { return self->kept; }

extern "C" size_t csj_extractor_news(const csj_extractor *self, bool *is_cut) {
  *is_cut = self->has_more_news;
  return self->news.size();
}

extern "C" csj_member csj_extractor_member(const csj_extractor *self, size_t index) {
  if (index >= self->news.size()) return csj_member{-1, nullptr, 0, false};
  const News &member = self->news[index];
  return csj_member{member.node, reinterpret_cast<const uint8_t *>(member.key.data()), member.key.size(),
                    member.is_object};
}

extern "C" bool csj_extractor_learn(csj_extractor *self, int32_t node, const uint8_t *key, size_t length,
                                    int32_t target) {
  if (node < 0 || target >= int32_t(self->nodes.size())) return false;
  const std::string_view name(reinterpret_cast<const char *>(key), length);
  const uint64_t hash = hash_of(name) + uint64_t(node) * 0x9E3779B1u;
  try {
    if (self->learned_table.empty()) self->learned_table.assign(2 * maximum_learned, 0);
    const size_t mask = self->learned_table.size() - 1;
    size_t i = hash & mask;
    for (; self->learned_table[i] != 0; i = (i + 1) & mask) {
      Learned &member = self->learned[self->learned_table[i] - 1];
      if (member.hash == hash && member.node == node && member.key == name) {
        member.target = target;
        return true;
      }
    }
    if (self->learned.size() == maximum_learned) return false;
    self->learned.push_back(Learned{hash, node, target, std::string(name)});
    self->learned_table[i] = uint16_t(self->learned.size());
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

extern "C" void csj_extractor_forget(csj_extractor *self, size_t nodes) {
  self->learned.clear();
  std::fill(self->learned_table.begin(), self->learned_table.end(), uint16_t(0));
  if (nodes > 0 && nodes < self->nodes.size()) self->nodes.erase(self->nodes.begin() + long(nodes), self->nodes.end());
}

extern "C" const csj_value *csj_extractor_values(const csj_extractor *self) { return self->values.data(); }
