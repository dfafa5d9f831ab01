/* The calls that the committed program is in. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H
#define CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H

#include <stddef.h>

#include "hwviews/session/session.h"

enum { FRAMES_MAX = 64 };

/* Innermost first, including those of inlined functions; returns their number, at least 1. */
size_t frames_of(const struct session *s, struct frame *out, size_t max);
size_t frames_in(const struct program *program, const struct machine *m, struct frame *out,
                 size_t max);

#endif
