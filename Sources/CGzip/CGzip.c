#include "CGzip.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

struct cgz_member {
  int32_t damage;
  int is_in_header;
  // Read apart: isal_inflate forgets what it has read of a header that goes on in the next piece of input.
  struct isal_gzip_header header;
  struct inflate_state state;
};

cgz_member *cgz_new(void) {
  cgz_member *member = malloc(sizeof(cgz_member));
  if (member == NULL) return NULL;
  isal_inflate_init(&member->state);
  cgz_begin(member);
  return member;
}

void cgz_free(cgz_member *member) { free(member); }

void cgz_begin(cgz_member *member) {
  isal_inflate_reset(&member->state);
  member->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
  isal_gzip_header_init(&member->header);
  member->is_in_header = 1;
  member->damage = 0;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// Flags that are not assigned may change what follows (RFC 1952, section 2.3.1.2); igzip passes over them.
static const uint32_t reserved_flags = 0xE0;

static int32_t read_header(cgz_member *member) {
  const int outcome = isal_read_gzip_header(&member->state, &member->header);
  if (outcome == ISAL_END_INPUT) return 0;
  if (outcome != ISAL_DECOMP_OK) return outcome < 0 ? outcome : ISAL_INVALID_WRAPPER;
  member->is_in_header = 0;
  return member->header.flags & reserved_flags ? ISAL_INVALID_WRAPPER : 0;
}

cgz_step cgz_unpack(cgz_member *member, const uint8_t *input, size_t count, uint8_t *output, size_t room) {
  struct inflate_state *state = &member->state;
  cgz_step step = {0, 0, 0};
  if (member->damage == 0) {
    // Its counts have 32 bits.
    const uint32_t most = 1u << 30;
    state->next_in = (uint8_t *)input;
    state->avail_in = (uint32_t)smaller(count, most);
    state->next_out = output;
    state->avail_out = (uint32_t)smaller(room, most);
    const uint32_t input_before = state->avail_in, room_before = state->avail_out;
    if (member->is_in_header) member->damage = read_header(member);
    if (member->damage == 0 && !member->is_in_header) member->damage = isal_inflate(state);
    step.used = input_before - state->avail_in;
    step.made = room_before - state->avail_out;
    if (member->damage == 0) {
      step.outcome = !member->is_in_header && state->block_state == ISAL_BLOCK_FINISH;
      return step;
    }
    // A positive result asks for what gzip does not have, a dictionary.
    if (member->damage > 0) member->damage = ISAL_INVALID_WRAPPER;
  }
  // After damage it keeps back what it had unpacked into its own memory.
  const int32_t rest = state->tmp_out_valid - state->tmp_out_processed;
  if (rest > 0 && room > step.made) {
    const size_t more = smaller((size_t)rest, room - step.made);
    memcpy(output + step.made, state->tmp_out_buffer + state->tmp_out_processed, more);
    state->tmp_out_processed += (int32_t)more;
    step.made += more;
  }
  step.outcome = member->damage;
  return step;
}

const char *cgz_damage(int32_t outcome) {
  switch (outcome) {
    case ISAL_INVALID_BLOCK: return "a block has no valid beginning";
    case ISAL_INVALID_SYMBOL: return "it has a code that no byte has";
    case ISAL_INVALID_LOOKBACK: return "it repeats bytes from before its beginning";
    case ISAL_UNSUPPORTED_METHOD: return "it is compressed in a way that gzip does not know";
    case ISAL_INCORRECT_CHECKSUM: return "its checksum does not fit its content";
    default: return "its header is not valid";
  }
}
