// Values by their path in a JSON object: the caller gives the paths as a tree of keys once, and gets the values for
// each line. For exports of vendors, which have wide and deep objects. Every byte is validated.

#ifndef CSIMDJSONEXTRACTOR_H
#define CSIMDJSONEXTRACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csj_extractor csj_extractor;

/// An extractor with `slots` values, for objects of at most `capacity` bytes; null if memory runs out. For
/// one thread at a time.
csj_extractor *csj_extractor_new(size_t slots, size_t capacity);
void csj_extractor_free(csj_extractor *extractor);

/// The node for a key below a node, made if it is new; the root is node 0. -1 if memory runs out.
int32_t csj_extractor_child(csj_extractor *extractor, int32_t parent, const uint8_t *key, size_t length);

/// The value at a node is wanted, as `values[slot]`. Several nodes may share a slot: the first value found stays.
void csj_extractor_want(csj_extractor *extractor, int32_t node, size_t slot);

/// Begins a line: the values of the first `slots` are absent. No others may be wanted of it.
void csj_extractor_begin(csj_extractor *extractor, size_t slots);

/// Reads one JSON object with the members of a node; may be called several times for one line, with several texts.
///
/// A path below a value is followed in an object by its key; in an array of `{"key","value"}` by the key (as BigQuery
/// writes parameters); in an array of `{"schema","data"}` by the schema's name (as Snowplow writes entities); and in a
/// string that contains a JSON object as in that object. A wanted value that is an object of one typed member, like
/// `{"string_value":…}` or Avro's `{"string":…}`, is that member.
///
/// `result.unknown` counts unwanted members, `result.duplicate` is the slot of a member that appears twice.
csj_result csj_extractor_read(csj_extractor *extractor, int32_t node, const uint8_t *text, size_t length);

/// Decisions about a member without a node: it is unwanted; it is unwanted unless it is an object.
enum { CSJ_MEMBER_UNWANTED = -1, CSJ_MEMBER_IF_OBJECT = -2 };

/// A member without a path and without a decision yet.
typedef struct csj_member {
  int32_t node;  // below which it is
  const uint8_t *key;
  size_t length;
  bool is_object;
} csj_member;

/// Members without a path below a node are looked up: learned ones are used, others are news.
void csj_extractor_open(csj_extractor *extractor, int32_t node);

/// Two different values for a slot make it one that cannot be read, `CSJ_OBJECT`; in other slots the first stays.
void csj_extractor_hold(csj_extractor *extractor, size_t slot);

/// A node that no key leads to, for members to be learned; open, and known as the last one made. -1 if memory runs out.
int32_t csj_extractor_add(csj_extractor *extractor);

/// How many values of the line were kept.
size_t csj_extractor_kept(const csj_extractor *extractor);

/// How many members of the line, since `csj_extractor_begin`, are news; 4,096 at most, then `is_cut`.
size_t csj_extractor_news(const csj_extractor *extractor, bool *is_cut);

/// The news by number; its key is valid until the next `csj_extractor_begin`.
csj_member csj_extractor_member(const csj_extractor *extractor, size_t index);

/// Sets what a member leads to from now on: a node, or one of the constants above. False if the table is full: it has
/// 8,192 entries.
bool csj_extractor_learn(csj_extractor *extractor, int32_t node, const uint8_t *key, size_t length, int32_t target);

/// Removes all learned members, and all nodes except the first `nodes`.
void csj_extractor_forget(csj_extractor *extractor, size_t nodes);

/// The values of the line, by slot; valid until the next `csj_extractor_begin`.
const csj_value *csj_extractor_values(const csj_extractor *extractor);

#ifdef __cplusplus
}
#endif

#endif
