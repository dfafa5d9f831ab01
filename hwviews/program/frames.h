/* The calls that the committed program is in. */
#ifndef CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H
#define CYCLOPS_HWVIEWS_PROGRAM_FRAMES_H

#include <stddef.h>

#include "hwviews/session/session.h"

enum {
	FRAMES_MAX = 64,    /* of a walk that goes no deeper than a screen needs */
	FRAMES_ALL = 65536  /* of any walk */
};

/* Innermost first, including those of inlined functions; returns their number, at least 1. */
size_t frames_of(const struct session *s, struct frame *out, size_t max);
/* As frames_of(), as many as are needed for `wanted` of them or until there are no more, at most
 * FRAMES_ALL: *n frames, at least 1, which the caller frees. NULL: out of memory. */
struct frame *frames_list(const struct session *s, size_t wanted, size_t *n);
/* The frame of a level; false if there is none, or memory is out. */
bool frames_level(const struct session *s, size_t level, struct frame *out);
/* Finds a line to show if the present place has no known line in a readable file: that of the
 * innermost frame that has one, in *out and *line. Returns the number of frames up, at least 1.
 * After the program's end it may be main's last line, with out->pc 0. Returns 0 if the present
 * place has such a line, or no frame has; *line is the present place's line then, if known. */
size_t frames_nearest_line(const struct session *s, struct frame *out, struct source_line *line);
/* The selected call frame, 0: the innermost. */
size_t frames_selected(const struct session *s);
enum { FRAMES_PC = 64 }; /* the pc among the registers of frames_register() */
/* The value of a register (x0 to x31, f0 to f31 from 32, FRAMES_PC) in the selected frame: as the
 * frame left it at its call, by call frame information. That of the present place for registers
 * that a call need not keep, as in gdb. */
uint64_t frames_register(const struct session *s, unsigned reg);
size_t frames_in(const struct program *program, const struct machine *m, struct frame *out,
                 size_t max);

#endif
