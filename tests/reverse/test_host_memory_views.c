/* When the host has no memory left while a view or a machine is made: it is whole, or refused. */
#include "core/machine/params.h"
#include "tests/by_hand.h"
#include "tests/reverse/failing_memory.h"
#include "tests/reverse/rig.h"


#include "hwviews/grid/view.h"
#include "tests/scale.h"

static bool same_grid(const struct grid *a, const struct grid *b)
{
	if (a->row_count != b->row_count || a->column_count != b->column_count ||
	    strcmp(a->title, b->title) != 0 || strcmp(a->summary, b->summary) != 0)
		return false;
	for (unsigned r = 0; r < a->row_count; r++)
		for (unsigned c = 0; c < a->column_count; c++)
			if (strcmp(a->rows[r].cells[c].text, b->rows[r].cells[c].text) != 0)
				return false;
	return true;
}

/* If any allocation fails, a view is whole, or reports that there is no memory. */
TEST(a_view_is_whole_or_not_shown)
{
	static const char *const names[] = {"rob", "lsq", "regs", "l1d", "cpi", "tlb"};
	const struct view_args args = {.argc = 0};
	struct rig *g = rig_open(&guest);
	(void)state;
	rig_goto(g, 20000);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct grid whole, part;
		struct err err = {""};
		unsigned n = 0, refused = 0;
		assert_true(view_build(g->s, names[i], &args, &whole, &err));
		do {
			scarce.left = n;
			n = next_allocation(n, 4);
			scarce.fail = 1;
			scarce.failed = 0;
			scarce.on = true;
			const bool ok = view_build(g->s, names[i], &args, &part, &err);
			scarce.on = false;
			refused += !ok;
			if (!ok)
				assert_non_null(strstr(err.msg, "memory"));
			else if (!same_grid(&whole, &part))
				fail_msg("view %s, allocation %u: a part is missing without "
				         "an error",
				         names[i], n);
			if (ok)
				grid_deinit(&part);
		} while (scarce.failed);
		assert_true(refused > 3);
		grid_deinit(&whole);
	}
	rig_close(g);
}

/* If any allocation fails, a machine with all devices is made, or refused for lack of memory. */
TEST(a_machine_may_not_come_to_be)
{
	static const char *const on[] = {
		"l1i.size=1K",      "l1d.size=1K",      "l2.size=4K",
		"oracle.memory=1M", "oracle.enable=1",  "sampler.enable=1",
		"cop.enable=1",     "vsample.enable=1", "profileme.enable=1"};
	struct config cfg;
	struct err err;
	config_default(&cfg);
	for (size_t i = 0; i < sizeof on / sizeof *on; i++)
		assert_true(config_set_assignment(&cfg, on[i], &err));
	unsigned n = 0, refused = 0;
	do {
		scarce.left = n;
		/* sanitized, each block of the reserve is an allocation */
		n += scale_is("small") && n > 30 ? 1 + n / 8 : 1;
		scarce.fail = 1;
		scarce.failed = 0;
		scarce.on = true;
		struct machine *m = machine_new(&cfg, &err);
		scarce.on = false;
		refused += !m;
		if (!m)
			assert_non_null(strstr(err.msg, "memory"));
		machine_free(m);
	} while (scarce.failed);
	assert_true(refused > 10);
}

TEST_GROUP(rig_enter, rig_leave)
