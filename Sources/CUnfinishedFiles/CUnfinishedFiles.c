// See CUnfinishedFiles.h.

#define _GNU_SOURCE
#include "CUnfinishedFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

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
  int isDirectory;
  char name[longest];
} files[count];

static _Atomic(const char *) words;

void cuf_say(const char *text) { atomic_store(&words, text); }

static int add(int directory, const char *name, int isDirectory) {
  if (strlen(name) >= longest) return -1;
  for (int i = 0; i < count; i++) {
    int expected = vacant;
    if (!atomic_compare_exchange_strong(&files[i].state, &expected, filling)) continue;
    files[i].directory = directory;
    files[i].isDirectory = isDirectory;
    strcpy(files[i].name, name);
    atomic_store(&files[i].state, noted);
    return i;
  }
  return -1;
}

int cuf_add(int directory, const char *name) { return add(directory, name, 0); }

int cuf_add_directory(int directory, const char *name) { return add(directory, name, 1); }

void cuf_remove(int number) {
  if (number >= 0 && number < count) atomic_store(&files[number].state, vacant);
}

#ifdef __linux__
/// Removes the files of a directory. The system call behind `readdir`, which may not be called in a handler.
static void removeFiles(int directory) {
  struct entry {
    unsigned long long number;
    long long offset;
    unsigned short length;
    unsigned char type;
    char name[];
  };
  _Alignas(8) char entries[4096];
  lseek(directory, 0, SEEK_SET);
  for (;;) {
    long count = syscall(SYS_getdents64, directory, entries, sizeof entries);
    if (count <= 0) return;
    for (long place = 0; place < count;) {
      struct entry *entry = (struct entry *)(entries + place);
      // `.` and `..` are directories, which this leaves.
      unlinkat(directory, entry->name, 0);
      place += entry->length;
    }
  }
}
#endif

static void removeDirectory(int parent, const char *name) {
#ifdef __linux__
  int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  // Other threads go on meanwhile, and may make one more file.
  for (int i = 0; i < 100; i++) {
    removeFiles(directory);
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) break;
  }
  close(directory);
#else
  (void)parent, (void)name;
#endif
}

// Only what POSIX allows in a handler (openat, unlinkat, close, write, strlen, signal, raise), and a system call without a wrapper. The signal's own action
// ends the process as soon as this returns.
static void end(int number) {
  int saved = errno;
  for (int i = 0; i < count; i++)
    if (atomic_load(&files[i].state) == noted) {
      if (files[i].isDirectory)
        removeDirectory(files[i].directory, files[i].name);
      else
        unlinkat(files[i].directory, files[i].name, 0);
    }
  const char *text = atomic_load(&words);
  if (text && write(STDERR_FILENO, text, strlen(text)) < 0) errno = saved;
  errno = saved;
  signal(number, SIG_DFL);
  raise(number);
}

void cuf_install(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    if (sigaction(numbers[i], 0, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    action.sa_handler = end;
    sigaction(numbers[i], &action, 0);
  }
}
