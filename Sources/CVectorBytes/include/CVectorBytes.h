// The two loops over bytes that parsing an event consists of, sixteen bytes at once, in the compiler's vector
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
  uint64_t low;    // the first eight bytes, zeros behind the text
  uint64_t high;   // the next eight
  uint32_t count;  // bytes before the first that is a quote, a backslash, a control character or not ASCII; at
                   // most 16, also where none of the sixteen is
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
  // As signed numbers, bytes that are not ASCII are below the blank too.
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

/// A UUID in two words.
typedef struct cvb_uuid {
  uint64_t high;
  uint64_t low;
  uint8_t form;  // 0 where the text is none, 1 in lower case or of digits alone, 2 in upper case
} cvb_uuid;

/// Sixteen hexadecimal digits as bytes 0x00 to 0x0F; notes what they are.
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
