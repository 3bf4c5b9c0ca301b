// The vendors with readable exports: a text for each, which describes their files and the meaning of their events.

#pragma once
#include <stddef.h>

struct cv_vendor {
  /// The name of its file, without the ending.
  const char *name;
  /// The file, in UTF-8.
  const unsigned char *text;
  size_t length;
};

/// How many there are.
size_t cv_count(void);
/// One of them; they are in the order in which files are looked at for them.
struct cv_vendor cv_vendor(size_t index);
