/* Readers of stats, cpi and slots: counters, and the two stacks as a whole and by place. */
#include "hwviews/why/hot.h"
#include "tests/unit/cells/profiling_cells.h"

/* ---- statistics ---- */
static uint64_t counter_of_row(const struct session *s, const struct stat_row *row)
{
	uint64_t n;
	memcpy(&n, (const char *)machine_stats(s->machine) + row->offset, sizeof n);
	return n;
}

void read_stats(const struct session *s)
{
	struct cells c;
	cells_open(&c, s, "stats");
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!stat_exists(machine_config(s->machine), row))
			continue;
		cells_row(&c);
		says(&c, "name", "%s", row->name);
		if (row->derived) {
			const double v = stat_value(machine_stats(s->machine), row);
			says_double(&c, "value", v, "%.4f", v);
		} else {
			says_uint(&c, "value", counter_of_row(s, row));
		}
		says(&c, "unit", "%s", row->unit);
		says(&c, "meaning", "%s", row->help);
	}
	cells_close(&c);
}

void read_cpi(const struct session *s)
{
	const struct stats *st = machine_stats(s->machine);
	const double width = (double)machine_config(s->machine)->commit_width,
		     cycles = (double)st->cycles, insts = (double)st->insts;
	uint64_t total = 0;
	struct cells c;
	cells_open(&c, s, "cpi");
	for (size_t i = 0; i <= stat_row_count; i++) {
		const struct stat_row *row = i < stat_row_count ? &stat_rows[i] : NULL;
		if (row && (strncmp(row->name, "cpi.", 4) != 0 ||
		            !stat_exists(machine_config(s->machine), row)))
			continue;
		const uint64_t slots = row ? counter_of_row(s, row) : total;
		if (row && !slots && !session_uses_xprof(s) &&
		    !strncmp(row->name, "cpi.profile", 11))
			continue; /* the program has no profile instructions */
		const double share = row ? (double)slots / width / cycles : 1,
			     cpi = insts > 0 ? (double)slots / width / insts : 0;
		char cause[64], bar[100] = "";
		snprintf(cause, sizeof cause, "%s", row ? row->name + 4 : "total");
		for (char *at = cause; (at = strchr(at, '_'));)
			*at = ' ';
		for (int k = 0; row && k < (int)(share * 24 + 0.5); k++)
			strcat(bar, "█");
		cells_row(&c);
		says(&c, "cause", "%s", cause);
		says_double(&c, "cpi", cpi, "%.3f", cpi);
		says_double(&c, "share", 100 * share, "%.1f%%", 100 * share);
		says(&c, "bar", "%s", bar);
		says_slots(&c, "cycles", slots, (uint64_t)width);
		says(&c, "meaning", "%s", row ? row->help : "every cycle, and no cycle twice");
		says_uint(&c, "slots", slots);
		total += row ? slots : 0;
	}
	assert_int_equal(total, st->cycles * (uint64_t)width);
	cells_close(&c);
}

static void slots_row(struct cells *c, const char *cause, const char *help, double slots,
                      double all, double width)
{
	const double share = slots / all;
	char bar[100] = "", name[64];
	snprintf(name, sizeof name, "%s", cause);
	for (char *at = name; (at = strchr(at, '_'));)
		*at = ' ';
	for (int k = 0; k < (int)(share * 24 + 0.5); k++)
		strcat(bar, "█");
	cells_row(c);
	says(c, "cause", "%s", name);
	says_double(c, "share", 100 * share, "%.1f%%", 100 * share);
	says(c, "bar", "%s", bar);
	says_double(c, "cycles", slots / width, "%.2f", slots / width);
	says(c, "meaning", "%s", help);
	says_word(c, "slots", RAW_INT, (uint64_t)(int64_t)slots, "%s", grouped((uint64_t)slots));
}

/* Reads one group's rows, by the names of their statistics. Without names, the group is missing if
 * its sum is 0. */
static void read_slot_group(struct cells *c, const struct session *s, const char *name,
                            const char *help, bool always, const char *rows, double width)
{
	const double all = width * (double)machine_stats(s->machine)->cycles;
	char copy[512], *save;
	double sum = 0;
	for (int pass = 0; pass < 2; pass++) {
		snprintf(copy, sizeof copy, "%s", rows);
		if (pass && !always && !sum)
			return;
		if (pass)
			slots_row(c, name, help, sum, all, width);
		for (char *row = strtok_r(copy, " ", &save); row;
		     row = strtok_r(NULL, " ", &save)) {
			char full[64];
			snprintf(full, sizeof full, "slots.%s", row);
			const struct stat_row *of = stat_find(full, NULL);
			const double slots = stat_value(machine_stats(s->machine), of);
			sum += pass ? 0 : slots;
			snprintf(full, sizeof full, "  %s", row);
			const char *said =
				strcmp(row, "in_flight")
					? of->help
				: slots < 0
					? "fewer are in flight at the end than at the beginning"
					: "took instructions that are still in flight";
			if (pass && slots != 0)
				slots_row(c, full, said, slots, all, width);
		}
	}
}

void read_slots(const struct session *s)
{
	const double width = 4; /* decode's, the narrowest stage */
	struct cells c;
	cells_open(&c, s, "slots");
	read_slot_group(&c, s, "used", "took instructions that retired, or are in flight", true,
	                "retired in_flight", width);
	read_slot_group(&c, s, "bad speculation", "the wrong path, and the recovery from it", true,
	                "wrong_path branch_refill replayed replay_refill interrupted", width);
	read_slot_group(&c, s, "fetch latency", "nothing came from fetch", true,
	                "itlb icache_l2 icache_memory misfetch fetch_fill", width);
	read_slot_group(&c, s, "fetch bandwidth",
	                "fetch or decode supplied less than the room allowed", true,
	                "fetch_width fetch_taken fetch_line fetch_queue decode_width", width);
	read_slot_group(&c, s, "profiling", "profile instructions and their flags", false,
	                "profile_dropped profile_wait profile_fetch", width);
	read_slot_group(&c, s, "execution",
	                "no room in the window: units, widths and latencies hold the oldest", true,
	                "unit_int unit_imuldiv unit_fadd unit_fmuldiv unit_mem unit_div "
	                "issue_width commit_width commit_delay in_order latency_int "
	                "latency_imuldiv latency_fadd latency_fmuldiv serial",
	                width);
	read_slot_group(
		&c, s, "memory", "no room in the window: loads and stores hold the oldest", true,
		"forward store_order dtlb l1d l2 l2_held memory bus mshr write_buffer", width);
	read_slot_group(&c, s, "other", "the program was not running", false,
	                "fault firmware vsample", width);
	slots_row(&c, "total", "every slot of every cycle, once",
	          width * (double)machine_stats(s->machine)->cycles,
	          width * (double)machine_stats(s->machine)->cycles, width);
	cells_close(&c);
}

/* By instruction: a row for each address with slots. "unit imuldiv 9.1%, l1d 0.2%": the three
 * largest losses of at least 0.1 %. */
static void read_stacks_check_place_row(struct cells *c, const char *stack,
                                        const int64_t rows[CHARGED], double all, uint64_t width)
{
	int64_t sum = 0, used = 0, left[CHARGED];
	char *text = some_text();
	*text = '\0';
	for (unsigned i = 0; i < CHARGED; i++) {
		const struct stat_row *row = charge_stat(i);
		left[i] = 0;
		if (!row || strncmp(row->name, stack, strlen(stack)) != 0)
			continue;
		const char *name = row->name + strlen(stack);
		const bool good = !strcmp(name, "retired") || !strcmp(name, "in_flight") ||
		                  !strcmp(name, "base") || !strcmp(name, "profile");
		sum += rows[i];
		used += good ? rows[i] : 0;
		left[i] = good ? 0 : rows[i];
	}
	for (unsigned k = 0; k < 3; k++) {
		unsigned most = 0;
		for (unsigned i = 1; i < CHARGED; i++)
			most = left[i] > left[most] ? i : most;
		if (100 * (double)left[most] / all < 0.05)
			break;
		snprintf(text + strlen(text), 200 - strlen(text), "%s%s %.1f%%", *text ? ", " : "",
		         charge_stat(most)->name + strlen(stack), 100 * (double)left[most] / all);
		left[most] = 0;
	}
	for (char *at = text; (at = strchr(at, '_'));)
		*at = ' ';
	says_double(c, "share", 100 * (double)sum / all, "%.1f%%", 100 * (double)sum / all);
	says_double(c, "used", 100 * (double)used / all, "%.1f%%", 100 * (double)used / all);
	says(c, "lost_to", "%s", text);
	says_slots(c, "cycles", (uint64_t)sum, width);
	says_word(c, "slots", RAW_INT, (uint64_t)sum, "%s", grouped((uint64_t)sum));
}

void read_places(const struct session *s, bool cpi)
{
	const char *stack = cpi ? "cpi." : "slots.";
	const uint64_t width = cpi ? 3 : 4;
	const double all = (double)(machine_cycle(s->machine) * width);
	const struct hot_profile profile = charged(s);
	int64_t total[CHARGED] = {0};
	struct cells c;
	cells_open(&c, s, cpi ? "cpi instructions all" : "slots instructions all");
	for (unsigned r = 0; r + 1 < c.g.row_count; r++) {
		int64_t rows[CHARGED] = {0};
		const uint64_t pc = cells_row(&c)->pc;
		add_charges(&profile, pc, rows);
		add_charges(&profile, pc, total);
		says_addr(&c, "place", s, pc);
		says_hex(&c, "address", pc);
		read_stacks_check_place_row(&c, stack, rows, all, width);
	}
	cells_row(&c);
	says(&c, "place", "total");
	says_nothing(&c, "address");
	read_stacks_check_place_row(&c, stack, total, all, width);
	cells_close(&c);
}

void read_part(const struct session *s)
{
	const struct symbol *walk = program_symbol_by_name(s->program, "walk");
	const struct hot_profile profile = charged(s);
	int64_t rows[CHARGED] = {0}, all = 0;
	unsigned told = 0;
	struct err err;
	struct grid g;
	for (uint64_t pc = walk->addr; pc < walk->addr + walk->size; pc += 2)
		add_charges(&profile, pc, rows);
	for (unsigned i = 0; i < CHARGED; i++)
		all += charge_stat(i) && !strncmp(charge_stat(i)->name, "slots.", 6) ? rows[i] : 0;
	assert_true(view_build(s, "slots of walk", &(struct view_args){0}, &g, &err));
	for (unsigned r = 0; r < g.row_count; r++) {
		char name[64];
		const struct cell *cells = g.rows[r].cells;
		snprintf(name, sizeof name, "slots.%s", cells[0].text + strspn(cells[0].text, " "));
		for (char *at = name; (at = strchr(at, ' '));)
			*at = '_';
		if (*cells[0].text == ' ') {
			assert_int_equal(cells[5].raw.i, charged_row(rows, name));
			assert_true(fabs(cells[1].raw.d -
			                 100 * (double)cells[5].raw.i / (double)all) < 1e-9);
			told++;
		}
	}
	assert_true(all ? g.rows[g.row_count - 1].cells[5].raw.i == all && told > 2 : !g.row_count);
	grid_deinit(&g);
}
