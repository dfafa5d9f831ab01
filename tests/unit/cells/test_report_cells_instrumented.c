/* Cells of reports on instrumented programs: callers and callees, functions left alone, places of
 * flags. Against what committed, and the code in memory: see view_cells.h. */
#include "core/isa/op.h"
#include "tests/unit/cells/instrumented.h"

#include "loader/instrument/skipped_functions.h"

/* ---- the call graph ---- */
struct arc_seen {
	uint64_t site, callee, calls;
};

static int by_calls(const void *a, const void *b)
{
	const struct arc_seen *x = a, *y = b;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

TEST(arcs_are_the_calls_that_committed)
{
	struct instrument_options o = {.count = 0};
	struct guest *g = guest_open("build/tests/cmd/contexts", "callgraph", &o, NULL);
	struct arc_seen all[64];
	unsigned n = 0;
	uint64_t sum = 0;
	struct cells c;
	guest_run(g);
	/* The first instruction has no caller. */
	for (unsigned i = 0; i < g->steps; i++) {
		const uint64_t site = i ? g->step[i - 1].was : 0;
		unsigned k = 0;
		if (i && !instrumented_is_link(&g->step[i - 1]))
			continue;
		while (k < n && (all[k].site != site || all[k].callee != g->step[i].was))
			k++;
		assert_true(k < 64);
		if (k == n)
			all[n++] = (struct arc_seen){site, g->step[i].was, 0};
		all[k].calls++;
		sum++;
	}
	assert_true(n > 8);
	qsort(all, n, sizeof *all, by_calls);
	cells_open_report(&c, g->s, "callgraph");
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(cells_row(&c)->pc, now_of(g, all[i].callee));
		says_uint(&c, "calls", all[i].calls);
		instrumented_check_percent(&c, "share", all[i].calls, sum);
		says(&c, "caller", "%s",
		     all[i].site ? addr_of(g->s, now_of(g, all[i].site)) : "the beginning");
		says(&c, "callee", "%s", guest_name(g, all[i].callee));
		says_hex(&c, "site", all[i].site);
	}
	cells_close(&c);
	guest_close(g);
}

/* ---- what was left alone ---- */
struct left_seen {
	const struct skipped_function *f;
	uint64_t executed, insts;
};

static int by_executed(const void *a, const void *b)
{
	const struct left_seen *x = a, *y = b;
	if (x->executed != y->executed)
		return x->executed > y->executed ? -1 : 1;
	if (x->insts != y->insts)
		return x->insts > y->insts ? -1 : 1;
	return x->f->at < y->f->at ? -1 : x->f->at > y->f->at;
}

/* Instructions in counted blocks that were executed to their end. */
static uint64_t in_blocks(const struct guest *g)
{
	struct counters k;
	uint64_t n = 0;
	assert_true(program_counters_of(g->s->program, INSTRUMENT_BB, &k));
	for (uint64_t i = 0; i < k.count; i++)
		for (unsigned at = 0; at < g->steps; at++)
			n += g->step[at].was >= k.all[i].at && g->step[at].was < k.all[i].to;
	return n;
}

/* known: the guest counts executions. */
static void read_untouched(const struct guest *g, bool known, bool blocks)
{
	struct skipped_functions left;
	struct left_seen all[16];
	struct cells c;
	const uint64_t total = blocks ? in_blocks(g) : g->steps;
	uint64_t executed = 0;
	assert_true(program_left(g->s->program, &left));
	assert_in_range(left.count, 1, 16);
	for (uint64_t i = 0; i < left.count; i++) {
		const struct symbol *f = guest_function(g, now_of(g, left.all[i].at));
		all[i] = (struct left_seen){.f = &left.all[i],
		                            .insts = guest_insts(g, f->addr, f->addr + f->size)};
		for (unsigned k = 0; known && k < g->steps; k++)
			all[i].executed +=
				g->step[k].now >= f->addr && g->step[k].now < f->addr + f->size;
		executed += all[i].executed;
	}
	assert_true(!known || executed > 0);
	qsort(all, left.count, sizeof *all, by_executed);
	cells_open_report(&c, g->s, "untouched");
	for (uint64_t i = 0; i < left.count; i++) {
		static const char *const kinds[] = {"nothing", "bb",      "edge",
		                                    "path",    "path+hw", "callgraph",
		                                    "cct",     "cct+hw",  "cct+path"};
		static const char *const why[] = {
			[LEFT_CALLS_EARLY] = "it calls before it has lowered the stack pointer",
			[LEFT_PATHS_CUT] = "it has too many paths: they are cut",
			[LEFT_ENTRANCES] = "a loop of it has more than one entrance: its paths end "
		                           "at the one it came to first",
			[LEFT_OTHER_STACK] =
				"a system call of it comes back on another stack as well",
			[LEFT_STACK_UNKNOWN] = "where its stack was when it was entered isn't "
		                               "known where it calls",
		};
		const struct skipped_function *f = all[i].f;
		assert_true(f->why < sizeof why / sizeof *why && why[f->why]);
		assert_int_equal(cells_row(&c)->pc, now_of(g, f->at));
		says(&c, "function", "%s", guest_name(g, f->at));
		if (known) {
			instrumented_check_percent(&c, "share", all[i].executed, total);
			says_uint(&c, "executed", all[i].executed);
		} else {
			says(&c, "share", "-");
			says(&c, "executed", "-");
		}
		says(&c, "what",
		     f->why == LEFT_PATHS_CUT || f->why == LEFT_ENTRANCES ? "counted otherwise"
		                                                          : "left alone");
		says(&c, "why", "%s", why[f->why]);
		says(&c, "kind", "%s", kinds[f->kind]);
		says_uint(&c, "insts", all[i].insts);
		says_hex(&c, "was", f->at);
	}
	cells_close(&c);
}

TEST(untouched_functions_have_executed_as_much)
{
	static const char *const kinds[] = {"path", "path", "path,bb", "cct,path"},
				 *const settings[] = {"oracle.enable=true", NULL, NULL,
	                                              "oracle.enable=true"};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		/* An executed function, a long one, a short one. */
		struct instrument_options o = {
			.functions = "_start,__printf_fp_l,__pthread_enable_asynccancel,main,fib"};
		struct guest *g = guest_open("build/demos/fib", kinds[i], &o, settings[i]);
		if (i != 1)
			guest_run(g);
		else
			run_for(g->s, 2000);
		read_untouched(g, settings[i] || i == 2, i == 2);
		guest_close(g);
	}
}

/* ---- flags ---- */
static const struct flag_place *place_before(const struct flags *all, uint64_t was)
{
	for (uint64_t i = 0; i < all->count; i++)
		if (all->all[i].at == was)
			return &all->all[i];
	fail_msg("no flag stands before 0x%llx", (ull)was);
	return NULL;
}

/* The first instruction of the program as it was at or after `now`. */
static uint64_t was_behind(const struct guest *g, uint64_t now)
{
	for (uint64_t k = 0; k < g->map.count; k++)
		if (g->map.text + g->map.pairs[2 * k] >= now)
			return g->map.pairs[2 * k + 1];
	fail_msg("nothing is behind 0x%llx", (ull)now);
	return 0;
}

/* The inserted instruction at `now`. */
static struct inst instrumented_cells_decode_inst(const struct guest *g, uint64_t now)
{
	uint32_t raw = 0;
	struct inst in;
	assert_true(machine_peek(g->s->machine, now, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
	return in;
}

struct flag_seen {
	uint64_t at, was, type;
	bool on;
};

static int instrumented_cells_compare_flags(const void *a, const void *b)
{
	const struct flag_seen *x = a, *y = b;
	if (x->was != y->was)
		return x->was < y->was ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Each flag in the code has a row. A check has both flags; a runtime overwrites the resetpf. */
static void read_flags(const struct guest *g)
{
	static const char *const units[] = {[UNITS_METHODS] = "the function",
	                                    [UNITS_LOOPS] = "a loop",
	                                    [UNITS_BLOCKS] = "a block"};
	struct flag_seen all[512];
	struct flags flags;
	struct cells c;
	unsigned n = 0;
	assert_true(program_flags(g->s->program, &flags));
	for (uint64_t now = g->map.text; now < g->map.end;) {
		const struct inst in = instrumented_cells_decode_inst(g, now);
		assert_true(n < sizeof all / sizeof *all);
		if (in.op == OP_SETPF || in.op == OP_RESETPF)
			all[n++] = (struct flag_seen){now, was_behind(g, now), (uint64_t)in.imm,
			                              in.op == OP_SETPF};
		now += in.len;
	}
	qsort(all, n, sizeof *all, instrumented_cells_compare_flags);
	cells_open_report(&c, g->s, "flags");
	for (unsigned i = 0; i < n; i++) {
		const struct flag_place *p = place_before(&flags, all[i].was);
		const uint64_t at = all[i].at;
		if (p->check && all[i].on)
			continue;
		assert_int_equal(cells_row(&c)->pc, at);
		says_hex(&c, "address", at);
		says(&c, "place", "%s", addr_of(g->s, at));
		says_uint(&c, "type", all[i].type);
		says(&c, "now", "%s", p->check ? "check" : all[i].on ? "on" : "off");
		says(&c, "units", "%s", units[p->units]);
		says(&c, "unit", "%s", addr_of(g->s, now_of(g, p->unit)));
		says_hex(&c, "function", now_of(g, was_behind(g, guest_function(g, at)->addr)));
		says_hex(&c, "was", all[i].was);
	}
	cells_close(&c);
}

TEST(flags_are_those_in_the_code)
{
	static const char *const kinds[] = {"bb=1,path=2,units=loops", "bb=1,units=blocks",
	                                    "edge=3,units=methods",
	                                    "bb=1,units=loops,checks=100:10"};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct instrument_options o = {
			.functions =
				"fib,main,abort,call_fini,__libc_start_main,check_one_fd,strcmp",
			.switches = {.on = i == 2}};
		struct guest *g = guest_open("build/demos/fib", kinds[i], &o, "xprof.enable=true");
		read_flags(g);
		guest_close(g);
	}
}

TEST(instrumented_cells_are_complete)
{
	reports_are_complete();
}
