/* The playground: a pane with the text of the program that the session runs, assembly or C. Assembly
 * is assembled as a person edits, C is compiled by the cross compiler when it is to run; F5 saves it and begins a session anew on what it has become, beside
 * what it took the last time, with the breakpoints that there were. Where nothing has changed it
 * goes on. */
#ifndef CYCLOPS_UI_SCREEN_PLAYGROUND_H
#define CYCLOPS_UI_SCREEN_PLAYGROUND_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "loader/asm/asm.h"
#include "ui/screen/draw.h"
#include "ui/screen/editor.h"

struct screen;

/* What a version took to its end. */
struct playground_run {
	bool known; /* it came to an end within PLAYGROUND_CYCLES */
	uint64_t cycles, insts;
};
/* Cycles that a version is given to come to its end; cells before a line. */
enum { PLAYGROUND_CYCLES = 20000000, PLAYGROUND_GUTTER = 5 };

/* Outlives sessions; owned by who begins them. */
struct playground {
	char path[PATH_MAX];    /* of the text */
	char program[PATH_MAX]; /* of what it was assembled to last */
	struct editor editor;
	struct asm_result result; /* of the text as it is, without the program */
	unsigned checked;         /* editor.changes of that; of the file */
	unsigned saved;
	bool c;             /* the text is C */
	unsigned ran;       /* editor.changes of what the session runs */
	char *stops;        /* commands for breakpoints of the session before; owned; NULL: none */
	bool focused;       /* keys are the editor's */
	unsigned warned;    /* editor.changes when a person was told that they are not saved */
	unsigned top, left; /* first line and cell in sight */
	struct playground_run run, before; /* of this version and the one before it */
	struct rect r;                     /* on the screen; h = 0: it is not there */
};

/* Reads the text; there may be no such file yet: it begins with an example. False with *err. */
bool playground_open(struct playground *p, const char *path, struct err *err);
void playground_deinit(struct playground *p);
/* Makes the program of it; of a text that is wrong one that only ends, so that there is something
 * to inspect. False with *err. */
bool playground_assemble(struct playground *p, const char *program, struct err *err);

/* What is wrong with the text as it is, into p->result; of C nobody knows before it is compiled. */
void playground_check(struct playground *p);
/* Of C, which the session is to run: whether it compiles, what the compiler said, a line each, and
 * what else is in the way. */
void playground_compiled(struct playground *p, bool ok, FILE *said, const char *why);
/* Writes what has changed to the file. False with *err. */
bool playground_save(struct playground *p, struct err *err);

/* ---- on the screen ---- */
void playground_begin(struct screen *s);
/* Takes its part of the area of panes; returns the rest. */
struct rect playground_place(struct playground *p, struct rect area);
/* Whether the key was for it. */
bool playground_key(struct screen *s, int key);
bool playground_mouse(struct screen *s);
void playground_paste(struct screen *s, const char *text, size_t n);
void playground_lines(const struct playground *p, struct canvas *c);
void playground_draw(struct screen *s);
/* Whether leaving is to wait, for the text is not saved: that is said once. */
bool playground_holds(struct screen *s);
/* Its keys, on the bottom line. */
void playground_hints(struct screen *s, int y);

#endif
