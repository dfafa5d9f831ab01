/* Places in the program, named by users. */
#ifndef CYCLOPS_UI_CONSOLE_LOCATION_H
#define CYCLOPS_UI_CONSOLE_LOCATION_H

#include "ui/console/command.h"

struct location {
	uint64_t addr;
	char text[96]; /* as the user named it */
	bool exact;    /* the address was given, not a function or line */
};

/* Parses an address (hwviews/session/address.h) of code, so that a bare number is a line of the
 * current file; "" is the present place. False with c->err. */
bool location_parse(struct console *c, const char *text, struct location *out);

/* Writes the optimisation option of the code at pc, "-O2", to buf[n]. NULL: not optimised, or
 * unknown. */
const char *location_optimised(const struct console *c, uint64_t pc, char *buf, size_t n);

/* Address for a breakpoint at the location: after the prologue for a function's name or first line.
 * An explicit address is used unchanged. */
uint64_t location_stop(const struct console *c, const struct location *l);

/* Addresses of a line, FILE:LINE or LINE, that has code in several functions or copies: one in
 * each, ascending. Returns their number, at most max. 0: not a line, or at most one place. */
size_t location_lines(struct console *c, const char *text, uint64_t *out, size_t max);

/* All stop addresses of a line or a function's name, which may have several functions or inlined
 * copies. Returns their number, at most max; 0 with c->err. */
size_t location_stops(struct console *c, const char *text, uint64_t *out, size_t max);

/* Reads the instruction at an address, a profile instruction with its prefix. False with c->err. */
struct code;
bool location_code(struct console *c, uint64_t addr, struct code *out);

/* The selected call frame: chosen by `frame`, or by a step that ended in a call from it. 0:
 * innermost. */
unsigned location_level(const struct console *c);
struct frame;
struct frame location_frame(const struct console *c);
/* The innermost frame of a thread at this address. */
struct frame location_frame_at(const struct console *c, uint64_t pc);
/* The address to look lines up by: in a caller, the call, not the return address. */
uint64_t location_line_pc(const struct console *c);

/* The line of the selected frame; false: none. */
struct source_line;
bool location_line(const struct console *c, struct source_line *out);

/* Present call frames, innermost first; returns their number. */
size_t location_frames(const struct console *c, struct frame *out, size_t max);

/* Formats a frame: "find at words.c:38", "find+0x10 at words.c:41", "0x1040c"; without offset for
 * an inlined function. In a caller, the line is that of the call. Returns buf. */
char *location_of_frame(const struct console *c, const struct frame *f, char *buf, size_t n);
/* The same with the call's arguments, if it is a present call: "find+0x10 (key=3) at words.c:41".
 */
char *location_of_call(const struct console *c, const struct frame *f, char *buf, size_t n);
/* The same of a present call whose level is known: of location_frames(). again: as of
 * expr_arguments(). */
char *location_of_level(const struct console *c, const struct frame *f, unsigned level, bool again,
                        char *buf, size_t n);
/* The same for the innermost frame. */
char *location_at(const struct console *c, uint64_t pc, char *buf, size_t n);

#endif
