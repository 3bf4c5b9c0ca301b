// The loops over bytes that parsing an event consists of, sixteen bytes at once, in the compiler's vector
// extension: it becomes SSE2 or NEON, whatever every machine of the architecture has. Swift's own SIMD types
// come out ten times slower here. Words are little-endian, as all supported machines are.

#ifndef CVECTORBYTES_H
#define CVECTORBYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t cvb_u8x16 __attribute__((vector_size(16)));
typedef int8_t cvb_i8x16 __attribute__((vector_size(16)));
typedef uint16_t cvb_u16x8 __attribute__((vector_size(16)));
typedef uint8_t cvb_u8x8 __attribute__((vector_size(8)));
typedef uint64_t cvb_u64x2 __attribute__((vector_size(16)));

/// The text of a JSON string up to its first special byte.
typedef struct cvb_text {
  uint64_t low;    // the first eight bytes, zeros after the text
  uint64_t high;   // the next eight
  uint32_t count;  // bytes before the first that is a quote, a backslash, a control character or not ASCII; at
                   // most 16, also if none of the sixteen is
} cvb_text;

static inline uint64_t cvb_load8(const void *p) {
  uint64_t word;
  memcpy(&word, p, 8);
  return word;
}

static inline uint64_t cvb_load4(const void *p) {
  uint32_t word;
  memcpy(&word, p, 4);
  return word;
}

/// Ones in the first `count` bytes of a word; 0 to 7.
static inline uint64_t cvb_mask(uint32_t count) { return ((uint64_t)1 << (count * 8)) - 1; }

/// Reads the sixteen bytes at `p`.
static inline cvb_text cvb_plain_text(const void *p) {
  cvb_i8x16 bytes;
  memcpy(&bytes, p, 16);
  // As signed numbers, bytes that are not ASCII are also below the space.
  const cvb_u64x2 stop = (cvb_u64x2)((bytes == 0x22) | (bytes == 0x5C) | (bytes < 0x20));
  const uint64_t first = stop[0];
  const uint64_t low = cvb_load8(p);
  cvb_text text;
  if (first != 0) {
    text.count = (uint32_t)__builtin_ctzll(first) >> 3;
    text.low = low & cvb_mask(text.count);
    text.high = 0;
    return text;
  }
  const uint64_t second = stop[1];
  const uint64_t high = cvb_load8((const char *)p + 8);
  text.low = low;
  if (second != 0) {
    const uint32_t rest = (uint32_t)__builtin_ctzll(second) >> 3;
    text.count = 8 + rest;
    text.high = high & cvb_mask(rest);
  } else {
    text.count = 16;
    text.high = high;
  }
  return text;
}

/// A bit for each of sixteen bytes that are 0x00 or 0xFF.
static inline uint32_t cvb_bits(cvb_u8x16 bytes) {
#if defined(__SSE2__)
  typedef char v16 __attribute__((vector_size(16)));
  return (uint32_t)__builtin_ia32_pmovmskb128((v16)bytes);
#else
  // One bit of each byte, and the sum of the bytes in the highest one.
  const cvb_u64x2 words = (cvb_u64x2)bytes & (cvb_u64x2){0x8040201008040201, 0x8040201008040201};
  return (uint32_t)((words[0] * 0x0101010101010101) >> 56 | (words[1] * 0x0101010101010101) >> 56 << 8);
#endif
}

static inline cvb_u8x16 cvb_load16(const void *p) {
  cvb_u8x16 bytes;
  memcpy(&bytes, p, 16);
  return bytes;
}

/// The first of the sixteen bytes at `p` that ends a cell without quotes: the delimiter, a line end, or a quote, with which it
/// was none; 16 without one.
static inline uint32_t cvb_cell_end(const void *p, uint8_t delimiter) {
  const cvb_u8x16 bytes = cvb_load16(p);
  const cvb_u8x16 stops =
      (cvb_u8x16)((bytes == delimiter) | (bytes == 0x0A) | (bytes == 0x0D) | (bytes == 0x22));
  return (uint32_t)__builtin_ctz(cvb_bits(stops) | 0x10000);
}

/// A key of a JSON object with its punctuation, `"key":"` or `"key": "`: sixteen bytes at most.
typedef struct cvb_key {
  uint8_t text[16];
  uint32_t bits;   // ones for the bytes of the text
  uint32_t count;  // bytes of the text
  uint64_t field;
} cvb_key;

/// True if the key is at `p`; sixteen bytes are read.
static inline bool cvb_is_key(const cvb_key *key, const void *p) {
  return (cvb_bits((cvb_u8x16)(cvb_load16(p) == cvb_load16(key->text))) & key->bits) == key->bits;
}

/// Texts of at most this many bytes fit in a slot.
#define CVB_LONGEST 31

/// A text that was seen, and its code; if another has its index, it is at one of the next.
typedef struct cvb_slot {
  uint8_t text[32];  // zeros after the text, the tag in the last byte; a tag of zero is an empty slot
  uint64_t code;
} cvb_slot;

/// The result of a search in the text of a JSON string.
typedef struct cvb_found {
  uint64_t count;  // bytes of the text; CVB_LONGEST + 1 if it is longer or not plain
  uint64_t index;  // its own index
  uint64_t code;   // if `known`
  bool known;      // it is at its own index
} cvb_found;

static const uint8_t cvb_ones[64] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
};

static inline cvb_u8x16 cvb_stops(cvb_u8x16 bytes) {
  // As signed numbers, bytes that are not ASCII are also below the space.
  return (cvb_u8x16)((bytes == 0x22) | (bytes == 0x5C) | ((cvb_i8x16)bytes < 0x20));
}

/// The slot of a text among `1 << (64 - shift)` slots. The multiplications carry differences to the top.
static inline uint64_t cvb_place(cvb_u64x2 low, cvb_u64x2 high, uint64_t shift) {
  const cvb_u64x2 words = low + high + (high << 2);
  return (words[0] * 0x9E3779B97F4A7C15 + words[1] * 0xD6E8FEB86659FD93) >> shift;
}

static inline uint64_t cvb_index(const cvb_slot *slot, uint64_t shift) {
  return cvb_place((cvb_u64x2)cvb_load16(slot->text), (cvb_u64x2)cvb_load16(slot->text + 16), shift);
}

/// A tag as stored in a slot's second half.
typedef struct cvb_tag {
  uint64_t words[2];
} cvb_tag;

/// Looks up the text of a JSON string that begins at `p`, after its quote, at its own index of `1 << (64 - shift)`
/// slots. 32 bytes are read. The tag keeps the texts of different fields apart.
static inline cvb_found cvb_find(const cvb_slot *slots, uint64_t shift, const cvb_tag *tag, const void *p) {
  cvb_u8x16 first = cvb_load16(p);
  cvb_u8x16 second = cvb_load16((const char *)p + 16);
  cvb_found found = {CVB_LONGEST + 1, 0, 0, false};
  const uint32_t stop = cvb_bits(cvb_stops(first)) | cvb_bits(cvb_stops(second)) << 16;
  if (stop == 0) return found;
  const uint32_t count = (uint32_t)__builtin_ctz(stop);
  if (((const uint8_t *)p)[count] != 0x22) return found;
  found.count = count;
  first &= cvb_load16(cvb_ones + 32 - count);
  second = (second & cvb_load16(cvb_ones + 48 - count)) | cvb_load16(tag);
  found.index = cvb_place((cvb_u64x2)first, (cvb_u64x2)second, shift);
  const cvb_slot *slot = slots + found.index;
  found.code = slot->code;
  found.known = cvb_bits((cvb_u8x16)((first == cvb_load16(slot->text)) & (second == cvb_load16(slot->text + 16)))) == 0xFFFF;
  return found;
}

/// Asks for the memory at `p`, which need not be readable.
static inline void cvb_prefetch(const void *p) { __builtin_prefetch(p); }

/// A UUID in two words.
typedef struct cvb_uuid {
  uint64_t high;
  uint64_t low;
  uint8_t form;  // 0 if the text is none, 1 in lower case or of digits alone, 2 in upper case
} cvb_uuid;

/// Sixteen hexadecimal digits as bytes 0x00 to 0x0F; records their kinds.
static inline uint64_t cvb_digits(uint64_t first, uint64_t second, cvb_u8x16 *valid, cvb_u8x16 *lower,
                                  cvb_u8x16 *upper) {
  const cvb_u64x2 words = {first, second};
  const cvb_u8x16 bytes = (cvb_u8x16)words;
  const cvb_u8x16 is_digit = (cvb_u8x16)((bytes - 0x30) < 10);
  const cvb_u8x16 is_lower = (cvb_u8x16)((bytes - 0x61) < 6);
  const cvb_u8x16 is_upper = (cvb_u8x16)((bytes - 0x41) < 6);
  *valid &= is_digit | is_lower | is_upper;
  *lower |= is_lower;
  *upper |= is_upper;
  // The low nibble, and 9 more for letters.
  const cvb_u16x8 nibbles = (cvb_u16x8)((bytes & 0x0F) + (~is_digit & 9));
  const cvb_u16x8 pairs = (nibbles << 4 | nibbles >> 8) & 0xFF;
  const cvb_u8x8 packed = __builtin_convertvector(pairs, cvb_u8x8);
  return __builtin_bswap64((uint64_t)packed);
}

/// Sixteen digits, letters in lower case; records bytes that are not digits.
static inline uint64_t cvb_lower_digits(uint64_t first, uint64_t second, cvb_u8x16 *valid) {
  const cvb_u64x2 words = {first, second};
  const cvb_u8x16 bytes = (cvb_u8x16)words;
  const cvb_u8x16 is_lower = (cvb_u8x16)((bytes - 0x61) < 6);
  const cvb_u8x16 values = bytes - 0x30;
  *valid &= (cvb_u8x16)(values < 10) | is_lower;
  // 'a' is 49 after '0'.
  const cvb_u16x8 nibbles = (cvb_u16x8)(values - (is_lower & 39));
  const cvb_u16x8 pairs = (nibbles << 4 | nibbles >> 8) & 0xFF;
  const cvb_u8x8 packed = __builtin_convertvector(pairs, cvb_u8x8);
  return __builtin_bswap64((uint64_t)packed);
}

/// Packs the 36 bytes at `p` if letters are in lower case: the usual form, by the shortest way.
static inline cvb_uuid cvb_pack_lower_uuid(const void *p) {
  const char *text = (const char *)p;
  cvb_uuid uuid = {0, 0, 0};
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return uuid;
  cvb_u8x16 valid = (cvb_u8x16)(cvb_u64x2){UINT64_MAX, UINT64_MAX};
  uuid.high = cvb_lower_digits(cvb_load8(text), cvb_load4(text + 9) | cvb_load4(text + 14) << 32, &valid);
  uuid.low = cvb_lower_digits(cvb_load4(text + 19) | cvb_load4(text + 24) << 32, cvb_load8(text + 28), &valid);
  uuid.form = cvb_bits(valid) == 0xFFFF;
  return uuid;
}

/// Packs the 36 bytes at `p`.
static inline cvb_uuid cvb_pack_uuid(const void *p) {
  const char *text = (const char *)p;
  cvb_uuid uuid = {0, 0, 0};
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return uuid;
  const cvb_u64x2 ones = {UINT64_MAX, UINT64_MAX};
  cvb_u8x16 valid = (cvb_u8x16)ones;
  cvb_u8x16 lower = valid ^ valid;
  cvb_u8x16 upper = lower;
  uuid.high = cvb_digits(cvb_load8(text), cvb_load4(text + 9) | cvb_load4(text + 14) << 32, &valid, &lower, &upper);
  uuid.low = cvb_digits(
      cvb_load4(text + 19) | cvb_load4(text + 24) << 32, cvb_load8(text + 28), &valid, &lower, &upper);
  const cvb_u64x2 all = (cvb_u64x2)valid;
  const cvb_u64x2 small = (cvb_u64x2)lower;
  const cvb_u64x2 capital = (cvb_u64x2)upper;
  if ((all[0] & all[1]) != UINT64_MAX) return uuid;
  const bool has_capital = (capital[0] | capital[1]) != 0;
  if (has_capital && (small[0] | small[1]) != 0) return uuid;
  uuid.form = has_capital ? 2 : 1;
  return uuid;
}

#endif
