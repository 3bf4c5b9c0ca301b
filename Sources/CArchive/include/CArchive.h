// libarchive: the functions that are linked into the program, or else the machine's shared library, loaded when the first
// archive is read. That one brings ten more libraries with it, ICU's 30 MB of tables among them, and linked in the usual way
// they cost every command, `permlog --version` too, a quarter of its start.

#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

/// The functions that are used: `archive_read_new` is called `read_new` here, and so on.
#define CARCHIVE_FUNCTIONS(F) \
  F(read_new)                 \
  F(read_free)                \
  F(read_support_filter_xz)   \
  F(read_support_filter_zstd) \
  F(read_support_format_empty) \
  F(read_support_format_raw)  \
  F(read_support_format_tar)  \
  F(read_support_format_zip)  \
  F(read_set_format_option)   \
  F(read_open_fd)             \
  F(read_open2)               \
  F(read_next_header)         \
  F(read_data_block)          \
  F(error_string)             \
  F(format)                   \
  F(filter_code)              \
  F(filter_bytes)             \
  F(entry_filetype)           \
  F(entry_pathname)           \
  F(entry_pathname_utf8)

#define CARCHIVE_MEMBER(name) __typeof__(archive_##name) *_Nonnull name;

typedef struct carchive_library {
  CARCHIVE_FUNCTIONS(CARCHIVE_MEMBER)
} carchive_library;

#undef CARCHIVE_MEMBER

/// The library, found by the first call; from any thread. NULL if it is neither linked nor can be loaded.
const carchive_library *_Nullable carchive_load(void);

/// The reason why loading failed, after `carchive_load` has failed.
const char *_Nonnull carchive_load_error(void);

/// Lets this thread use UTF-8, so that libarchive need not convert the names of members: in the C locale it tries that anew for
/// each character, which takes 20 microseconds.
/// - Returns: what `carchive_leave_utf8` takes.
locale_t _Nullable carchive_enter_utf8(void);

void carchive_leave_utf8(locale_t _Nullable before);

#endif
