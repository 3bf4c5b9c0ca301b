// See CUnfinishedFiles.h.

#define _GNU_SOURCE
#include "CUnfinishedFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

int cuf_search_flag(void) {
#ifdef O_PATH
  return O_PATH;
#else
  return O_RDONLY;
#endif
}

enum { count = 32, longest = 256 };
enum { vacant, filling, noted };

static struct {
  atomic_int state;
  int directory;
  char name[longest];
} files[count];

int cuf_add(int directory, const char *name) {
  if (strlen(name) >= longest) return -1;
  for (int i = 0; i < count; i++) {
    int expected = vacant;
    if (!atomic_compare_exchange_strong(&files[i].state, &expected, filling)) continue;
    files[i].directory = directory;
    strcpy(files[i].name, name);
    atomic_store(&files[i].state, noted);
    return i;
  }
  return -1;
}

void cuf_remove(int number) {
  if (number >= 0 && number < count) atomic_store(&files[number].state, vacant);
}

// Only what POSIX allows in a handler: unlinkat, signal, raise. The signal's own action ends the process as soon as this returns.
static void end(int number) {
  int saved = errno;
  for (int i = 0; i < count; i++)
    if (atomic_load(&files[i].state) == noted) unlinkat(files[i].directory, files[i].name, 0);
  errno = saved;
  signal(number, SIG_DFL);
  raise(number);
}

void cuf_install(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    if (sigaction(numbers[i], 0, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    action.sa_handler = end;
    sigaction(numbers[i], &action, 0);
  }
}
