/* Instrumented guests for tests of cells: what they executed of the program as it was, and where
 * its instructions are now, read from the section .cyclops.map itself. */
#ifndef CYCLOPS_TESTS_UNIT_INSTRUMENTED_H
#define CYCLOPS_TESTS_UNIT_INSTRUMENTED_H

#include "tests/unit/cells/view_cells.h"

#include "loader/edit/moved_code.h"
#include "loader/instrument/instrument.h"

enum { STEPS = 1 << 18 };

/* A committed instruction of the original program; inserted instructions are left out. */
struct step {
	uint64_t was, now;
	struct inst inst;
};

struct guest {
	struct session *s;
	struct moved_code map;
	struct step step[STEPS];
	unsigned steps;
};

/* Where the instruction at `now` was; 0: it was put in. */
static inline uint64_t was_of(const struct guest *g, uint64_t now)
{
	uint64_t lo = 0, hi = g->map.count;
	while (lo < hi) {
		const uint64_t k = (lo + hi) / 2, at = g->map.text + g->map.pairs[2 * k];
		if (at == now)
			return g->map.pairs[2 * k + 1];
		*(at < now ? &lo : &hi) = at < now ? k + 1 : k;
	}
	return 0;
}

/* Where the instruction that was at `was` is now. */
static inline uint64_t now_of(const struct guest *g, uint64_t was)
{
	uint64_t lo = 0, hi = g->map.count;
	while (lo < hi) {
		const uint64_t k = (lo + hi) / 2, at = g->map.pairs[2 * k + 1];
		if (at == was)
			return g->map.text + g->map.pairs[2 * k];
		*(at < was ? &lo : &hi) = at < was ? k + 1 : k;
	}
	fail_msg("there was no instruction at 0x%llx", (ull)was);
	return 0;
}

static inline void guest_hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct guest *g = ctx;
	const uint64_t was = was_of(g, ev->pc);
	if (!was)
		return;
	assert_true(g->steps < STEPS);
	g->step[g->steps++] =
		(struct step){was, ev->pc, pipe_uop(machine_pipe(m), (uint16_t)ev->slot)->inst};
}

/* The program at `path` with kinds put in ("path+hw"), with options of instrumentation in o, which
 * is for this guest alone. */
static inline struct guest *guest_open(const char *path, const char *kinds,
                                       struct instrument_options *o, const char *settings)
{
	struct guest *g = calloc(1, sizeof *g);
	const struct event_filter filter = {.mask = EV_BIT(COMMIT)};
	struct err err;
	if (!instrument_add(o, kinds, &err))
		fail_msg("%s", err.msg);
	g->s = open_launch(&(struct launch){.path = path, .edit = instrument_edit, .edit_ctx = o},
	                   settings);
	assert_true(program_moved_code(g->s->program, &g->map));
	assert_true(machine_listen(g->s->machine, &filter, guest_hear, g) > 0);
	return g;
}

/* Runs to the end, because stores reach memory before they commit. */
static inline void guest_run(struct guest *g)
{
	run_for(g->s, 10000000);
	assert_int_equal(machine_status(g->s->machine), MACHINE_EXITED);
}

static inline void guest_close(struct guest *g)
{
	session_free(g->s);
	free(g);
}

/* The function that has `now`; NULL: none. */
static inline const struct symbol *guest_function(const struct guest *g, uint64_t now)
{
	size_t n;
	const struct symbol *all = program_symbols(g->s->program, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i].code && now >= all[i].addr && now < all[i].addr + all[i].size)
			return &all[i];
	return NULL;
}

static inline const char *guest_name(const struct guest *g, uint64_t was)
{
	const struct symbol *f = guest_function(g, now_of(g, was));
	return f ? f->name : "?";
}

/* How many instructions of the program as it was are in [from, to) of the code now. */
static inline uint64_t guest_insts(const struct guest *g, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	for (uint64_t k = 0; k < g->map.count; k++)
		n += g->map.text + g->map.pairs[2 * k] >= from &&
		     g->map.text + g->map.pairs[2 * k] < to;
	return n;
}

static inline bool instrumented_is_link(const struct step *s)
{
	return (op_info[s->inst.op].flags & OPF_JUMP) && (s->inst.rd == 1 || s->inst.rd == 5);
}

static inline void instrumented_check_percent(struct cells *c, const char *column, uint64_t part,
                                              uint64_t of)
{
	const double percent = of ? 100 * (double)part / (double)of : 0;
	says_double(c, column, percent, "%.2f%%", percent);
}

#endif
