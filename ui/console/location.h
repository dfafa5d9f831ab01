/* Places in the program, as people name them. */
#ifndef CYCLOPS_UI_CONSOLE_LOCATION_H
#define CYCLOPS_UI_CONSOLE_LOCATION_H

#include "ui/console/command.h"

struct location {
	uint64_t addr;
	char text[96]; /* as it was named */
	bool exact;    /* it is the address that is meant, whatever the text is */
};

/* An address (hwviews/session/address.h) where code is meant, so that a bare number is a line of
 * the current file; "" is here. False with c->err. */
bool location_parse(struct console *c, const char *text, struct location *out);

/* Where a program that is to stop at the location stops: of a function's name, or the line where it
 * begins, behind the prologue. What is given as an address is meant. */
uint64_t location_stop(const struct console *c, const struct location *l);

/* The same of a line, FILE:LINE or LINE, that has code in several functions or copies: in each, by
 * rising address; their number, at most max. 0: it is no line, or has one place at most. */
size_t location_lines(struct console *c, const char *text, uint64_t *out, size_t max);

/* All of them, where a line or a function's name means several functions or inlined copies; their
 * number, at most max. 0: with c->err. */
size_t location_stops(struct console *c, const char *text, uint64_t *out, size_t max);

/* The instruction at an address, a profile instruction with its prefix. False with c->err. */
struct code;
bool location_code(struct console *c, uint64_t addr, struct code *out);

/* The call frame that people look at: selected by `frame`, or by a step that ended in a call from
 * it. 0: innermost. */
unsigned location_level(const struct console *c);
struct frame;
struct frame location_frame(const struct console *c);
/* The one that a step by lines is about, whatever `frame` has chosen since: where the last one
 * ended, else the innermost. */
unsigned location_step_level(const struct console *c);
/* The innermost frame of who stands at an address. */
struct frame location_frame_at(const struct console *c, uint64_t pc);
/* What to look lines up by: in a caller, the call and not where it returns to. */
uint64_t location_line_pc(const struct console *c);

/* The line that the frame is at; false: it has none. */
struct source_line;
bool location_line(const struct console *c, struct source_line *out);

/* Call frames at this moment, innermost first; their number. */
size_t location_frames(const struct console *c, struct frame *out, size_t max);

/* "find at words.c:38", "find+0x10 at words.c:41", "0x1040c"; of an inlined function the name
 * alone. In a caller, the line is that of the call. Returns buf. */
char *location_of_frame(const struct console *c, const struct frame *f, char *buf, size_t n);
/* The same with what the call was given, if it is one of those at this moment: "find+0x10 (key=3)
 * at words.c:41". */
char *location_of_call(const struct console *c, const struct frame *f, char *buf, size_t n);
/* The same of the innermost frame. */
char *location_at(const struct console *c, uint64_t pc, char *buf, size_t n);

#endif
