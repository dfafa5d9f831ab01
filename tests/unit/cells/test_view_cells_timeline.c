/* The cells of `view timeline`, against the statistics and places of a second machine that was read
 * after every cycle. */
#include "core/defs/stats_fields.h"

#include "tests/unit/cells/view_cells.h"

enum { END = 9000, NOW = 4000, CAUSES = 32, FUNCTIONS = 64 };

/* After each cycle. */
static struct {
	struct stats stats;
	uint64_t pc;
} seen[END + 1];

static int timeline_cells_record_all_cycles(__attribute__((unused)) void **state)
{
	struct session *s = open_program("tests/golden/guest.elf", "");
	for (uint64_t c = 0; c <= END; c++) {
		seen[c].stats = *machine_stats(s->machine);
		seen[c].pc = machine_pc(s->machine);
		run_for(s, 1);
	}
	session_free(s);
	return 0;
}

/* Where the program was most often in cycles from, from + apart, ...: the first of several such
 * places. */
static const char *most_often(const struct session *s, uint64_t from, uint64_t to, uint64_t apart,
                              uint64_t *pc)
{
	const char *name[FUNCTIONS] = {NULL};
	unsigned times[FUNCTIONS] = {0}, count = 0, best = 0;
	uint64_t first[FUNCTIONS];
	for (uint64_t c = from; c < to; c += apart) {
		const struct symbol *sym = program_symbol_at(s->program, seen[c].pc);
		unsigned i = 0;
		assert_non_null(sym);
		while (i < count && name[i] != sym->name)
			i++;
		if (i == count) {
			first[count] = seen[c].pc;
			name[count++] = sym->name;
		}
		times[i]++;
	}
	for (unsigned i = 1; i < count; i++)
		best = times[i] > times[best] ? i : best;
	*pc = first[best];
	return name[best];
}

/* The two largest, as long as they lost something and the second is a twentieth. */
static void says_causes(struct cells *c, const struct stats *a, const struct stats *b,
                        uint64_t slots)
{
	uint64_t row[CAUSES];
	unsigned rows = 0, most = 0, next = 0;
	char name[CAUSES][32], text[96] = "";
	for (size_t i = 0; i < stat_row_count; i++) {
		uint64_t before, after;
		if (strncmp(stat_rows[i].name, "cpi.", 4) != 0)
			continue;
		memcpy(&before, (const char *)a + stat_rows[i].offset, sizeof before);
		memcpy(&after, (const char *)b + stat_rows[i].offset, sizeof after);
		snprintf(name[rows], sizeof name[rows], "%s", stat_rows[i].name + 4);
		for (char *at = name[rows]; (at = strchr(at, '_'));)
			*at = ' ';
		row[rows++] = after - before;
	}
	for (unsigned i = 1; i < rows; i++)
		most = row[i] > (most ? row[most] : 0) ? i : most;
	for (unsigned i = 1; i < rows; i++)
		next = i != most && row[i] > (next ? row[next] : 0) ? i : next;
	if (most)
		snprintf(text, sizeof text, "%s %.0f%%", name[most],
		         100.0 * (double)row[most] / (double)slots);
	if (next && 20 * row[next] >= slots)
		snprintf(text + strlen(text), sizeof text - strlen(text), ", %s %.0f%%", name[next],
		         100.0 * (double)row[next] / (double)slots);
	says_list(c, "causes", row, rows, "%s", text);
}

static void says_per_1000(struct cells *c, const char *column, uint64_t n, uint64_t insts)
{
	const double v = insts ? 1000.0 * (double)n / (double)insts : 0;
	says_double(c, column, v, "%.1f", v);
}

/* `apart`: the number of recorded points in the row; 0: the row is shorter than their distance. */
static void timeline_cells_check_row(struct cells *c, const struct session *s, uint64_t from,
                                     uint64_t to, uint64_t apart)
{
	const struct stats *a = &seen[from].stats, *b = &seen[to].stats;
	const uint64_t insts = b->insts - a->insts,
		       width = (uint64_t)machine_config(s->machine)->commit_width,
		       slots = width * (to - from);
	const double ipc = (double)insts / (double)(to - from),
		     lost = 100 * (1 - (double)(b->cpi_base - a->cpi_base) / (double)slots);
	const uint64_t counts[] = {insts,
	                           b->bpred_mispredicts - a->bpred_mispredicts,
	                           b->l1i_misses - a->l1i_misses,
	                           b->l1d_misses - a->l1d_misses,
	                           b->l2_misses - a->l2_misses,
	                           b->itlb_misses - a->itlb_misses,
	                           b->dtlb_misses - a->dtlb_misses};
	uint64_t pc;
	char bar[100] = "";
	const char *where = most_often(s, from, to, apart ? apart : to, &pc);
	for (int k = 0; k < (int)(ipc / (double)width * 24 + 0.5); k++)
		strcat(bar, "█");
	cells_row(c);
	says(c, "mark", "%s", from < NOW && NOW <= to ? "▶" : "");
	says_uint(c, "from", from);
	says_uint(c, "to", to);
	says_double(c, "ipc", ipc, "%.3f", ipc);
	says(c, "bar", "%s", bar);
	says_double(c, "lost", lost, "%.1f%%", lost);
	says_causes(c, a, b, slots);
	says(c, "function", "%s", where);
	says_per_1000(c, "l1d", counts[3], insts);
	says_per_1000(c, "l2", counts[4], insts);
	says_per_1000(c, "l1i", counts[2], insts);
	says_per_1000(c, "mispredicts", counts[1], insts);
	says_list(c, "counts", counts, sizeof counts / sizeof *counts, "%s", grouped(insts));
	says_hex(c, "pc", pc);
}

TEST(rows_are_what_passed)
{
	enum { RECORDED = 32 }; /* cycles between points in a run of 9,000 */
	struct session *s = open_program("tests/golden/guest.elf", "");
	struct run_stop_info info;
	struct err err;
	struct cells c;
	run_for(s, END);
	assert_true(run_goto_cycle(s->run, NOW, &info, &err));
	cells_open(&c, s, "timeline");
	for (uint64_t from = 0; from < END; from += 512)
		timeline_cells_check_row(&c, s, from, from + 512 < END ? from + 512 : END,
		                         RECORDED);
	cells_close(&c);
	cells_open(&c, s, "timeline 3967 4100 20"); /* closer than that */
	for (uint64_t from = 3967, to; from < 4100; from = to) {
		to = (from / 8 + 1) * 8 < 4100 ? (from / 8 + 1) * 8 : 4100;
		timeline_cells_check_row(&c, s, from, to, 0);
	}
	cells_close(&c);
	session_free(s);
}

TEST(timeline_cells_are_complete)
{
	views_are_complete("timeline");
}

TEST_GROUP(timeline_cells_record_all_cycles, NULL)
