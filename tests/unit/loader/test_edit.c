/* loader/edit: real programs, laid out again without changes, with a counter in every block and
 * with code on edges, behave as before and count as the oracle does. */
#include "core/isa/op.h"
#include "tests/unit/loader/edit_fixture.h"

/* memory[at] += 1, and all registers as before. */
static void edit_make_counter_code(uint64_t at, struct edit_code code[COUNT_LENGTH])
{
	const struct edit_code text[COUNT_LENGTH] = {
		{.in = {.op = OP_ADDI, .len = 4, .rd = SP, .rs1 = SP, .imm = -16}},
		{.in = {.op = OP_SD, .len = 4, .rd = REG_SINK, .rs1 = SP, .rs2 = T0}},
		{.in = {.op = OP_SD, .len = 4, .rd = REG_SINK, .rs1 = SP, .rs2 = T1, .imm = 8}},
		{.in = {.op = OP_AUIPC, .len = 4, .rd = T0}, .ref = REF_HIGH, .target = at},
		{.in = {.op = OP_ADDI, .len = 4, .rd = T0, .rs1 = T0}, .ref = REF_LOW},
		{.in = {.op = OP_LD, .len = 4, .rd = T1, .rs1 = T0}},
		{.in = {.op = OP_ADDI, .len = 4, .rd = T1, .rs1 = T1, .imm = 1}},
		{.in = {.op = OP_SD, .len = 4, .rd = REG_SINK, .rs1 = T0, .rs2 = T1}},
		{.in = {.op = OP_LD, .len = 4, .rd = T0, .rs1 = SP}},
		{.in = {.op = OP_LD, .len = 4, .rd = T1, .rs1 = SP, .imm = 8}},
		{.in = {.op = OP_ADDI, .len = 4, .rd = SP, .rs1 = SP, .imm = 16}},
	};
	memcpy(code, text, sizeof text);
}

static uint64_t edit_counter_address(const struct fixture *f, uint32_t i, bool second)
{
	return f->counters + 16 * (uint64_t)i + 8 * second;
}

static uint64_t edit_counter_value(struct machine *m, const struct fixture *f, uint32_t i,
                                   bool second)
{
	uint64_t value = 0;
	assert_true(
		mem_peek(machine_mem(m), edit_counter_address(f, i, second), &value, sizeof value));
	return value;
}

TEST(nothing_put_in_changes_nothing)
{
	if (!*state)
		skip();
	struct fixture f;
	open_editor(&f, *state);
	struct program *q = edit_fixture_finish_edit(&f);
	struct machine *m = edit_fixture_compare_runs(&f, q);
	/* The new code runs, and none of the old. */
	for (uint32_t i = 0; i < f.count; i++)
		assert_int_equal(oracle_count(machine_pipe(m)->prof, f.insts[i].addr), 0);
	machine_free(m);
	program_free(q);
	close_editor(&f);
}

TEST(blocks_count_as_the_oracle_does)
{
	if (!*state)
		skip();
	struct fixture f;
	struct err err;
	uint32_t blocks = 0;
	uint64_t sum = 0;
	open_editor(&f, *state);
	for (uint32_t i = 0; i < f.count; i++) {
		struct edit_code code[COUNT_LENGTH];
		if ((f.insts[i].flags & EDIT_DATA) || !edit_begins_block(f.e, i))
			continue;
		edit_make_counter_code(edit_counter_address(&f, i, false), code);
		assert_true(edit_before(f.e, i, code, COUNT_LENGTH, &err));
	}
	struct program *q = edit_fixture_finish_edit(&f);
	struct machine *m = edit_fixture_compare_runs(&f, q);
	for (uint32_t i = 0; i < f.count; i++) {
		if ((f.insts[i].flags & EDIT_DATA) || !edit_begins_block(f.e, i))
			continue;
		blocks++;
		sum += edit_counter_value(m, &f, i, false);
		assert_int_equal(edit_counter_value(m, &f, i, false),
		                 oracle_count(machine_pipe(m)->prof,
		                              edit_new_address(f.e, f.insts[i].addr)));
	}
	assert_true(blocks > 1000);
	assert_true(sum > 10000);
	machine_free(m);
	program_free(q);
	close_editor(&f);
}

/* Code on an edge is executed as often as the branch goes there. */
TEST(edges_count_as_the_oracle_does)
{
	if (!*state)
		skip();
	struct fixture f;
	struct err err;
	uint64_t taken = 0, sum = 0;
	open_editor(&f, *state);
	for (uint32_t i = 0; i < f.count; i++) {
		struct edit_code code[COUNT_LENGTH];
		const bool branch = inst_flags(&f.insts[i].in) & OPF_BRANCH;
		if ((f.insts[i].flags & EDIT_DATA) || !branch)
			continue;
		/* Atomic sequences take no code. */
		edit_make_counter_code(edit_counter_address(&f, i, true), code);
		assert_int_equal(edit_taken(f.e, i, code, COUNT_LENGTH, &err),
		                 edit_may_insert_taken(f.e, i));
		edit_make_counter_code(edit_counter_address(&f, i, false), code);
		assert_int_equal(edit_behind(f.e, i, code, COUNT_LENGTH, &err),
		                 edit_may_insert_behind(f.e, i));
	}
	struct program *q = edit_fixture_finish_edit(&f);
	struct machine *m = edit_fixture_compare_runs(&f, q);
	struct output out = {{0}, 0};
	struct machine *original = edit_fixture_run_program(f.p, &out);
	const struct oracle *o = oracle_of(machine_pipe(original)->prof);
	const struct symbol *lo = program_symbol_by_name(f.p, "choose"),
			    *main_ = program_symbol_by_name(f.p, "main");
	assert_true(lo && main_);
	for (uint32_t k = 0; k < oracle_entries(o, ORACLE_EDGES); k++) {
		const struct oracle_entry *edge = oracle_entry(o, ORACLE_EDGES, k);
		const uint64_t pc = edge->key[0];
		const bool ours = pc - lo->addr < lo->size || pc - main_->addr < main_->size;
		uint32_t i = edit_inst_at(f.e, pc);
		assert_int_not_equal(i, EDIT_NONE);
		if (!ours || (edge->aux != EDGE_TAKEN && edge->aux != EDGE_NOT_TAKEN))
			continue;
		assert_int_equal(edit_counter_value(m, &f, i, edge->aux == EDGE_TAKEN),
		                 edge->count);
		taken += edge->aux == EDGE_TAKEN;
		sum += edge->count;
	}
	assert_true(taken >= 4);
	assert_true(sum > 300);
	machine_free(original);
	machine_free(m);
	program_free(q);
	close_editor(&f);
}

/* Counts of the finished instrumentation, with registers that are free by liveness, as plain
 * code and as profile instructions. */
TEST(kinds_count_as_the_oracle_does)
{
	if (!*state)
		skip();
	const struct cross *c = *state;
	struct err err;
	struct fixture f = {.p = program_open(c->program, &err)};
	assert_non_null(f.p);
	for (unsigned round = 0; round < 4; round++) {
		const struct instrument_options o = {
			.what = {{round & 1 ? INSTRUMENT_EDGE : INSTRUMENT_BB, round & 2 ? 5 : -1}},
			.count = 1};
		struct instrument_summary sum;
		struct counters counters;
		struct program *q = instrument_program(f.p, &o, &sum, NULL, NULL, &err);
		if (!q)
			fail_msg("%s", err.msg);
		assert_true(program_counters(q, 0, &counters));
		assert_int_equal(counters.kind, o.what[0].kind);
		assert_int_equal(counters.count, sum.counters);
		assert_true(sum.spilled < sum.counters / 3);
		struct machine *m = edit_fixture_compare_runs(&f, q);
		struct output out = {{0}, 0};
		struct machine *original = edit_fixture_run_program(f.p, &out);
		const struct symbol *choose = program_symbol_by_name(f.p, "choose"),
				    *main_ = program_symbol_by_name(f.p, "main");
		uint64_t sum_counted = 0;
		for (uint64_t k = 0; k < counters.count; k++) {
			const struct counter *at = &counters.all[k];
			uint64_t value = 0, right = 0;
			if (at->at - choose->addr >= choose->size &&
			    at->at - main_->addr >= main_->size)
				continue;
			assert_true(mem_peek(machine_mem(m), counters.memory + 8 * k, &value,
			                     sizeof value));
			const struct oracle *x = oracle_of(machine_pipe(original)->prof);
			for (uint32_t e = 0; o.what[0].kind == INSTRUMENT_EDGE &&
			                     e < oracle_entries(x, ORACLE_EDGES);
			     e++)
				if (oracle_entry(x, ORACLE_EDGES, e)->key[0] == at->at &&
				    oracle_entry(x, ORACLE_EDGES, e)->key[1] == at->to)
					right += oracle_entry(x, ORACLE_EDGES, e)->count;
			if (o.what[0].kind == INSTRUMENT_BB)
				right = oracle_count(machine_pipe(original)->prof, at->at);
			assert_int_equal(value, right);
			sum_counted += value;
		}
		assert_true(sum_counted > 3000);
		machine_free(original);
		machine_free(m);
		program_free(q);
	}
	assert_false(program_counters(f.p, 0, &(struct counters){0}));
	program_free(f.p);
}

/* The instruction that ends at an address. */
static uint32_t inst_before(const struct fixture *f, uint64_t end)
{
	uint32_t i = edit_inst_at(f->e, end - 4);
	return i != EDIT_NONE && f->insts[i].in.len == 4 ? i : edit_inst_at(f->e, end - 2);
}

/* The oracle's count of transfers from pc to a block; if pc is no jump, of those without a jump. */
static uint64_t oracle_edge(struct machine *m, const struct fixture *f, uint32_t i, uint64_t to)
{
	const struct oracle *o = oracle_of(machine_pipe(m)->prof);
	uint64_t sum = 0;
	if (!inst_is_control(&f->insts[i].in))
		return oracle_count(machine_pipe(m)->prof, f->insts[i].addr);
	for (uint32_t e = 0; e < oracle_entries(o, ORACLE_EDGES); e++)
		if (oracle_entry(o, ORACLE_EDGES, e)->key[0] == f->insts[i].addr &&
		    oracle_entry(o, ORACLE_EDGES, e)->key[1] == to)
			sum += oracle_entry(o, ORACLE_EDGES, e)->count;
	return sum;
}

static bool edit_peek_machine(void *ctx, uint64_t at, void *out, size_t n)
{
	return mem_peek(machine_mem(ctx), at, out, n);
}

/* Where jumps through registers meet. */
static bool is_meeting(const struct path_function *fn, uint32_t vertex)
{
	return vertex >= CFG_BLOCKS && !fn->blocks[vertex - CFG_BLOCKS].end;
}

static uint64_t meeting_edge(struct machine *original, const struct fixture *f,
                             const struct path_function *fn, const struct path_edge *edge)
{
	uint64_t n = 0;
	if (is_meeting(fn, edge->to))
		return oracle_count(
			machine_pipe(original)->prof,
			f->insts[inst_before(f, fn->blocks[edge->from - CFG_BLOCKS].end)].addr);
	for (uint32_t k = 0; k < fn->graph.count; k++)
		if (fn->edges[k].to == edge->from)
			n += oracle_edge(
				original, f,
				inst_before(f, fn->blocks[fn->edges[k].from - CFG_BLOCKS].end),
				fn->blocks[edge->to - CFG_BLOCKS].start);
	return n;
}

/* Each edge between blocks is on as many executed paths as the oracle saw it used. */
static struct path_counts edit_check_path_counts(const struct cross *c, bool simple)
{
	const struct instrument_options o = {
		.what = {{INSTRUMENT_PATH, -1}}, .count = 1, .simple = simple};
	struct instrument_summary sum;
	struct counters counters;
	struct path_profile paths;
	struct fixture f;
	struct err err;
	struct output out = {{0}, 0};
	struct path_counts counts;
	uint64_t edges = 0, used = 0, executed = 0, hashed = 0;
	unsigned looked = 0, twice = 0;
	uint64_t met = 0;
	open_editor(&f, c);
	struct program *q = instrument_program(f.p, &o, &sum, NULL, NULL, &err);
	if (!q)
		fail_msg("%s", err.msg);
	assert_true(sum.left_by[LEFT_NO_REGISTER] + sum.left_by[LEFT_CALLS_EARLY] <
	            sum.functions / 20);
	assert_true(program_counters(q, 0, &counters));
	assert_true(program_paths(q, &paths));
	struct machine *m = edit_fixture_compare_runs(&f, q),
		       *original = edit_fixture_run_program(f.p, &out);
	if (!path_counts_read(&paths, &counters, edit_peek_machine, m, &counts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(counts.lost[0], 0);
	for (uint64_t k = 0; k < paths.count; k++) {
		const struct path_function *fn = &paths.functions[k];
		const struct symbol *s = program_symbol_at(f.p, fn->at);
		/* jump() has a path that never ends, after its loop: longjmp() leaves it. */
		const bool left = s && !strcmp(s->name, "jump");
		uint64_t lost = 0;
		static const char *const ours[] = {"main",
		                                   "choose",
		                                   "compare",
		                                   "twice",
		                                   "thrice",
		                                   "strlen",
		                                   "_int_malloc",
		                                   "msort_with_tmp.part.0",
		                                   "__vfprintf_internal",
		                                   "__printf_fp_l"};
		bool wanted = false;
		for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++)
			wanted |= s && !strcmp(s->name, ours[i]);
		if (!wanted && !left)
			continue;
		looked += wanted;
		uint64_t *times = calloc(fn->graph.count, sizeof *times);
		assert_non_null(times);
		for (uint64_t i = 0; i < counts.n; i++) {
			uint32_t way[256];
			const uint64_t path = counts.all[i].path, value = counts.all[i].words[0];
			if (counts.all[i].function != k)
				continue;
			hashed += fn->where == PATHS_IN_TABLE;
			const uint32_t n = paths_decode(&fn->graph, path, way, 256);
			assert_true(n <= 256);
			executed += value;
			/* A cut edge ends one path and begins another; the ended path counts it. */
			for (uint32_t at = 0; at < n; at++)
				if (at > 0 || !fn->edges[way[at]].cut)
					times[way[at]] += value;
		}
		for (uint32_t e = 0; e < fn->graph.count; e++) {
			const struct path_edge *edge = &fn->edges[e];
			if (edge->from == CFG_ENTRY || edge->to == CFG_EXIT)
				continue;
			/* Vertices where jumps through registers meet: an edge into one counts the
			 * jump's executions; an edge out counts the oracle's transfers to that
			 * target by all of them. */
			if (is_meeting(fn, edge->from) || is_meeting(fn, edge->to)) {
				assert_int_equal(times[e], meeting_edge(original, &f, fn, edge));
				met += times[e];
				continue;
			}
			const uint32_t i = inst_before(&f, fn->blocks[edge->from - CFG_BLOCKS].end);
			assert_int_not_equal(i, EDIT_NONE);
			const bool call = (inst_flags(&f.insts[i].in) & OPF_JUMP) &&
			                  f.insts[i].in.rd != REG_SINK;
			const uint64_t to = fn->blocks[edge->to - CFG_BLOCKS].start;
			/* The oracle has no edge after a call; the code there is executed as often
			 * as the call if no other edge leads there. */
			if (call && left) {
				const struct symbol *callee =
					program_symbol_at(f.p, f.insts[i].target);
				assert_int_equal(edge->cut, strstr(callee->name, "setjmp") != NULL);
				twice += edge->cut;
			}
			if (call)
				continue;
			if (left) {
				assert_true(times[e] <= oracle_edge(original, &f, i, to));
				lost += oracle_edge(original, &f, i, to) - times[e];
			} else {
				if (times[e] != oracle_edge(original, &f, i, to))
					print_message("DBG %s %s edge %u->%u at %lx to %lx: %lu "
					              "right %lu cut %d\n",
					              s->name, edge->cut ? "cut" : "", edge->from,
					              edge->to, f.insts[i].addr, to, times[e],
					              oracle_edge(original, &f, i, to), edge->cut);
			}
			edges++;
			used += times[e];
		}
		if (left)
			assert_in_range(lost, 1, 2); /* the end of its last loop */
		free(times);
	}
	assert_true(met > 50);
	assert_true(edges > 40);
	assert_true(used > 5000);
	assert_true(executed > 1000);
	assert_int_equal(twice, 1); /* a path ends before setjmp() */
	assert_true(looked >= 9); /* in _int_malloc no register is free */
	assert_true(hashed >= 2); /* vfprintf has more paths than an array */
	machine_free(original);
	machine_free(m);
	path_profile_free(&paths);
	program_free(q);
	close_editor(&f);
	return counts;
}

TEST(paths_account_for_all_edges)
{
	if (!*state)
		skip();
	/* Labels on chords and labels on all edges number the paths alike. */
	struct path_counts chords = edit_check_path_counts(*state, false),
			   simple = edit_check_path_counts(*state, true);
	assert_true(chords.n > 100);
	assert_int_equal(chords.n, simple.n);
	assert_memory_equal(chords.all, simple.all, chords.n * sizeof *chords.all);
	path_counts_free(&chords);
	path_counts_free(&simple);
}

TEST_GROUP(edit_fixture_setup_guest, edit_fixture_teardown_guest)
