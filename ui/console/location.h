/* Places in the program, as people name them. */
#ifndef CYCLOPS_UI_CONSOLE_LOCATION_H
#define CYCLOPS_UI_CONSOLE_LOCATION_H

#include "ui/console/command.h"

struct location {
	uint64_t addr;
	char text[96]; /* as it was named */
};

/* An address (hwviews/session/address.h) where code is meant, so that a bare number is a line of
 * the current file; "" is here. False with c->err. */
bool location_parse(struct console *c, const char *text, struct location *out);

/* The instruction at an address, a profile instruction with its prefix. False with c->err. */
struct code;
bool location_code(struct console *c, uint64_t addr, struct code *out);

/* The call frame that people look at: selected by `frame`, or by a step that ended in a call from
 * it. 0: innermost. */
unsigned location_level(const struct console *c);
struct frame;
struct frame location_frame(const struct console *c);
/* Its pc: where it goes on. */
uint64_t location_pc(const struct console *c);
/* What to look lines up by: in a caller, the call and not where it returns to. */
uint64_t location_line_pc(const struct console *c);

/* Call frames at this moment, innermost first; their number. */
size_t location_frames(const struct console *c, struct frame *out, size_t max);

/* "find at words.c:38", "find+0x10 at words.c:41", "0x1040c". In a caller, the line is that of the
 * call. Returns buf. */
char *location_of_frame(const struct console *c, const struct frame *f, char *buf, size_t n);
/* The same of the innermost frame. */
char *location_at(const struct console *c, uint64_t pc, char *buf, size_t n);

#endif
