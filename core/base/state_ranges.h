/* Tables of valid values for each word of the machine's state. They validate checkpoints, and debug
 * builds check them as the machine runs.
 *
 * Each module lists the fields of its sections that are used as an index, a size, a choice, a
 * count, a flag or a text, each with its valid values in this very machine. A field that is not
 * listed may not be used as one. A list calls ranges.tell for each range: the check of a restored
 * machine tests that words lie within, a test puts them outside. Relations between fields are
 * checked by functions beside the lists. */
#ifndef CYCLOPS_CORE_BASE_STATE_RANGES_H
#define CYCLOPS_CORE_BASE_STATE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum range_kind {
	RANGE_MOST, /* a number up to `limit` */
	RANGE_NONE, /* as RANGE_MOST, or all bits set: no number */
	RANGE_BITS, /* no bits but those of `limit` */
	RANGE_TEXT  /* characters, a zero byte, and only zeros after it */
};

struct range {
	const char *of, *field; /* names, for messages */
	const void *first;      /* in the arena */
	size_t rows, row_bytes; /* of a table; bytes from one row to the next */
	size_t columns;         /* of an array in a row, adjacent */
	size_t width;           /* bytes: 1, 2, 4, 8; of a text, its whole size */
	unsigned low, bits;     /* of a bit field: its place in these bytes; bits = 0: all */
	enum range_kind kind;
	uint64_t limit;
};

/* The callback to which lists pass their ranges. */
struct ranges {
	void (*tell)(struct ranges *rs, const struct range *r);
};

/* Checks that words lie within their ranges: pass &s.rs to lists, then test s.ok. *err names the
 * first word outside. */
struct range_search {
	struct ranges rs; /* first */
	struct err *err;  /* borrowed */
	bool ok;
};
struct range_search range_search(struct err *err);

/* Limit of a time or a count: additions to it never wrap around. */
#define RANGE_TIME ((UINT64_C(1) << 62) - 1)
/* Limit of a cycle in which a request made by now completes: all queues with the largest latencies
 * take less. So a checkpoint can't make a stage wait for ever. */
#define RANGE_SOON(now) ((now) + (UINT64_C(1) << 32))

/* A field of each of n structures from `table` on. For arrays use RANGE_EACH(), for texts
 * RANGE_TEXT_IN(). */
#define RANGE(rs, name, table, n, member, its_kind, most)                                          \
	(rs)->tell((rs), &(struct range){.of = (name),                                             \
	                                 .field = #member,                                         \
	                                 .first = &(table)->member,                                \
	                                 .rows = (size_t)(n),                                      \
	                                 .row_bytes = sizeof *(table),                             \
	                                 .columns = 1,                                             \
	                                 .width = sizeof(table)->member,                           \
	                                 .kind = (its_kind),                                       \
	                                 .limit = (uint64_t)(most)})
/* A bit field of the member `word`: `n_bits` from bit `from` on. */
#define RANGE_PART(rs, name, table, n, word, from, n_bits, label, its_kind, most)                  \
	(rs)->tell((rs), &(struct range){.of = (name),                                             \
	                                 .field = (label),                                         \
	                                 .first = &(table)->word,                                  \
	                                 .rows = (size_t)(n),                                      \
	                                 .row_bytes = sizeof *(table),                             \
	                                 .columns = 1,                                             \
	                                 .width = sizeof(table)->word,                             \
	                                 .low = (from),                                            \
	                                 .bits = (n_bits),                                         \
	                                 .kind = (its_kind),                                       \
	                                 .limit = (uint64_t)(most)})
#define RANGE_EACH(rs, name, table, n, member, its_kind, most)                                     \
	(rs)->tell((rs),                                                                           \
	           &(struct range){.of = (name),                                                   \
	                           .field = #member,                                               \
	                           .first = (table)->member,                                       \
	                           .rows = (size_t)(n),                                            \
	                           .row_bytes = sizeof *(table),                                   \
	                           .columns = sizeof(table)->member / sizeof *(table)->member,     \
	                           .width = sizeof *(table)->member,                               \
	                           .kind = (its_kind),                                             \
	                           .limit = (uint64_t)(most)})
#define RANGE_TEXT_IN(rs, name, table, n, member)                                                  \
	(rs)->tell((rs), &(struct range){.of = (name),                                             \
	                                 .field = #member,                                         \
	                                 .first = (table)->member,                                 \
	                                 .rows = (size_t)(n),                                      \
	                                 .row_bytes = sizeof *(table),                             \
	                                 .columns = 1,                                             \
	                                 .width = sizeof(table)->member,                           \
	                                 .kind = RANGE_TEXT})
/* n plain numbers. */
#define RANGE_WORDS(rs, name, words, n, its_kind, most)                                            \
	(rs)->tell((rs), &(struct range){.of = (name),                                             \
	                                 .field = "entry",                                         \
	                                 .first = (words),                                         \
	                                 .rows = (size_t)(n),                                      \
	                                 .row_bytes = sizeof *(words),                             \
	                                 .columns = 1,                                             \
	                                 .width = sizeof *(words),                                 \
	                                 .kind = (its_kind),                                       \
	                                 .limit = (uint64_t)(most)})

/* ---- a structure as a table ----
 * Devices' structures are tables of their own, NAME_state.def, a row for each field:
 *
 *   STATE(type, name, n, kind, limit, "what it is")
 *
 * n: [N] for an array, else empty. kind: valid values: MOST, NONE or BITS as in enum range_kind, up
 * to `limit`, an expression evaluated where the ranges are listed; ANY: any value, or a structure
 * whose fields are checked by functions beside the table, because they are in queues, too, or their
 * limits differ between elements. Each use of a table defines STATE:
 *
 *   struct x {                                        the structure
 *   #define STATE STATE_FIELD
 *   const struct state_field x_fields[] = {           for printing
 *   #define STATE(...) STATE_ROW(x, __VA_ARGS__)
 *   void x_ranges(const struct x *st, ...) {          its ranges; of a table of n, STATE_ROWS()
 *   #define STATE(...) STATE_RANGE(rs, "the x", st, __VA_ARGS__) */
#define STATE_FIELD(type, name, n, kind, limit, help) type name n;
#define STATE_ROW(tag, type, field, n, kind, limit, what)                                          \
	{                                                                                          \
		.name = #field, .help = (what), .offset = offsetof(struct tag, field),             \
		.width = sizeof(type), .count = sizeof((struct tag *)0)->field / sizeof(type)      \
	},
#define STATE_RANGE(rs, of, st, type, name, n, kind, limit, help)                                  \
	STATE_RANGE_##kind(rs, of, st, 1, type, name, limit)
#define STATE_ROWS(rs, of, st, rows, type, name, n, kind, limit, help)                             \
	STATE_RANGE_##kind(rs, of, st, rows, type, name, limit)
#define STATE_RANGE_ANY(rs, of, st, rows, type, name, limit)
#define STATE_RANGE_MOST(rs, of, st, rows, type, name, limit)                                      \
	STATE_RANGE_OF(rs, of, st, rows, type, name, RANGE_MOST, limit)
#define STATE_RANGE_NONE(rs, of, st, rows, type, name, limit)                                      \
	STATE_RANGE_OF(rs, of, st, rows, type, name, RANGE_NONE, limit)
#define STATE_RANGE_BITS(rs, of, st, rows, type, name, limit)                                      \
	STATE_RANGE_OF(rs, of, st, rows, type, name, RANGE_BITS, limit)
#define STATE_RANGE_OF(rs, its_name, st, its_rows, type, name, its_kind, most)                     \
	(rs)->tell((rs), &(struct range){.of = (its_name),                                         \
	                                 .field = #name,                                           \
	                                 .first = &(st)->name,                                     \
	                                 .rows = (size_t)(its_rows),                               \
	                                 .row_bytes = sizeof *(st),                                \
	                                 .columns = sizeof(st)->name / sizeof(type),               \
	                                 .width = sizeof(type),                                    \
	                                 .kind = (its_kind),                                       \
	                                 .limit = (uint64_t)(most)});

struct state_field {
	const char *name, *help;
	size_t offset, width; /* bytes; of one */
	size_t count;         /* elements of an array; else 1 */
};

/* A structure in the arena, or a table of n of them, for printing. */
struct state_part {
	const char *name;                /* "sampler"; static */
	const struct state_field *field; /* [fields]; static */
	unsigned fields;
	const void *first;               /* borrowed */
	size_t rows, row_bytes;
};
#define STATE_PART(its_name, its_fields, its_first, n)                                            \
	(struct state_part){.name = (its_name), .field = (its_fields),                            \
	                     .fields = sizeof(its_fields) / sizeof *(its_fields),                  \
	                     .first = (its_first), .rows = (n), .row_bytes = sizeof *(its_first)}
enum { STATE_PARTS_MAX = 8 };

#endif
