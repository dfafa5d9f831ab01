/* Fields of events and of instructions in flight (core/defs/field_type.h), as values for Lua and as
 * text. */
#ifndef CYCLOPS_HWVIEWS_GRID_FIELD_TEXT_H
#define CYCLOPS_HWVIEWS_GRID_FIELD_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "core/defs/events.h"
#include "core/defs/field_type.h"

struct session;

enum field_kind { FIELD_IS_INT, FIELD_IS_BOOL, FIELD_IS_TEXT };

struct field_value {
	enum field_kind kind;
	uint64_t word;    /* INT; BOOL: 0 or 1 */
	const char *text; /* TEXT; static */
};

/* Converts a word of this type: a level becomes its name, an address a number. INST has no word of
 * its own: NUMBER. */
struct field_value field_value(enum field_type type, uint64_t word);
/* A word as text: "0x3ffe8 (sp+24)", "find+0x10", "memory". Writes at most n bytes; returns buf. */
char *field_text(const struct session *s, enum field_type type, uint64_t word, char *buf, size_t n);
/* All of an event's fields: "addr 0x3ffe8 (sp+24), level memory, latency 112"; "" if it has none.
 */
char *field_text_of_event(const struct session *s, const struct event *ev, char *buf, size_t n);

#endif
