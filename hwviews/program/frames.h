/* The calls that the committed program is in. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H
#define CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H

#include <stddef.h>

#include "hwviews/session/session.h"

enum { FRAMES_MAX = 64 };

/* Innermost first, including those of inlined functions; returns their number, at least 1. */
size_t frames_of(const struct session *s, struct frame *out, size_t max);
/* The innermost frame whose line is known and whose file can be read, if the present place has none
 * such: how many frames up it is, *out and *line. 0: the present place has, or none of its callers
 * has; *line is its own line, if it has one. When the program has ended after main, it is the last
 * line of main, and out->pc is 0. */
size_t frames_nearest_line(const struct session *s, struct frame *out, struct source_line *line);
size_t frames_in(const struct program *program, const struct machine *m, struct frame *out,
                 size_t max);

#endif
