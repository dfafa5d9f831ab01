/* Guided tours: command files (demos/tours/NAME.cyc) whose comments are prose, split into beats,
 * each played by one key press.
 *
 *   # Title of one line.
 *   # program: NAME      of demos/programs/list.txt, with its arguments and input there;
 *                        else NAME ARGUMENTS below build/demos, or of a path
 *   # options: WORDS     Cyclops' own, before the program
 *   # input: FILE        the program's standard input
 *   # ...                other lines of the header
 *
 *   # Prose, in paragraphs. An empty comment also ends one; a line indented by six more blanks
 *   # is not joined with others.
 *
 *   commands
 *
 * A tour is the same as text (`--batch -x`) and on the screen, step by step. */
#ifndef CYCLOPS_UI_TOUR_TOUR_H
#define CYCLOPS_UI_TOUR_TOUR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

struct moment;
struct playground;
struct quiz;

enum { TOUR_NAME = 64, TOUR_TITLE = 160 };

/* The commands of one key press: up to the views that show their effect, or up to a question. */
struct tour_beat {
	/* owned; one line per paragraph; equal in all beats of a step */
	char *prose;
	char **commands; /* owned; [count]; none in a tour's closing words */
	unsigned count;
	unsigned step;   /* the beat's step, from 1: prose and the commands below it */
};

struct tour {
	char name[TOUR_NAME];
	char title[TOUR_TITLE];
	char *path;              /* of its file; owned */
	char *program, *options, *input; /* from the header, "" without; owned */
	struct tour_beat *beats; /* owned; [count] */
	unsigned count, steps;
};

/* Reads a tour's file. False with *err, and *t is empty. */
bool tour_read(struct tour *t, const char *path, struct err *err);
void tour_deinit(struct tour *t);

/* ---- finding tours; call after course_enter() ---- */
/* Calls fn with each tour of demos/tours, by name, but "first" first. The tour is valid only during
 * the call. */
void tour_each(void (*fn)(void *ctx, const struct tour *t), void *ctx);
/* Finds a tour by name or FILE.cyc. False with *err, which names the nearest. */
bool tour_find(struct tour *t, const char *name, struct err *err);
/* Calls fn with each demo program's name and description. */
void tour_each_demo(void (*fn)(void *ctx, const char *name, const char *help), void *ctx);
/* Builds the command line that inspects this tour's program, "tour" first and NULL at the end: one
 * allocation, including the strings. NULL with *err: the program has yet to be built. */
char **tour_command_line(const struct tour *t, int *argc, struct err *err);

/* ---- playing ---- */
/* A lab whose steps are played: commands are not quoted, a wrong answer may be given once more, and
 * the end leads to the task. */
struct tour_lab {
	/* keeps the place, after each step and answer */
	void (*save)(void *ctx);
	void *ctx;
	bool to_task; /* set when the user leaves for the task */
};

/* Position in a tour; for a screen without a tour, tour is NULL. */
struct tour_place {
	const struct tour *tour;
	unsigned beat;         /* beats that have been played */
	bool again;            /* restart the session and continue from `beat` */
	char next[TOUR_NAME];  /* leave, and play this tour; "" = none */
	/* answers and points that outlive a session; borrowed; NULL: use the session's own */
	struct quiz *quiz;
	struct tour_lab *lab; /* borrowed; NULL: a tour */
	/* of a session on a program text that is being edited; borrowed; NULL: none. `again`: start
	 * a session on the edited text */
	struct playground *playground;
	/* of `cyclops PROGRAM`: its command line, NULL: another session; borrowed. `again`: start a
	 * session by it, run the program to its end, and compare with a run of these */
	char *const *argv;
	uint64_t cycles, insts;
	const char *source;    /* of which the program was compiled; NULL: none; borrowed */
	/* of a link: the session begins there, unless it is one of `again`; borrowed; NULL: none */
	const struct moment *moment;
	/* argv[0] that the program sees; NULL: its path; borrowed */
	const char *seen_as;
};

#endif
