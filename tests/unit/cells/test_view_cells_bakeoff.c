/* Cells of the view of profilers' beliefs about the hottest blocks: the truth against commits, one
 * profiler's share against its records. tests/bakeoff/view.lua compares the other profilers and the
 * errors. See view_cells.h. */
#include "tests/unit/cells/view_cells.h"

#include "core/prof/profileme/profileme.h"

enum { PCS = 1 << 16 };

/* Commits by address. */
static struct {
	uint64_t low, of[PCS], all;
} committed;

static void bakeoff_cells_on_commit(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)ctx, (void)m;
	assert_true(ev->pc - committed.low < 2 * (uint64_t)PCS);
	committed.of[(ev->pc - committed.low) / 2]++;
	committed.all++;
}

/* Instructions of the block at addr; all are executed as often as the first. */
static uint64_t insts_of(const struct session *s, uint64_t addr, uint64_t length, uint64_t *samples,
                         uint64_t *all)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const uint64_t first = committed.of[(addr - committed.low) / 2];
	uint64_t at = addr;
	for (uint64_t i = 0; i < length; i++) {
		uint8_t bytes[4] = {0};
		const uint64_t now = committed.of[(at - committed.low) / 2];
		/* the last instructions of the running block are executed once less */
		assert_true(now == first || now + 1 == first);
		mem_peek(machine_mem_const(s->machine), at, bytes, 2);
		at += (bytes[0] & 3) == 3 ? 4 : 2;
	}
	*samples = *all = 0;
	for (uint32_t i = 0; i < profileme_entries(d); i++) {
		uint64_t pc;
		const uint64_t n =
			profileme_entry(d, i, &pc)->fates[PROFILEME_FATE_RETIRED];
		*samples += pc >= addr && pc < at ? n : 0;
		*all += n;
	}
	return first * length;
}

static void bakeoff_cells_check_view(const struct session *s)
{
	struct cells c;
	double last = 101, sum = 0;
	cells_open(&c, s, "bakeoff all");
	const unsigned rows = c.g.row_count;
	for (unsigned i = 0; i < rows; i++) {
		uint64_t samples, all;
		const struct grid_row *row = cells_row(&c);
		const uint64_t addr = row->pc, length = cells_at(&c, "length")->raw.u;
		const uint64_t insts = insts_of(s, addr, length, &samples, &all);
		const double truth = cells_at(&c, "truth")->raw.d,
			     share = all ? (double)samples / (double)all : 0;
		says(&c, "place", "%s", addr_of(s, addr));
		/* off by the instructions in flight, which are fewer than the block's */
		assert_true(fabs(truth - 100 * (double)insts / (double)committed.all) <
		            100.5 * (double)length / (double)committed.all);
		assert_true(truth <= last);
		last = truth;
		sum += truth;
		if (samples)
			says(&c, "profileme", "%.1f ±%.1f", 100 * share,
			     100 * share *
				     sqrt((1 - share + 1 / (double)samples) / (double)samples));
		else
			says(&c, "profileme", "nothing");
		says_uint(&c, "length", length);
		says_hex(&c, "address", addr);
	}
	assert_true(!rows || fabs(sum - 100) < 0.01);
	cells_close(&c);
}

TEST(blocks_are_what_committed)
{
	struct session *s = open_program(
		"tests/golden/guest.elf",
		"oracle.enable=true;oracle.blocks=true;profileme.enable=true;"
	        "profileme.interval_min=20;profileme.interval_max=60");
	const struct event_filter filter = {.mask = EV_BIT(COMMIT)};
	committed.low = 0x10000;
	assert_true(machine_listen(s->machine, &filter, bakeoff_cells_on_commit, NULL) > 0);
	for (unsigned n = 0; n < 30; n++) {
		run_for(s, 700);
		bakeoff_cells_check_view(s);
	}
	session_free(s);
}

TEST(bakeoff_cells_are_complete)
{
	views_are_complete("bakeoff");
}
