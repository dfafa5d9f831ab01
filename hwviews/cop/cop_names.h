/* Names for the co-processor's state: the text of the microprogram that it executes, with labels,
 * names of registers and columns of its slots.
 *
 * A session keeps each program loaded by hand or named for the firmware's. The current program is
 * the one whose microinstructions and start table are in the machine, so it is right in the past,
 * too. Every format_*() writes to buf (n bytes, NUL-terminated, truncated) and returns it. */
#ifndef CYCLOPS_HWVIEWS_COP_COP_NAMES_H
#define CYCLOPS_HWVIEWS_COP_COP_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"

struct microprogram;
struct session;

/* The co-processor of the session's machine, NULL if it has none. */
const struct cop *session_cop(const struct session *s);
/* The microprogram that the coprocessor executes, NULL if unknown. Borrowed from the session. */
const struct microprogram *session_microprogram(const struct session *s);
const struct micro_image *session_micro_image(const struct session *s);
/* s takes p over. False with *err if memory is out: p is freed. */
bool session_add_microprogram(struct session *s, struct microprogram *p, struct err *err);

/* ---- places and registers ---- */
/* "new+2"; "20" if no label precedes it. */
char *format_micro_at(const struct session *s, unsigned at, char *buf, size_t n);
/* Accepts a label, label+N or a number. False with *err, which names the nearest label. */
bool micro_at_parse(const struct session *s, const char *text, unsigned *at, struct err *err);
/* The microinstruction in the syntax of its program. */
char *format_micro(const struct session *s, struct micro_word w, unsigned at, char *buf, size_t n);
/* The register's name in the program, "" if it has none. Letters: v k x b t. */
const char *micro_register_name(const struct micro_image *image, char letter, unsigned number);
/* Finds the letter and number of "v3", or of the program's name for it. False if there is none. */
bool micro_register_find(const struct micro_image *image, const char *name, char *letter,
                         unsigned *number);
/* letter: v k x b t; number must be below micro_register_count(letter). */
uint64_t micro_register_value(const struct micro_state *st, char letter, unsigned number);
/* Number of registers of a letter; 0 for other letters. */
unsigned micro_register_count(char letter);

#endif
