/* Places in the program, as people name them. */
#ifndef CYCLOPS_UI_LOCATION_H
#define CYCLOPS_UI_LOCATION_H

#include "ui/command.h"

struct location {
	uint64_t addr;
	char text[96]; /* as it was named */
};

/* "find", "find+0x10", "words.c:41", "words.c:find", "41" (of the current file), "0x1040c", "*EXPR", "" (here). False with
 * c->err. */
bool location_parse(struct console *c, const char *text, struct location *out);

/* The pc people look at: of the selected call frame. */
uint64_t location_pc(struct console *c);

/* Call frames at this moment, innermost first; their number. */
struct frame;
size_t location_frames(const struct console *c, struct frame *out, size_t max);

/* "find at words.c:38", "find+0x10 at words.c:41", "0x1040c". Returns buf. */
char *location_at(const struct console *c, uint64_t pc, char *buf, size_t n);

#endif
