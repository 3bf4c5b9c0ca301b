// Finds libarchive: see CArchive.h.

#include "CArchive.h"

#include <pthread.h>

#ifdef __linux__

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

// The name under which every libarchive since 3.0 (2011) is installed, beside the headers that this was compiled with.
#define LIBRARY "libarchive.so.13"

// Weak: the program links without them, and then their addresses are null.
#define WEAK(name) extern __typeof__(archive_##name) archive_##name __attribute__((weak));
CARCHIVE_FUNCTIONS(WEAK)
#undef WEAK

static pthread_once_t once = PTHREAD_ONCE_INIT;
static carchive_library functions;
static bool is_loaded;
static char failure[512] = "";

static bool find(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  if (!address) return false;
  // ISO C has no conversion from an object's address to a function's.
  *(void **)function = address;
  return true;
}

/// Takes the functions that are in the program, if all are: packages carry them (Scripts/build).
static bool take_linked(void) {
#define TAKE(name) &&(functions.name = archive_##name)
  return true CARCHIVE_FUNCTIONS(TAKE);
#undef TAKE
}

static void load(void) {
  is_loaded = take_linked();
  if (is_loaded) return;
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) &&find(library, "archive_" #name, &functions.name)
  is_loaded = library CARCHIVE_FUNCTIONS(FIND);
#undef FIND
  const char *reason = is_loaded ? NULL : dlerror();
  if (reason) snprintf(failure, sizeof failure, "%s", reason);
}

const carchive_library *carchive_load(void) {
  pthread_once(&once, load);
  return is_loaded ? &functions : NULL;
}

const char *carchive_load_error(void) { return failure; }

#else

const carchive_library *carchive_load(void) {
  static const carchive_library linked = {
#define LINKED(name) .name = archive_##name,
      CARCHIVE_FUNCTIONS(LINKED)
#undef LINKED
  };
  return &linked;
}

const char *carchive_load_error(void) { return ""; }

#endif

static pthread_once_t locale_once = PTHREAD_ONCE_INIT;
static locale_t utf8 = (locale_t)0;

static void make_locale(void) { utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

locale_t carchive_enter_utf8(void) {
  pthread_once(&locale_once, make_locale);
  // Without that locale nothing changes.
  return uselocale(utf8);
}

void carchive_leave_utf8(locale_t before) { uselocale(before); }
