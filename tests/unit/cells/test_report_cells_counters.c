/* Cells of the report of an instrumented program's counters, against its memory and what committed:
 * see view_cells.h. */
#include "tests/unit/cells/view_cells.h"

#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"

enum { PLACES = 1 << 20, TEXT_AT = 0x10000, COUNTERS = 4096 };

static void counters_cells_on_commit(void *ctx, const struct machine *m, const struct event *ev)
{
	uint32_t *times = ctx;
	(void)m;
	assert_true((ev->pc - TEXT_AT) / 2 < PLACES);
	times[(ev->pc - TEXT_AT) / 2]++;
}

struct count {
	uint64_t index, times;
};

static int counters_cells_compare_by_times(const void *a, const void *b)
{
	const struct count *x = a, *y = b;
	return x->times != y->times  ? x->times > y->times ? -1 : 1
	       : x->index < y->index ? -1
	                             : x->index > y->index;
}

static void read_kind(struct cells *c, const struct session *s, const struct counters *k,
                      const uint32_t *times)
{
	static struct count all[COUNTERS];
	struct moved_code moved;
	uint64_t n = 0, sum = 0;
	assert_true(program_moved_code(s->program, &moved));
	for (uint64_t i = 0; i < k->count; i++) {
		uint64_t count;
		assert_true(machine_peek(s->machine, k->memory + 8 * k->words * i, &count,
		                         sizeof count));
		assert_true(n < COUNTERS);
		all[n] = (struct count){i, count};
		n += count != 0;
		sum += count;
	}
	qsort(all, n, sizeof *all, counters_cells_compare_by_times);
	for (uint64_t i = 0; i < n; i++) {
		const struct counter *of = &k->all[all[i].index];
		const uint64_t now = moved_code_to(&moved, of->at);
		const double share = 100 * (double)all[i].times / (double)sum;
		assert_int_equal(cells_row(c)->pc, now);
		says(c, "kind", k->kind == INSTRUMENT_BB ? "bb" : "edge");
		if (k->type >= 0)
			says_uint(c, "type", (uint64_t)k->type);
		else
			says_nothing(c, "type");
		says_uint(c, "count", all[i].times);
		says_double(c, "share", share, "%.2f%%", share);
		says_hex(c, "address", now);
		says(c, "place", "%s", addr_of(s, now));
		if (k->kind == INSTRUMENT_EDGE)
			says(c, "to", "%s", addr_of(s, moved_code_to(&moved, of->to)));
		else
			says_nothing(c, "to");
		says_hex(c, "was", of->at);
		if (k->kind == INSTRUMENT_EDGE)
			says_hex(c, "led_to", of->to);
		else
			says_nothing(c, "led_to");
		/* The counter precedes the block's first instruction: equal counts, or the
		 * counter's is one higher. */
		const uint32_t met = times[(now - TEXT_AT) / 2];
		if (k->kind == INSTRUMENT_BB &&
		    (all[i].times < met || all[i].times > (uint64_t)met + 1))
			fail_msg("the block at 0x%llx was entered %u times, not %llu", (ull)now,
			         met, (ull)all[i].times);
	}
}

TEST(counters_are_those_in_memory)
{
	static const char *const kinds[] = {"bb", "edge", "bb=1"}; /* the last with its flag on */
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct err err;
		struct instrument_options o = {.functions = "fib,main", .switches = {.on = i == 2}};
		if (!instrument_add(&o, kinds[i], &err))
			fail_msg("%s", err.msg);
		struct session *s = open_launch(&(struct launch){.path = "build/demos/fib",
		                                                 .edit = instrument_edit,
		                                                 .edit_ctx = &o},
		                                i == 2 ? "xprof.enable=true" : NULL);
		const struct event_filter filter = {.mask = EV_BIT(COMMIT)};
		uint32_t *times = calloc(PLACES, sizeof *times);
		assert_true(machine_listen(s->machine, &filter, counters_cells_on_commit, times) >
		            0);
		for (unsigned stop = 0; stop < 3; stop++) {
			struct counters k;
			struct cells c;
			run_for(s, 20000);
			cells_open_report(&c, s, "counters");
			for (unsigned n = 0; program_counters(s->program, n, &k); n++)
				read_kind(&c, s, &k, times);
			cells_close(&c);
		}
		free(times);
		session_free(s);
	}
}

TEST(counters_cells_are_complete)
{
	reports_are_complete();
}
