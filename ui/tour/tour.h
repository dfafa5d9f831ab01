/* Guided tours: command files (demos/tours/NAME.cyc) whose comments are prose, cut into what is
 * done and told at once.
 *
 *   # Title of one line.
 *   # program: NAME      of demos/programs/list.txt, with what that says of arguments and input;
 *                        else NAME ARGUMENTS below build/demos, or of a path
 *   # options: WORDS     Cyclops' own, before the program
 *   # input: FILE        the program's standard input
 *   # ...                other lines of the header
 *
 *   # Prose, in paragraphs. An empty comment ends one, too; a line that is six blanks further in
 *   # stands alone.
 *
 *   commands
 *
 * A tour is the same whoever plays it: as text (`--batch -x`) or on the screen, step by step. */
#ifndef CYCLOPS_UI_TOUR_TOUR_H
#define CYCLOPS_UI_TOUR_TOUR_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base/err.h"

struct playground;
struct quiz;

enum { TOUR_NAME = 64, TOUR_TITLE = 160 };

/* What one key press does: commands up to the views that show what came of them, or to a question.
 */
struct tour_beat {
	/* owned; paragraphs, a line each; shared in meaning by all beats of a step */
	char *prose;
	char **commands; /* owned; [count]; none in a tour's last words */
	unsigned count;
	unsigned step;   /* from 1: prose and the commands below it */
};

struct tour {
	char name[TOUR_NAME];
	char title[TOUR_TITLE];
	char *path;              /* of its file; owned */
	char *program, *options, *input; /* as the header says, "" if it doesn't; owned */
	struct tour_beat *beats; /* owned; [count] */
	unsigned count, steps;
};

/* Reads a tour's file. False with *err, and *t is empty. */
bool tour_read(struct tour *t, const char *path, struct err *err);
void tour_deinit(struct tour *t);

/* ---- where tours are; after course_enter() ---- */
/* Calls fn with each tour of demos/tours, by name; "first" is the first. The tour is gone when fn
 * returns. */
void tour_each(void (*fn)(void *ctx, const struct tour *t), void *ctx);
/* By name, or FILE.cyc. False with *err, which names the nearest. */
bool tour_find(struct tour *t, const char *name, struct err *err);
/* Calls fn with each demo program and what it is. */
void tour_each_demo(void (*fn)(void *ctx, const char *name, const char *help), void *ctx);
/* The words that inspect this tour's program, "tour" first and NULL at the end: malloc'd, with all
 * that they point to behind them. NULL with *err: the program has yet to be built. */
char **tour_command_line(const struct tour *t, int *argc, struct err *err);

/* ---- who plays one ---- */
/* A place in a tour; for a screen that plays none, tour is NULL. */
struct tour_place {
	const struct tour *tour;
	unsigned beat;         /* that many have been played */
	bool again;            /* begin a session anew and go on from `beat` */
	char next[TOUR_NAME];  /* leave, and play this one; "" = none */
	/* answers and points, which last from one session to the next; borrowed; NULL: a session's
	 * own */
	struct quiz *quiz;
	/* of a session on an assembly text that is edited; borrowed; NULL: none. `again`: begin a
	 * session on what it has become */
	struct playground *playground;
};

#endif
