// Unpacks gzip (RFC 1952) by ISA-L's igzip. Its state is a struct with large arrays, which Swift does not import.

#ifndef CGZIP_H
#define CGZIP_H

#include <stddef.h>
#include <stdint.h>

typedef struct cgz_member cgz_member;

/// The state of one member's unpacking; NULL without memory.
cgz_member *_Nullable cgz_new(void);
void cgz_free(cgz_member *_Nullable member);
/// Begins the next member.
void cgz_begin(cgz_member *_Nonnull member);

typedef struct cgz_step {
  size_t used;      // bytes taken from the input
  size_t made;      // bytes written to the output
  int32_t outcome;  // 0 goes on, 1 is the member's end, negative is damage, after the bytes that were made
} cgz_step;

/// Unpacks as much as there is input and room for. The checksum and the length at the member's end are checked. After damage it gives
/// out what was unpacked before, then nothing.
cgz_step cgz_unpack(cgz_member *_Nonnull member, const uint8_t *_Nullable input, size_t count, uint8_t *_Nullable output,
                    size_t room);

/// What a negative outcome means, in words for a message.
const char *_Nonnull cgz_damage(int32_t outcome);

#endif
