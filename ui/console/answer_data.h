/* What a command tells, as an object beside its text, for who reads lines of --json.
 *
 * Names are those of views. Counts are numbers, addresses texts ("0x1040c"), what is empty is null.
 * jansson's functions take a NULL object and do nothing, so commands fill theirs whether or not
 * somebody reads it. */
#ifndef CYCLOPS_UI_CONSOLE_ANSWER_DATA_H
#define CYCLOPS_UI_CONSOLE_ANSWER_DATA_H

#include <jansson.h>
#include <stdint.h>

#include "ui/console/command.h"

struct code;

/* An object in place of what the command has told so far; borrowed by the command. NULL: nobody
 * reads it, or memory is short. */
json_t *answer_data(struct console *c);
/* The same with one member, an array: that array. */
json_t *answer_data_rows(struct console *c, const char *name);

/* The view of that name, unless the command has shown one. */
void answer_view(struct console *c, const char *name);

/* Each puts a member. */
/* "" and NULL are null; what is not UTF-8 becomes U+FFFD */
void data_text(json_t *to, const char *name, const char *text);
/* of it what stands before its line ends */
void data_line(json_t *to, const char *name, const char *text);
void data_addr(json_t *to, const char *name, uint64_t addr);
void data_count(json_t *to, const char *name, uint64_t n);
void data_bool(json_t *to, const char *name, bool yes);
void data_null(json_t *to, const char *name);
/* "pc" with the symbol, file and line there, each null where none is known. */
void data_place(json_t *to, const struct console *c, const char *name, uint64_t addr);
/* An instruction in memory behind the last of an array: its place, bytes in hexadecimal, text, and
 * whether it is next to commit. */
void data_instruction(json_t *array, const struct console *c, const struct code *code);
/* Behind the last of an array. */
void data_word(json_t *array, const char *text);
/* An object behind the last of an array; borrowed. */
json_t *data_row(json_t *array);

#endif
