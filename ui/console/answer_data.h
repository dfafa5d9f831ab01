/* A command's answer as a JSON object beside its text, for readers of --json.
 *
 * Names are those of views. Counts are numbers, addresses strings ("0x1040c"), empty values null.
 * jansson's functions ignore a NULL object, so commands fill theirs unconditionally. */
#ifndef CYCLOPS_UI_CONSOLE_ANSWER_DATA_H
#define CYCLOPS_UI_CONSOLE_ANSWER_DATA_H

#include <jansson.h>
#include <stdint.h>

#include "ui/console/command.h"

struct code;

/* Starts a new answer object, which replaces an earlier one of the command; borrowed. NULL: it is
 * not needed, or memory is out. */
json_t *answer_data(struct console *c);
/* Likewise, with a single member, an array; returns the array. */
json_t *answer_data_rows(struct console *c, const char *name);

/* Adds the view of that name to the answer, unless the command has shown one. */
void answer_view(struct console *c, const char *name);

/* Each adds a member. */
/* "" and NULL are null; invalid UTF-8 becomes U+FFFD */
void data_text(json_t *to, const char *name, const char *text);
/* the text up to its first line end */
void data_line(json_t *to, const char *name, const char *text);
void data_addr(json_t *to, const char *name, uint64_t addr);
void data_count(json_t *to, const char *name, uint64_t n);
void data_bool(json_t *to, const char *name, bool yes);
void data_null(json_t *to, const char *name);
/* Adds an address as "pc" with its symbol, file and line, each null if unknown. */
void data_place(json_t *to, const struct console *c, const char *name, uint64_t addr);
/* Appends an instruction in memory to an array: its place, bytes in hexadecimal, text, and whether
 * it is next to commit. */
void data_instruction(json_t *array, const struct console *c, const struct code *code);
/* Appends a string to an array. */
void data_word(json_t *array, const char *text);
/* Appends an object to an array and returns it; borrowed. */
json_t *data_row(json_t *array);

#endif
