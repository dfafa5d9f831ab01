/* The pipeline diagram from far away, against what was recorded of each instruction as it left the
 * machine, painted and added up again. */
#include "tests/unit/hwviews/views_fixture.h"

#include "hwviews/machine/pipe_zoom.h"

enum { HEARD_MAX = 60000, LETTERS = 12, LIFE_MAX = 4096 };

struct record {
	struct uop *uops; /* [count] */
	size_t count;
};

static void pipe_zoom_record_uop(void *ctx, const struct machine *m, const struct event *ev)
{
	struct record *h = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (u->seq != ev->seq)
		return;
	assert_true(h->count < HEARD_MAX);
	h->uops[h->count++] = *u;
}

/* By the view's help: of two equal stages, the one further right is shown. */
static const char order[LETTERS + 1] = "F=DwIXAMWC-x";

static void pipe_zoom_paint_stage(char *life, uint64_t fetch, uint64_t from, uint64_t to,
                                  uint64_t end, char letter)
{
	for (uint64_t c = from; c < to && c < end; c++)
		if (c >= fetch && c - fetch < LIFE_MAX)
			life[c - fetch] = letter;
}

/* An instruction's stage in each cycle from its fetch to `end`; the later strokes cover the
 * earlier ones. Returns the number of cycles. */
static uint64_t life_of(const struct pipe *p, const struct uop *u, uint64_t end, char *life)
{
	const struct uop_when *w = &u->when;
	const uint64_t from = w->fetch;
	const bool memory = inst_class(&u->inst) == CLASS_LOAD ||
	                    inst_class(&u->inst) == CLASS_STORE ||
	                    inst_class(&u->inst) == CLASS_AMO;
	if (u->state >= UOP_RETIRED && w->end + 1 < end)
		end = w->end + 1;
	assert_true(end <= from || end - from <= LIFE_MAX);
	pipe_zoom_paint_stage(life, from, from, w->avail + 1, end, 'F');
	pipe_zoom_paint_stage(life, from, w->avail + 1, end, end, '=');
	if (u->flags & UF_EXECUTED) {
		pipe_zoom_paint_stage(life, from, w->dispatch + 1, end, end, 'w');
		if (w->issue != NO_CYCLE) {
			const uint64_t agen = w->issue + (uint64_t)CONFIG(p->cfg, lsq_agen);
			pipe_zoom_paint_stage(life, from, w->issue, w->done, end, 'X');
			if (memory) {
				pipe_zoom_paint_stage(life, from, agen, w->done, end, 'A');
				pipe_zoom_paint_stage(life, from, w->mem > agen ? w->mem : agen,
				                      w->done, end, 'M');
			}
			pipe_zoom_paint_stage(life, from, w->done, w->done + (w->done != NO_CYCLE),
			                      end, 'W');
			pipe_zoom_paint_stage(life, from, w->issue, w->issue + 1, end, 'I');
		}
		pipe_zoom_paint_stage(life, from, w->dispatch, w->dispatch + 1, end, 'D');
	}
	if (u->state >= UOP_RETIRED)
		pipe_zoom_paint_stage(life, from, w->end, w->end + 1, end,
		                      u->state == UOP_SQUASHED  ? 'x'
		                      : u->state == UOP_DROPPED ? '-'
		                      : u->state == UOP_CONTROL ? 'D'
		                                                : 'C');
	return end > from ? end - from : 0;
}

struct sums {
	uint32_t cell[40][160][LETTERS];
	uint64_t known[40], committed[40], squashed[40];
};

static void pipe_zoom_sum_uop(struct sums *t, const struct pipe *p, const struct uop *u,
                              const struct zoom *z)
{
	char life[LIFE_MAX];
	if (u->when.fetch >= z->end || (u->state >= UOP_RETIRED && u->when.end < z->from))
		return;
	const uint64_t row = (u->seq - z->first_seq) / z->per, n = life_of(p, u, z->end, life);
	assert_true(u->seq >= z->first_seq && row < z->rows);
	const bool left = u->state >= UOP_RETIRED && u->when.end < z->end;
	t->known[row]++;
	t->committed[row] += left && u->state == UOP_RETIRED;
	t->squashed[row] += left && u->state == UOP_SQUASHED;
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t c = u->when.fetch + i;
		if (c >= z->from)
			t->cell[row][(c - z->base) / z->by]
			       [strchr(order, life[i]) - order]++;
	}
}

static unsigned long letters_seen;

/* The whole diagram against events. */
static void pipe_zoom_compare_diagram(const struct session *s, const struct record *h,
                                      const struct zoom *z, const struct grid *g)
{
	static struct sums t;
	const struct pipe *p = machine_pipe(s->machine);
	memset(&t, 0, sizeof t);
	for (size_t i = 0; i < h->count; i++)
		if (h->uops[i].when.end < machine_cycle(s->machine)) /* else it was replayed */
			pipe_zoom_sum_uop(&t, p, &h->uops[i], z);
	for (uint32_t i = 0; i < p->pool_size; i++)
		if (p->pool[i].seq && p->pool[i].state < UOP_RETIRED)
			pipe_zoom_sum_uop(&t, p, &p->pool[i], z);
	unsigned r = 1;
	for (unsigned row = 0; row < z->rows; row++) {
		char line[160 * 2 + 1];
		size_t n = 0, used = 0;
		if (!t.known[row])
			continue;
		for (unsigned c = 0; c < z->columns; c++) {
			unsigned most = 0;
			for (unsigned k = 0; k < LETTERS; k++)
				if (t.cell[row][c][k] >= t.cell[row][c][most])
					most = k;
			const bool any = t.cell[row][c][most];
			const char *letter = !any ? " " : order[most] == 'w' ? "·" : "";
			if (any && order[most] != 'w')
				line[n++] = order[most];
			for (; *letter; letter++)
				line[n++] = *letter;
			if (any) {
				used = n;
				letters_seen |= 1ul << most;
			}
		}
		line[used] = '\0';
		assert_string_equal(views_fixture_cell_text(g, r, "pipeline"), line);
		assert_int_equal(g->rows[r].cells[1].raw.u, t.known[row]);
		assert_int_equal(g->rows[r].cells[6].raw.u, t.committed[row]);
		assert_int_equal(g->rows[r].cells[7].raw.u, t.squashed[row]);
		r++;
	}
	assert_int_equal(r, g->row_count);
}

static void pipe_zoom_check_window(const struct session *s, const struct record *h, uint64_t last,
                                   uint64_t by, unsigned columns, unsigned rows)
{
	struct zoom z;
	struct grid g;
	struct err err;
	if (!pipe_zoom_take(s, last, by, columns, rows, &z, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(z.end, last + 1);
	assert_int_equal(z.base % by, 0);
	assert_true(z.rows && z.rows <= rows && z.end <= z.base + z.columns * by);
	/* no coarser than it must be */
	assert_true(z.per == 1 || z.rows > rows / 2 - 1);
	if (!pipe_zoom_grid(s, last, by, columns, rows, &g, &err))
		fail_msg("%s", err.msg);
	pipe_zoom_compare_diagram(s, h, &z, &g);
	grid_deinit(&g);
}

static struct session *heard_session(const char *setting, struct record *h)
{
	struct session *s = views_fixture_start_guest(setting);
	const struct event_filter leaves = {.mask = EVENT_BIT(leave)};
	*h = (struct record){.uops = malloc(HEARD_MAX * sizeof *h->uops)};
	assert_non_null(h->uops);
	assert_true(machine_listen(s->machine, &leaves, pipe_zoom_record_uop, h) > 0);
	return s;
}

TEST(cells_are_what_most_cycles_were)
{
	static const char *const settings[] = {NULL, "pipe.rob_size=16;mem.latency=80"};
	for (unsigned k = 0; k < 2; k++) {
		struct record h;
		struct session *s = heard_session(settings[k], &h);
		for (unsigned i = 0; i < 60; i++) {
			session_fixture_run_cycles(
				s, i % 4 ? 3 : 331); /* sums continue, or start anew */
			const uint64_t now = machine_cycle(s->machine) - 1;
			pipe_zoom_check_window(s, &h, now, 2, 64, 32);
			pipe_zoom_check_window(s, &h, now, 2, 64, 32);
			if (i % 8 == 0) {
				pipe_zoom_check_window(s, &h, now, 7, 33, 5);
				pipe_zoom_check_window(s, &h, now / 2, 16, 100, 40); /* the past */
				pipe_zoom_check_window(s, &h, now, 1000, 16, 20);
			}
		}
		free(h.uops);
		session_free(s);
	}
	assert_int_equal(letters_seen & 0x39f, 0x39f); /* F = D w I M W C */
}

/* Events recorded after a change by hand have not happened. */
TEST(changes_begin_anew)
{
	struct record h;
	struct run_stop_info info;
	struct err err;
	struct session *s = heard_session(NULL, &h);
	session_fixture_run_cycles(s, 3000);
	pipe_zoom_check_window(s, &h, 2999, 16, 64, 32);
	assert_true(run_back_cycles(s->run, 200, &info, &err));
	size_t kept = 0;
	for (size_t i = 0; i < h.count; i++)
		if (h.uops[i].when.end < 2800)
			h.uops[kept++] = h.uops[i];
	h.count = kept;
	/* the walk's counter: it ends early */
	assert_true(run_change(s->run, &(struct change){.kind = JOURNAL_REG, .a = 13, .b = 2},
	                       &err));
	session_fixture_run_cycles(s, 200);
	pipe_zoom_check_window(s, &h, 2999, 16, 64, 32);
	free(h.uops);
	session_free(s);
}

/* The same window is equal after motions in both directions. */
TEST(going_back_begins_anew)
{
	struct record h;
	struct run_stop_info info;
	struct err err;
	struct session *s = heard_session(NULL, &h);
	session_fixture_run_cycles(s, 3000);
	pipe_zoom_check_window(s, &h, 2999, 16, 64, 32);
	for (unsigned i = 0; i < 5; i++) {
		assert_true(run_back_cycles(s->run, 70, &info, &err));
		pipe_zoom_check_window(s, &h, machine_cycle(s->machine) - 1, 16, 64, 32);
	}
	free(h.uops);
	session_free(s);
}

/* At most a million cycles are executed again, however wide the pane. */
TEST(far_windows_are_bounded)
{
	struct session *s = views_fixture_start_guest(NULL);
	struct zoom z;
	struct err err;
	session_fixture_run_cycles(s, 2000);
	assert_true(pipe_zoom_take(s, 1999, ZOOM_BY_MOST, 240, 20, &z, &err));
	assert_true(z.columns * z.by <= ZOOM_CYCLES_MOST && z.rows > 0);
	session_free(s);
}

TEST(wrong_words_are_told)
{
	static const struct {
		const char *words, *says;
	} cases[] = {{"pipe by", "no number of cycles per column"},
	             {"pipe by 0", "at least one cycle"},
	             {"pipe by x", "is not a number"},
	             {"pipe by 20000", "out of range"},
	             {"pipe 10 5 3 by 4", "one too many"},
	             {"pipe by 4 10", "one too many"}};
	struct session *s = views_fixture_start_guest(NULL);
	session_fixture_run_cycles(s, 100);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct grid g;
		struct err err;
		if (view_build(s, cases[i].words, &(struct view_args){0}, &g, &err))
			fail_msg("view %s is taken", cases[i].words);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("view %s: %s", cases[i].words, err.msg);
	}
	session_free(s);
}
