/* Stacks of functions, lines and loops (hwviews/why/charges.h): parts are the whole. */
#include "tests/unit/hwviews/charges_fixture.h"

/* ---- stacks in views ---- */
static struct grid charges_parts_build_view(const struct session *s, const char *words)
{
	struct grid g;
	struct err err;
	if (!view_build(s, words, &(struct view_args){0}, &g, &err))
		fail_msg("%s: %s", words, err.msg);
	return g;
}

static unsigned charges_parts_column_index(const struct grid *g, const char *name)
{
	for (unsigned i = 0; i < g->column_count; i++)
		if (!strcmp(g->columns[i].name, name))
			return i;
	fail_msg("no column %s", name);
	return 0;
}

/* The slots of a row whose first cell is this. */
static int64_t charges_parts_row_slots(const struct grid *g, const char *what)
{
	for (unsigned i = 0; i < g->row_count; i++)
		if (!strcmp(g->rows[i].cells[0].text, what))
			return g->rows[i].cells[charges_parts_column_index(g, "slots")].raw.i;
	return 0;
}

/* A place's stack equals its row in the list; the rows add up to the whole stack, and so do the
 * leaves. */
TEST(parts_are_the_whole)
{
	static const char *const stacks[] = {"slots", "cpi"};
	static const char *const by[] = {"functions", "lines", "instructions"};
	struct session *s = charges_fixture_open_session("tests/golden/guest.elf", NULL, "");
	session_fixture_run_cycles(s, 8000);
	for (unsigned v = 0; v < 2; v++) {
		char words[128];
		snprintf(words, sizeof words, "%s 1000 6000", stacks[v]);
		struct grid whole = charges_parts_build_view(s, words);
		const int64_t all = charges_parts_row_slots(&whole, "total");
		assert_int_equal(all, 4 * 5000);
		for (unsigned k = 0; k < 3; k++) {
			snprintf(words, sizeof words, "%s %s all 1000 6000", stacks[v], by[k]);
			struct grid places = charges_parts_build_view(s, words);
			int64_t sum = 0;
			assert_int_equal(charges_parts_row_slots(&places, "total"), all);
			for (unsigned i = 0; i + 1 < places.row_count; i++) {
				const struct grid_row *row = &places.rows[i];
				assert_true(
					!i ||
					row[-1].cells[charges_parts_column_index(&places, "slots")]
							.raw.i >=
						row->cells[charges_parts_column_index(&places,
				                                                      "slots")]
							.raw.i);
				sum += row->cells[charges_parts_column_index(&places, "slots")]
				               .raw.i;
				if (k == 2 || i > 5 || (k == 1 && !strchr(row->cells[0].text, ':')))
					continue;
				snprintf(words, sizeof words, "%s of %s 1000 6000", stacks[v],
				         row->cells[0].text);
				struct grid one = charges_parts_build_view(s, words);
				assert_int_equal(
					charges_parts_row_slots(&one, "total"),
					row->cells[charges_parts_column_index(&places, "slots")]
						.raw.i);
				grid_deinit(&one);
			}
			assert_int_equal(sum, all);
			snprintf(words, sizeof words, "%s %s 1000 6000", stacks[v], by[k]);
			struct grid most = charges_parts_build_view(s, words);
			assert_int_equal(charges_parts_row_slots(&most, "total"), all);
			assert_true(most.row_count <= 22);
			grid_deinit(&most);
			grid_deinit(&places);
		}
		/* Row by row, of the functions. */
		for (unsigned r = 0; r + 1 < whole.row_count; r++) {
			int64_t sum = 0;
			snprintf(words, sizeof words, "%s functions all 1000 6000", stacks[v]);
			struct grid places = charges_parts_build_view(s, words);
			for (unsigned i = 0; i + 1 < places.row_count; i++) {
				snprintf(words, sizeof words, "%s of %s 1000 6000", stacks[v],
				         places.rows[i].cells[0].text);
				struct grid one = charges_parts_build_view(s, words);
				sum += charges_parts_row_slots(&one, whole.rows[r].cells[0].text);
				grid_deinit(&one);
			}
			assert_int_equal(sum,
			                 whole.rows[r]
			                         .cells[charges_parts_column_index(&whole, "slots")]
			                         .raw.i);
			grid_deinit(&places);
		}
		grid_deinit(&whole);
	}
	session_free(s);
}

/* Checks a function's loops by their back edges: the first back edge is the innermost loop's; the
 * last one's loop contains all others. */
static void check_loops(const char *path, const char *name, uint64_t cycles)
{
	struct session *s = charges_fixture_open_session(path, NULL, "");
	const struct symbol *of = program_symbol_by_name(s->program, name);
	uint64_t first[2] = {0, UINT64_MAX}, last[2] = {0, 0}; /* of the inner and the outer loop */
	session_fixture_run_cycles(s, cycles);
	const struct hot_profile p = charges_fixture_build_profile(s, 0, machine_cycle(s->machine));
	for (uint64_t pc = of->addr; pc < of->addr + of->size;) {
		uint32_t raw = 0;
		struct inst in;
		assert_true(machine_peek(s->machine, pc, &raw, 4));
		inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
		const unsigned flags = inst_flags(&in);
		if (((flags & OPF_BRANCH) ||
		     ((flags & OPF_JUMP) && !(flags & OPF_INDIRECT) && in.rd == REG_SINK)) &&
		    in.imm < 0) {
			const uint64_t to = pc + (uint64_t)(int64_t)in.imm;
			if (!last[0]) {
				first[0] = to;
				last[0] = pc;
			}
			first[1] = to < first[1] ? to : first[1];
			last[1] = pc;
		}
		pc += in.len;
	}
	for (unsigned k = 0; k < 2; k++) {
		int64_t slots = 0;
		char words[96];
		for (size_t i = 0; i < p.charge_count; i++)
			slots += p.charges[i].row < CHARGE_CPI && p.charges[i].pc >= first[k] &&
			                         p.charges[i].pc <= last[k]
			                 ? p.charges[i].slots
			                 : 0;
		snprintf(words, sizeof words, "slots of loop 0x%llx", (unsigned long long)last[k]);
		struct grid g = charges_parts_build_view(s, words);
		assert_true(slots > 1000);
		assert_int_equal(charges_parts_row_slots(&g, "total"), slots);
		grid_deinit(&g);
	}
	session_free(s);
}

TEST(loops_are_their_instructions)
{
	check_loops("build/demos/matmul", "multiply_ijk", 110000);
	struct session *s = charges_fixture_open_session("build/demos/branchy", NULL, "");
	struct err err;
	struct grid g;
	session_fixture_run_cycles(s, 10000);
	static const struct {
		const char *words, *says;
	} wrong[] = {
		{"slots of", "no place given"},
		{"slots of loop", "no place given"},
		{"cpi of nobody", "no symbol 'nobody'"},
		{"slots of loop count", "no loop"},
		{"slots functions lines", "'lines': view slots [of FUNCTION"},
		{"cpi rubbish", "'rubbish': view cpi"},
		{"slots of main of count", "'of': view slots"},
		{"cpi of 0x10", "lies in no function"},
		{"slots of nowhere.c:7", "nowhere.c"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_false(view_build(s, wrong[i].words, &(struct view_args){0}, &g, &err));
		if (!strstr(err.msg, wrong[i].says))
			fail_msg("%s: %s", wrong[i].words, err.msg);
	}
	session_free(s);
}
