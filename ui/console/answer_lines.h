/* --json: the answer of each command of a session, one object per line.
 *
 *   {"schema": 1, "command": "step 3", "ok": true, "error": null, "cycle": 57, "text": ["..."],
 *    "stop": ..., "value": ..., "data": ..., "view": ..., "stats": ..., "instruction": ...,
 *    "output": [{"fd": 1, "text": "..."}]}
 *
 * Every line has all keys; null: the command has no such answer. `cyclops help json` describes the
 * keys. Standard output has only these lines: output of the program is in "output". */
#ifndef CYCLOPS_UI_CONSOLE_ANSWER_LINES_H
#define CYCLOPS_UI_CONSOLE_ANSWER_LINES_H

#include <stdio.h>

#include "ui/console/command.h"

enum { ANSWER_SCHEMA = 1 };

struct answer_lines;

/* Writes lines to f, borrowed. NULL if memory is out. */
struct answer_lines *answer_lines_new(FILE *f);
/* Writes a last line if there was output after the last command's line. Takes NULL. */
void answer_lines_free(struct answer_lines *a);
/* The write function of a console with these lines; ctx: the struct answer_lines. */
void answer_lines_say(void *ctx, const char *text, size_t n);
/* Takes output of the program; it goes out with the current command, or else the next. */
void answer_lines_output(struct answer_lines *a, int fd, const void *bytes, size_t n);
/* Runs a command with `run`, and writes its line. */
enum command_result
answer_lines_command(struct answer_lines *a, struct console *c, const char *text,
                     enum command_result (*run)(struct console *c, const char *text, bool *repeats),
                     bool *repeats);

#endif
