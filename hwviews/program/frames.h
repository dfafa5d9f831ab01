/* The calls that the committed program is in. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H
#define CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H

#include <stddef.h>

#include "hwviews/session/session.h"

enum { FRAMES_MAX = 64 };

/* Innermost first, including those of inlined functions; returns their number, at least 1. */
size_t frames_of(const struct session *s, struct frame *out, size_t max);
/* The innermost frame whose line is known and whose file can be read, above the present place,
 * which has no line: its index, *out and *line. 0: the present place has a line, or none of its
 * callers has one. */
size_t frames_nearest_line(const struct session *s, struct frame *out, struct source_line *line);
size_t frames_in(const struct program *program, const struct machine *m, struct frame *out,
                 size_t max);

#endif
