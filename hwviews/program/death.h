/* How a program ended that did not exit, and the output that it lost by that. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_DEATH_H
#define CYCLOPS_HWVIEWS_PROGRAM_DEATH_H

#include <stdbool.h>
#include <stddef.h>

#include "hwviews/session/session.h"

/* "faulted in sum, crash.c:7: load from a bad address, 0x0 (SIGSEGV)". False: the program runs, has
 * exited, or waits for ever. */
bool death_text(const struct session *s, char *buf, size_t n);

/* True if the program has died by a signal, so that its C library wrote nothing more. */
bool death_has_lost(const struct machine *m);
/* Copies text from the C library's buffer of stdout, which a program that died has not written: at
 * most n - 1 bytes, with NUL. Returns the buffer's number of bytes, 0 if the C library is another
 * than glibc. */
size_t death_unwritten(const struct program *program, const struct machine *m, char *buf,
                       size_t n);
/* "never written, in stdout's buffer (24 bytes): and text"; control characters as escapes, a long
 * text cut. False: there is none. */
bool death_unwritten_text(const struct program *program, const struct machine *m, char *buf,
                          size_t n);

#endif
