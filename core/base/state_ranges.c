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

static bool is_within(const struct range *r, const uint8_t *at, uint64_t *value)
{
	const uint64_t all = r->width < sizeof all ? (UINT64_C(1) << 8 * r->width) - 1 : UINT64_MAX;
	*value = 0;
	memcpy(value, at, r->width);
	switch (r->kind) {
	case RANGE_MOST:
		return *value <= r->limit;
	case RANGE_NONE:
		return *value <= r->limit || *value == all;
	case RANGE_BITS:
		return !(*value & ~r->limit);
	case RANGE_TEXT:
		break;
	}
	return false;
}

static bool refuse(struct range_search *s, const struct range *r, size_t row, uint64_t value)
{
	static const char *const what[] = {[RANGE_MOST] = "more than",
	                                   [RANGE_NONE] = "more than",
	                                   [RANGE_BITS] = "other bits than"};
	char number[40] = "";
	if (r->rows > 1)
		snprintf(number, sizeof number, " of number %zu", row);
	s->ok = false;
	return err_set(s->err,
	               "an impossible machine: %s: %s%s is 0x%" PRIx64 ", %s 0x%" PRIx64, r->of,
	               r->field, number, value, what[r->kind], r->limit);
}

static void look(struct ranges *rs, const struct range *r)
{
	struct range_search *s = (struct range_search *)rs;
	for (size_t row = 0; s->ok && row < r->rows; row++) {
		const uint8_t *at = (const uint8_t *)r->first + row * r->row_bytes;
		uint64_t value;
		if (r->kind == RANGE_TEXT && !text_ends((const char *)at, r->width)) {
			s->ok = err_set(s->err,
			                "an impossible machine: %s: the text %s does not end",
			                r->of, r->field);
			return;
		}
		for (size_t i = 0; r->kind != RANGE_TEXT && i < r->columns; i++, at += r->width)
			if (!is_within(r, at, &value)) {
				refuse(s, r, row, value);
				return;
			}
	}
}

struct range_search range_search(struct err *err)
{
	return (struct range_search){.rs.tell = look, .err = err, .ok = true};
}
