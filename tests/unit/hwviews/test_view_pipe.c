/* The pipeline diagram: letters against events, scrolling, the axis, and what rows are marked. */
#include "tests/unit/hwviews/views_fixture.h"

/* ---- the pipeline diagram ---- */

enum { HEARD_MAX = 400000 };

struct trace {
	struct event *events;
	size_t count;
};

static void view_pipe_record_event(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)m;
	struct trace *t = ctx;
	if (t->count < HEARD_MAX)
		t->events[t->count++] = *ev;
}

static char expected_letter(const struct event *ev)
{
	switch (ev->id) {
	case EV_FETCH: return 'F';
	case EV_DISPATCH: return 'D';
	case EV_ISSUE: return 'I';
	case EV_MEM: return 'M';
	case EV_WRITEBACK: return 'W';
	case EV_COMMIT: return 'C';
	default: return 0;
	}
}

TEST(letters_are_events)
{
	struct session *s = views_fixture_start_guest(NULL);
	struct trace t = {.events = malloc(HEARD_MAX * sizeof *t.events)};
	struct event_filter filter = {.mask = EV_BIT(FETCH) | EV_BIT(DISPATCH) | EV_BIT(ISSUE) |
	                                      EV_BIT(MEM) | EV_BIT(WRITEBACK) | EV_BIT(COMMIT)};
	assert_true(machine_listen(s->machine, &filter, view_pipe_record_event, &t) > 0);
	unsigned checked = 0, letters = 0;
	for (int i = 0; i < 60; i++) {
		t.count = 0;
		session_fixture_run_cycles(s, 97);
		const struct pipe *p = machine_pipe(s->machine);
		for (size_t e = 0; e < t.count; e++) {
			const struct uop *u = pipe_find(p, t.events[e].seq);
			char want = expected_letter(&t.events[e]);
			if (!u)
				continue;
			const char *got = pipe_letter(p, u, t.events[e].cycle);
			/* A squash in the same cycle, or a forward that took no cycle, comes last.
			 */
			if (u->state == UOP_SQUASHED && u->when.end == t.events[e].cycle)
				want = 'x';
			if (*got != want)
				fail_msg("#%llu in cycle %llu: %s, not %c",
				         (unsigned long long)u->seq,
				         (unsigned long long)t.events[e].cycle, got, want);
			checked++;
			letters |= 1u << (want - 'A');
		}
	}
	assert_true(checked > 10000);
	assert_int_equal(letters & 0x7fffffu, 1u << ('C' - 'A') | 1u << ('D' - 'A') |
	                                              1u << ('F' - 'A') | 1u << ('I' - 'A') |
	                                              1u << ('M' - 'A') | 1u << ('W' - 'A'));
	free(t.events);
	session_free(s);
}

static void build_pipe(const struct session *s, const char *arg, int64_t scroll, struct grid *g);

/* A machine with a memory stage is drawn as textbooks draw it. */
TEST(five_stages_have_their_letters)
{
	struct session *s = views_fixture_start_guest("pipe.memory_stage=1");
	unsigned whole = 0;
	for (int i = 0; i < 20; i++) {
		struct grid g;
		session_fixture_run_cycles(s, 91);
		build_pipe(s, NULL, 0, &g);
		for (unsigned r = 1; r < g.row_count; r++) {
			const char *line = views_fixture_cell_text(&g, r, "pipeline");
			assert_true(strcspn(line, "IC") == strlen(line));
			whole += strstr(line, "FDXM") && strchr(line, 'W');
		}
		grid_deinit(&g);
	}
	assert_true(whole > 0);
	session_free(s);
}

static void build_pipe(const struct session *s, const char *arg, int64_t scroll, struct grid *g)
{
	struct err err;
	struct view_args args = {
		.argc = arg ? 1 : 0, .argv = &arg, .rows = 30, .columns = 120, .scroll = scroll};
	if (!view_pipe.build(s, &args, g, &err))
		fail_msg("%s", err.msg);
}

/* The diagram of a cycle in the distant past equals the one shown in that cycle. */
TEST(the_past_stays_as_it_was)
{
	struct session *s = views_fixture_start_guest(NULL);
	struct grid then[12], now;
	for (int i = 0; i < 12; i++) {
		session_fixture_run_cycles(s, (uint64_t)(150 + 200 * i));
		build_pipe(s, NULL, 0, &then[i]);
	}
	uint64_t end = machine_cycle(s->machine);
	uint64_t cycle = 0;
	unsigned rows = 0;
	for (int i = 0; i < 12; i++) {
		char arg[32];
		cycle += (uint64_t)(150 + 200 * i);
		snprintf(arg, sizeof arg, "%llu", (unsigned long long)cycle - 1);
		build_pipe(s, arg, 0, &now);
		assert_int_equal(machine_cycle(s->machine), end);
		assert_string_equal(now.summary, then[i].summary);
		assert_int_equal(now.row_count, then[i].row_count);
		for (unsigned r = 0; r < now.row_count; r++) {
			assert_int_equal(now.rows[r].seq, then[i].rows[r].seq);
			assert_string_equal(views_fixture_cell_text(&now, r, "pipeline"),
			                    views_fixture_cell_text(&then[i], r, "pipeline"));
			rows++;
		}
		grid_deinit(&now);
		grid_deinit(&then[i]);
	}
	assert_true(rows > 200);
	session_free(s);
}

TEST(scrolling_has_no_gaps)
{
	struct session *s = views_fixture_start_guest(NULL);
	session_fixture_run_cycles(s, 9000);
	uint64_t last = UINT64_MAX;
	for (int64_t scroll = -20; scroll > (scale_is("small") ? -600 : -4000); scroll -= 20) {
		struct grid g;
		build_pipe(s, NULL, scroll, &g);
		uint64_t first = g.rows[1].seq;
		for (unsigned r = 2; r < g.row_count; r++)
			assert_int_equal(g.rows[r].seq, first + r - 1);
		assert_true(last == UINT64_MAX || last - first == 20);
		last = first;
		grid_deinit(&g);
	}
	session_free(s);
}

/* The pipe view scrolls back to the first instruction, and shows each cycle as it was when present.
 */
TEST(scrolling_reaches_the_beginning)
{
	struct session *s = views_fixture_start_guest(NULL);
	struct grid then, g;
	session_fixture_run_cycles(
		s, 172); /* the first are complete, the others not yet fetched */
	build_pipe(s, NULL, 0, &then);
	session_fixture_run_cycles(s, 12000);
	const uint64_t next = machine_pipe(s->machine)->st->next_seq,
		       cycle = machine_cycle(s->machine);
	assert_true(next > 15000);
	for (uint64_t up = 5000; up < next; up += 3001) {
		build_pipe(s, NULL, -(int64_t)up, &g);
		const uint64_t first = g.rows[1].seq;
		/* most instructions in flight */
		assert_in_range(first, next - up - 300, next - up);
		for (unsigned r = 2; r < g.row_count; r++)
			assert_int_equal(g.rows[r].seq, first + r - 1);
		grid_deinit(&g);
	}
	build_pipe(s, NULL, -(int64_t)next, &g);
	assert_int_equal(g.rows[1].seq, 1);
	assert_in_range(g.row_count, 29, 30); /* the legend may take a line */
	assert_in_range(then.row_count, 4, g.row_count);
	for (unsigned r = 1; r < then.row_count; r++) {
		assert_int_equal(then.rows[r].seq, g.rows[r].seq);
		assert_string_equal(views_fixture_cell_text(&then, r, "pipeline"),
		                    views_fixture_cell_text(&g, r, "pipeline"));
	}
	assert_int_equal(machine_cycle(s->machine), cycle);
	grid_deinit(&g);
	build_pipe(s, NULL, -(int64_t)next - 1000000, &g);
	assert_int_equal(g.rows[1].seq, 1);
	grid_deinit(&g);
	grid_deinit(&then);
	session_free(s);
}

/* No column precedes the fetch of the first row, and a cycle's diagram ends with that cycle. */
TEST(the_axis_begins_with_the_first_fetch)
{
	struct session *s = views_fixture_start_guest(NULL);
	unsigned moved = 0;
	for (int i = 0; i < 60; i++) {
		struct grid g;
		size_t indent = SIZE_MAX, longest = 0;
		session_fixture_run_cycles(s, 71);
		build_pipe(s, NULL, 0, &g);
		for (unsigned r = 1; r < g.row_count; r++) {
			const char *line = views_fixture_cell_text(&g, r, "pipeline");
			if (*line)
				indent = strspn(line, " ") < indent ? strspn(line, " ") : indent;
			longest = utf8_width(line) > longest ? utf8_width(line) : longest;
		}
		if (g.row_count > 1)
			assert_int_equal(indent, 0);
		assert_true(longest <= g.columns[3].min_width);
		moved += longest && longest < g.columns[3].min_width;
		grid_deinit(&g);
	}
	assert_true(moved > 0);
	session_free(s);
}

/* Each branch has a row with prediction and outcome, the youngest last; the tables' contents
 * follow. */
TEST(branches_say_how_they_came_out)
{
	struct session *s = views_fixture_start_guest(NULL);
	unsigned right = 0, wrong = 0, open = 0, committed = 0;
	for (int i = 0; i < 150; i++) {
		struct grid g;
		struct err err;
		uint64_t before = 0;
		session_fixture_run_cycles(s, 53);
		assert_true(view_bpred.build(s, &(struct view_args){.rows = 12, .columns = 60}, &g,
		                             &err));
		const struct pipe *p = machine_pipe(s->machine);
		for (unsigned r = 0; r < g.row_count && g.rows[r].seq; r++) {
			const struct uop *u = NULL;
			for (uint32_t k = 0; k < p->pool_size; k++)
				u = p->pool[k].seq == g.rows[r].seq ? &p->pool[k] : u;
			assert_non_null(u);
			assert_true(u->seq > before && r < 12);
			before = u->seq;
			const bool known = u->state == UOP_DONE || u->state == UOP_RETIRED,
				   taken = u->mark.flags & BPM_TAKEN;
			assert_string_equal(views_fixture_cell_text(&g, r, "predicts"),
			                    taken ? "taken" : "not taken");
			if (!known)
				assert_string_equal(views_fixture_cell_text(&g, r, "outcome"),
				                    "not known");
			else if (u->exec.taken == taken)
				assert_string_equal(views_fixture_cell_text(&g, r, "outcome"),
				                    "right");
			else
				assert_string_equal(views_fixture_cell_text(&g, r, "outcome"),
				                    taken ? "wrong: not taken" : "wrong: taken");
			open += !known;
			right += known && u->exec.taken == taken;
			wrong += known && u->exec.taken != taken;
			committed += u->state == UOP_RETIRED;
		}
		grid_deinit(&g);
	}
	assert_true(right && wrong && open && committed);
	session_free(s);
}

/* Memory is shown at the access of the selected instruction, else at the window's oldest access. */
TEST(memory_follows_accesses)
{
	struct session *s = views_fixture_start_guest(NULL);
	unsigned followed = 0, selected = 0;
	for (int i = 0; i < 150; i++) {
		const struct pipe *p = machine_pipe(s->machine);
		struct grid g;
		struct err err;
		session_fixture_run_cycles(s, 53);
		s->selected_seq = 0;
		for (uint32_t k = 0; k < p->st->lsq_count; k++) {
			const struct uop *u = pipe_lsq_at(p, k);
			if (!(u->flags & UF_ADDR_KNOWN))
				continue;
			if (s->selected_seq)
				selected++;
			assert_true(view_mem.build(s, &(struct view_args){.rows = 4}, &g, &err));
			assert_int_equal(g.rows[0].cells[0].raw.u, u->exec.addr & ~UINT64_C(15));
			assert_int_equal(g.rows[0].cells[1 + (u->exec.addr & 15) / 4].role,
			                 ROLE_HOT);
			grid_deinit(&g);
			followed++;
			/* The next ones only if selected. */
			while (++k < p->st->lsq_count &&
			       !(pipe_lsq_at(p, k)->flags & UF_ADDR_KNOWN))
				;
			if (k >= p->st->lsq_count)
				break;
			s->selected_seq = pipe_lsq_at(p, k--)->seq;
		}
	}
	assert_true(followed > selected && selected > 0);
	session_free(s);
}

/* A class has a mark for each of its units, in the order of their rows. */
TEST(units_are_marked)
{
	struct session *s = views_fixture_start_guest(NULL);
	static const char *const word[] = {"taken", "●", "busy", "◐", "idle", "○"};
	const char *units = "units";
	unsigned seen[3] = {0};
	for (int i = 0; i < 200; i++) {
		struct grid classes, rows;
		struct err err;
		session_fixture_run_cycles(s, 53);
		assert_true(view_fu.build(s, &(struct view_args){0}, &classes, &err));
		assert_true(view_fu.build(s, &(struct view_args){.argc = 1, .argv = &units}, &rows,
		                          &err));
		unsigned r = 0;
		for (unsigned k = 0; k < classes.row_count; k++) {
			for (const char *mark = views_fixture_cell_text(&classes, k, "taken");
			     *mark; r++) {
				unsigned is = 0;
				while (strcmp(views_fixture_cell_text(&rows, r, "state"),
				              word[2 * is]) != 0)
					is++;
				assert_memory_equal(mark, word[2 * is + 1],
				                    strlen(word[2 * is + 1]));
				assert_int_equal(
					strncmp(views_fixture_cell_text(&rows, r, "unit"),
				                views_fixture_cell_text(&classes, k, "units"),
				                strlen(views_fixture_cell_text(&classes, k,
				                                               "units"))),
					0);
				mark += strlen(word[2 * is + 1]);
				seen[is]++;
			}
		}
		assert_int_equal(r, rows.row_count);
		grid_deinit(&classes);
		grid_deinit(&rows);
	}
	assert_true(seen[0] && seen[1] && seen[2]);
	session_free(s);
}

TEST(relatives_are_marked)
{
	struct session *s = views_fixture_start_guest(NULL);
	unsigned producers = 0, consumers = 0;
	for (int i = 0; i < 40; i++) {
		session_fixture_run_cycles(s, 53);
		const struct uop *u = session_uop(s);
		if (!u || !uop_in_window(u))
			continue;
		s->selected_seq = u->seq;
		struct grid g;
		build_pipe(s, NULL, 0, &g);
		const struct pipe *p = machine_pipe(s->machine);
		for (unsigned r = 0; r < g.row_count; r++) {
			const char *mark = views_fixture_cell_text(&g, r, "mark");
			const struct uop *q = g.rows[r].seq ? pipe_find(p, g.rows[r].seq) : NULL;
			if (strcmp(mark, "◇") == 0) {
				consumers++;
				assert_true(q->src.seq[0] == u->seq || q->src.seq[1] == u->seq ||
				            q->src.seq[2] == u->seq || q->mem.wait_seq == u->seq);
			} else if (strcmp(mark, "◆") == 0) {
				producers++;
				assert_true(u->src.seq[0] == q->seq || u->src.seq[1] == q->seq ||
				            u->src.seq[2] == q->seq || u->mem.wait_seq == q->seq);
			} else if (strcmp(mark, "▶") == 0) {
				assert_int_equal(g.rows[r].seq, u->seq);
			}
		}
		s->selected_seq = 0;
		grid_deinit(&g);
	}
	assert_true(producers > 0 && consumers > 0);
	session_free(s);
}

/* ---- views that must agree ---- */

TEST(changes_are_few_while_nothing_moves)
{
	struct session *s = views_fixture_start_guest(NULL);
	unsigned quiet = 0;
	for (int i = 0; i < 1500 && quiet < 20; i++) {
		struct grid before, after;
		struct err err;
		uint64_t committed = machine_insts(s->machine),
			 next = machine_pipe(s->machine)->st->next_seq;
		assert_true(view_regs.build(s, &(struct view_args){0}, &before, &err));
		session_fixture_run_cycles(s, 1);
		assert_true(view_regs.build(s, &(struct view_args){0}, &after, &err));
		grid_mark_changes(&after, &before);
		if (machine_insts(s->machine) == committed &&
		    machine_pipe(s->machine)->st->next_seq == next) {
			for (unsigned r = 0; r < after.row_count; r++)
				assert_false(after.rows[r].cells[1].changed || after.rows[r].fresh);
			quiet++;
		}
		grid_deinit(&before);
		grid_deinit(&after);
	}
	assert_int_equal(quiet, 20);
	session_free(s);
}
