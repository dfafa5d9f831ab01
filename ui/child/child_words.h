/* Other programs that we start: their words, and how they begin and end.
 *
 * Compilers, assemblers, editors and pagers take a word that begins with '-', '+' or '@' for an
 * option or for a file of options. child_file() hands over a file's name as "./NAME" then, whatever
 * program it is. A child inherits standard input, output and error, and no other descriptor. A
 * program that is named without a slash is looked for in the folders of PATH that are absolute: "."
 * and empty ones would mean whatever folder we are in. */
#ifndef CYCLOPS_UI_CHILD_CHILD_WORDS_H
#define CYCLOPS_UI_CHILD_CHILD_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/err.h"

enum { CHILD_WORDS_MAX = 96, CHILD_LINE_MAX = 4096 };

struct child_words {
	char *word[CHILD_WORDS_MAX + 1]; /* [count], owned, NULL behind them */
	unsigned count;
	bool too_many, no_memory; /* child_start() says so */
};

void child_words_init(struct child_words *w);
void child_words_deinit(struct child_words *w);
/* A word that is ours, or that has been named as an option: copied as it is. */
void child_word(struct child_words *w, const char *text);
/* The words of a command that a person gave, between blanks. */
void child_command(struct child_words *w, const char *text);
/* A file's name; any file may have any name. */
void child_file(struct child_words *w, const char *name);
/* Whether a program may take this file's name for an option or a file of options. */
bool child_file_misleads(const char *name);

/* The path of the program that a word names. False: there is none. */
bool child_program(const char *word, char *out, size_t n);

struct sandbox;
struct child_way {
	const struct sandbox *sandbox; /* what it may reach; NULL: what we may */
	const char *temporary;         /* its TMPDIR; NULL: ours */
	int input;                     /* descriptor of its standard input; 0 or -1: ours */
	bool bare_environment;         /* environment_keep_bare(); false: it has ours */
	/* Takes its standard output and error, in whole lines of up to CHILD_LINE_MAX bytes; NULL:
	 * they are ours. */
	void (*take_output)(void *ctx, const char *text, size_t n);
	void *ctx;
	void (*unconfined)(void); /* called in the child if neither namespaces nor Landlock
	                           * confine it; NULL: nothing is */
};

/* Starts it; `how` NULL: as we are, and never take_output. False with *err and errno. */
bool child_start(const struct child_words *w, const struct child_way *how, pid_t *pid,
                 struct err *err);
/* Waits for it: its exit status, or 128 more than the signal that ended it. */
int child_wait(pid_t pid);
/* Both; Ctrl-C and Ctrl-\ are for the child meanwhile. -1 with *err and errno. */
int child_run(const struct child_words *w, const struct child_way *how, struct err *err);
/* Closes all descriptors but the standard ones when this process executes another program. */
void child_keep_descriptors(void);

#endif
