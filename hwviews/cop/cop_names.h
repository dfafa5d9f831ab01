/* What people know the co-processor's state by: the text of the microprogram that it executes, with
 * labels, names of registers and columns of its slots.
 *
 * A session keeps each program that was loaded by hand, or named for what firmware loads. That
 * whose microinstructions and start table are in the machine is the one that is meant: so it is the
 * right one in the past, too. Every tell_*() writes to buf (n bytes, NUL-terminated, truncated) and
 * returns it. */
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
/* The text of what it executes, NULL if none is known. Borrowed, as long as the session. */
const struct microprogram *session_microprogram(const struct session *s);
const struct micro_image *session_micro_image(const struct session *s);
/* s takes p over. False with *err if memory is out: p is freed. */
bool session_add_microprogram(struct session *s, struct microprogram *p, struct err *err);

/* ---- places and registers ---- */
/* "new+2", "0x14" where nothing has a label. */
char *format_micro_at(const struct session *s, unsigned at, char *buf, size_t n);
/* A label, label+N or number; false with *err, which names the nearest. */
bool micro_at_parse(const struct session *s, const char *text, unsigned *at, struct err *err);
/* The microinstruction, as its program writes it. */
char *format_micro(const struct session *s, struct micro_word w, unsigned at, char *buf, size_t n);
/* The register's name in the program, "" if it has none: letter of v k x b t. */
const char *micro_register_name(const struct micro_image *image, char letter, unsigned number);
/* "v3" or what the program calls it: the register's letter and number; false if there is none. */
bool micro_register_find(const struct micro_image *image, const char *name, char *letter,
                         unsigned *number);
/* Of v k x b t; number must be one of them. */
uint64_t micro_register_value(const struct micro_state *st, char letter, unsigned number);
/* How many there are; 0 of other letters. */
unsigned micro_register_count(char letter);

#endif
