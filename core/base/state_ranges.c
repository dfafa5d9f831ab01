#include "core/base/state_ranges.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool text_ends(const char *text, size_t n)
{
	const char *end = memchr(text, '\0', n);
	while (end && end < text + n)
		if (*end++)
			return false;
	return end;
}

/* Index of the first of n numbers, `step` bytes apart, outside its range; n: none. Each unit of a
 * sample checks a state read from a live point, hence a fast loop for each width. */
#define FIRST_OUTSIDE(type)                                                                        \
	for (size_t i = 0; i < n; i++) {                                                           \
		type v;                                                                            \
		memcpy(&v, at + i * step, sizeof v);                                               \
		v = (type)((uint64_t)v >> r->low & part);                                          \
		if (bits ? (v & ~r->limit) != 0 : v > r->limit && (!none || v != (type)-1)) {      \
			*value = v;                                                                \
			return i;                                                                  \
		}                                                                                  \
	}                                                                                          \
	return n

static size_t first_outside(const struct range *r, const uint8_t *at, size_t n, size_t step,
                            uint64_t *value)
{
	const bool bits = r->kind == RANGE_BITS, none = r->kind == RANGE_NONE;
	const uint64_t part = r->bits ? (UINT64_C(1) << r->bits) - 1 : UINT64_MAX;
	switch (r->width) {
	case 1:
		FIRST_OUTSIDE(uint8_t);
	case 2:
		FIRST_OUTSIDE(uint16_t);
	case 4:
		FIRST_OUTSIDE(uint32_t);
	}
	FIRST_OUTSIDE(uint64_t);
}

static bool ranges_report_violation(struct range_search *s, const struct range *r, size_t row,
                                    uint64_t value)
{
	static const char *const what[] = {[RANGE_MOST] = "more than",
	                                   [RANGE_NONE] = "more than",
	                                   [RANGE_BITS] = "other bits than"};
	char number[40] = "";
	if (r->rows > 1)
		snprintf(number, sizeof number, " of number %zu", row);
	return err_set(s->err,
	               "an impossible machine: %s: %s%s is 0x%" PRIx64 ", %s 0x%" PRIx64, r->of,
	               r->field, number, value, what[r->kind], r->limit);
}

static void ranges_check_range(struct ranges *rs, const struct range *r)
{
	struct range_search *s = (struct range_search *)rs;
	const uint8_t *first = r->first;
	uint64_t value = 0;
	for (size_t row = 0; r->kind == RANGE_TEXT && s->ok && row < r->rows; row++)
		s->ok = text_ends((const char *)first + row * r->row_bytes, r->width) ||
		        err_set(s->err, "an impossible machine: %s: the text %s does not end",
		                r->of, r->field);
	/* Goes down each column of a table, or along its only row. */
	const bool flat = r->rows == 1;
	const size_t n = flat ? r->columns : r->rows, step = flat ? r->width : r->row_bytes,
		     columns = r->kind == RANGE_TEXT ? 0 : flat ? 1 : r->columns;
	for (size_t i = 0; s->ok && i < columns; i++) {
		const size_t row = first_outside(r, first + i * r->width, n, step, &value);
		s->ok = row == n || ranges_report_violation(s, r, row, value);
	}
}

struct range_search range_search(struct err *err)
{
	return (struct range_search){.rs.tell = ranges_check_range, .err = err, .ok = true};
}
