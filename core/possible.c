#include "core/possible.h"

#include <inttypes.h>
#include <string.h>

#include "core/machine_priv.h"
#include "core/pipe/possible.h"

void machine_ranges(const struct machine *m, struct ranges *rs)
{
	RANGE(rs, "journal", m->journal.st, 1, pos, RANGE_MOST, RANGE_TIME);
	RANGE(rs, "journal", m->journal.st, 1, changes, RANGE_MOST, RANGE_TIME);
	os_ranges(m->os, rs);
	pipe_ranges(&m->pipe, rs);
	prof_ranges(&m->prof, rs);
}

/* ---- words within their ranges ---- */
struct search {
	struct ranges rs; /* first */
	struct err *err;
	bool ok;
};

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

static bool refuse(struct search *s, const struct range *r, size_t row, uint64_t value)
{
	static const char *const what[] = {
		[RANGE_MOST] = "more than", [RANGE_NONE] = "more than", [RANGE_BITS] = "other bits than"};
	s->ok = false;
	return err_set(s->err, "an impossible machine: %s: %s%s%.0zu is 0x%" PRIx64 ", %s 0x%" PRIx64, r->of, r->field,
	               r->rows > 1 ? " of number " : "", r->rows > 1 ? row : 0, value, what[r->kind], r->limit);
}

static void look(struct ranges *rs, const struct range *r)
{
	struct search *s = (struct search *)rs;
	for (size_t row = 0; s->ok && row < r->rows; row++) {
		const uint8_t *at = (const uint8_t *)r->first + row * r->row_bytes;
		uint64_t value;
		if (r->kind == RANGE_TEXT && !text_ends((const char *)at, r->width)) {
			s->ok = err_set(s->err, "an impossible machine: %s: the text %s does not end", r->of, r->field);
			return;
		}
		for (size_t i = 0; r->kind != RANGE_TEXT && i < r->columns; i++, at += r->width)
			if (!is_within(r, at, &value)) {
				refuse(s, r, row, value);
				return;
			}
	}
}

bool machine_is_within_ranges(const struct machine *m, struct err *err)
{
	struct search s = {.rs.tell = look, .err = err, .ok = true};
	machine_ranges(m, &s.rs);
	return s.ok;
}

/* A checkpoint's ends where the machine is: nothing in it is to be made again. */
static const char *journal_impossible(const struct machine *m)
{
	const struct journal *j = &m->journal;
	if (j->st->pos != j->entries || j->st->changes != j->changes)
		return "the journal goes on behind the machine's place in it";
	return j->entries && journal_at(j, j->entries - 1)->cycle > machine_guest_cycle(m) ? "the journal tells of the future" : NULL;
}

bool machine_is_possible(const struct machine *m, struct err *err)
{
	const char *wrong = pipe_impossible(&m->pipe);
	wrong = wrong ? wrong : plugins_impossible(&m->pipe.plugins);
	wrong = wrong ? wrong : journal_impossible(m);
	wrong = wrong ? wrong : os_impossible(m->os, m->mem);
	wrong = wrong ? wrong : prof_impossible(&m->prof);
	return !wrong || err_set(err, "an impossible machine: %s", wrong);
}
