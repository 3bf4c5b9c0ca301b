// Names of files that are being written, and of directories of scratch files, which a signal that ends the process takes away. In C, since
// a handler may do almost nothing: no memory, no locks, no runtime.

#ifndef CUNFINISHEDFILES_H
#define CUNFINISHEDFILES_H

/// Notes a name in an open directory. Returns its number, or -1 if there is no room: then it stays when a signal comes.
int cuf_add(int directory, const char *name);

/// Notes the name of a directory that is taken away with the files in it. It holds no directories. On systems other than Linux it stays
/// when a signal comes: they have no way to list a directory in a handler.
int cuf_add_directory(int directory, const char *name);

/// Forgets a name; does nothing for -1. Call it before the directory is closed.
void cuf_remove(int number);

/// What a signal says on standard error before it ends the process; null for nothing. The text has to stay where it is.
void cuf_say(const char *text);

/// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU remove the files before they end the process. An ignored
/// signal stays ignored. SIGABRT is not handled: it means a crash, and a handler could not trust the memory.
void cuf_install(void);

/// The flag of `open` for a directory in which files are opened by name; it need not be listable.
int cuf_search_flag(void);

#endif
