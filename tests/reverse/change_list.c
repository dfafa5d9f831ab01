/* A list of changes, for a machine that goes forwards only. */
#include "tests/reverse/change_list.h"

#include <string.h>

#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler.h"
#include "tests/reverse/rig.h"

void list_change(struct rig *g, struct list *l, const struct change *c)
{
	struct err err;
	struct step *s = &l->step[l->n++];
	assert_true(l->n <= 16 && c->n <= sizeof s->word);
	*s = (struct step){.cycle = rig_cycle(g), .change = *c};
	if (c->n)
		memcpy(&s->word, c->bytes, c->n);
	s->change.bytes = &s->word;
	if (!run_change(g->r, c, &err))
		fail_msg("%s", err.msg);
}

void set_reg(struct rig *g, struct list *l, unsigned reg, uint64_t value)
{
	list_change(g, l, &(struct change){.kind = JOURNAL_REG, .a = reg, .b = value});
}

static void list_set_pc(struct rig *g, struct list *l, const char *symbol)
{
	list_change(g, l, &(struct change){.kind = JOURNAL_PC, .a = rig_symbol(g, symbol)});
}

void set_word(struct rig *g, struct list *l, const char *symbol, uint64_t value)
{
	list_change(g, l,
	            &(struct change){.kind = JOURNAL_MEMORY,
	                             .a = rig_symbol(g, symbol),
	                             .bytes = &value,
	                             .n = sizeof value});
}

uint64_t straight(const struct subject *how, const struct list *l, uint64_t cycle)
{
	struct subject plain = *how;
	struct err err;
	plain.history.history = false;
	struct rig *g = rig_open(&plain);
	struct machine *m = g->s->machine;
	for (size_t i = 0; i < l->n && l->step[i].cycle <= cycle; i++) {
		machine_run(m, l->step[i].cycle, UINT64_MAX);
		assert_int_equal(machine_cycle(m), l->step[i].cycle);
		if (!machine_change(m, &l->step[i].change, &err))
			fail_msg("%s", err.msg);
	}
	machine_run(m, cycle, UINT64_MAX);
	assert_int_equal(machine_cycle(m), cycle);
	uint64_t hash = rig_hash(g);
	rig_close(g);
	return hash;
}

void expect_straight(const struct rig *g, const struct list *l)
{
	assert_int_equal(rig_hash(g), straight(&guest, l, rig_cycle(g)));
}

void change_along(struct rig *g, struct list *l)
{
	rig_run_to(g, "after_read");
	set_word(g, l, "counter", 1000);
	rig_run_to(g, "before_patch");
	set_reg(g, l, REG_T6, 111);
	set_reg(g, l, REG_T6, 222);
	set_reg(g, l, REG_FT0, UINT64_C(0x4004000000000000));
	list_set_pc(g, l, "after_patch");
	rig_run_to(g, "before_longjmp");
}
