/* Child programs: their command lines, starting them and waiting for them.
 *
 * Compilers, assemblers, editors and pagers take a word that begins with '-', '+' or '@' for an
 * option or for a file of options. child_file() passes such a file name as "./NAME", for every
 * program. A child inherits only standard input, output and error. A program named without a slash
 * is looked up in the absolute folders of PATH only, not in "." or empty entries, which mean the
 * current folder. */
#ifndef CYCLOPS_UI_CHILD_CHILD_WORDS_H
#define CYCLOPS_UI_CHILD_CHILD_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "core/base/err.h"

enum { CHILD_WORDS_MAX = 96, CHILD_LINE_MAX = 4096 };

struct child_words {
	char *word[CHILD_WORDS_MAX + 1]; /* [count], owned, NULL after them */
	unsigned count;
	bool too_many, no_memory; /* reported by child_start() */
};

void child_words_init(struct child_words *w);
void child_words_deinit(struct child_words *w);
/* Adds a copy of a word that may be an option. */
void child_word(struct child_words *w, const char *text);
/* Adds the words, separated by blanks, of a command that the user gave. */
void child_command(struct child_words *w, const char *text);
/* Adds a file's name, which may begin with any character. */
void child_file(struct child_words *w, const char *name);
/* True if a program may take this file's name for an option or a file of options. */
bool child_file_misleads(const char *name);

/* Writes the path of the program that a word names. False: there is none. */
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
	/* With take_output: set if one of its processes opens a named pipe without a writer, which
	 * would wait for ever; it is killed then. NULL: it may wait. */
	bool *met_pipe;
	void (*unconfined)(void); /* called in the child if neither namespaces nor Landlock
	                           * confine it; NULL: nothing is */
};

/* Starts it; `how` NULL: as we are, and never take_output. False with *err and errno. */
bool child_start(const struct child_words *w, const struct child_way *how, pid_t *pid,
                 struct err *err);
/* Waits for the child; returns its exit status, or 128 + the number of its fatal signal. */
int child_wait(pid_t pid);
/* Starts the child and waits for it, with child_attend(). -1 with *err and errno. */
int child_run(const struct child_words *w, const struct child_way *how, struct err *err);
/* Runs a command of the user's in /bin/sh, as system() does. */
int child_shell(const char *command);

#endif
