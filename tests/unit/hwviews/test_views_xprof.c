/* The diagram and `why` of profile instructions, in every cycle of a program that has some, against
 * events; and the words that expressions have for them. test_view_cells_pflag and
 * test_view_cells_pipeline have the views. */
#include "core/isa/op.h"
#include "hwviews/grid/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "core/pipe/xprof/xprof.h"
#include "hwviews/why/why_text.h"
#include "loader/profile_code.h"
#include "scripting/expr/expr.h"
#include "tests/unit/hwviews/grid_cell.h"

enum { SEQS = 1 << 16 };

/* Events of each instruction, by seq. */
enum {
	DROPPED = 1,
	DISPATCHED = 2,
	SKIPPED = 4,
	REPAIRED = 8,
	FOLLOWED = 16,
	SAID_OFF = 32,
	SAID_ON = 64
};

struct seen {
	struct session *s;
	uint8_t of[SEQS];
	uint8_t count[SEQS];      /* instructions skipped after it */
	uint64_t followed[SEQS];  /* where fetch went after a call that was dropped */
	unsigned totals[4];       /* drops, gaps, repaired, followed: what the walk has met */
};

static void views_xprof_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct seen *w = ctx;
	(void)m;
	assert_true(ev->seq < SEQS);
	switch ((enum event_id)ev->id) {
	case EV_DROP:
		w->of[ev->seq] |= DROPPED;
		break;
	case EV_SKIP:
		w->of[ev->seq] |= SKIPPED;
		w->count[ev->seq] = (uint8_t)ev->skip.count;
		break;
	case EV_FLAG_MISPREDICT:
		w->of[ev->seq] |= REPAIRED;
		break;
	case EV_PROFILE_MISFETCH:
		w->of[ev->seq] |= FOLLOWED;
		w->followed[ev->seq] = ev->profile_misfetch.predicted;
		break;
	case EV_DISPATCH:
		w->of[ev->seq] |= DISPATCHED;
		break;
	default:
		break;
	}
}

static struct session *views_xprof_start_session(const char *path, const char *setting)
{
	struct err err;
	struct session_options opt = {.launch = {.path = path, .stdin_fd = -1},
	                              .history = {.history = true}};
	config_default(&opt.cfg);
	if (setting && !config_set_assignment(&opt.cfg, setting, &err))
		fail_msg("%s", err.msg);
	struct session *s = session_open(&opt, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

static void views_xprof_build_grid(const struct session *s, const char *name, struct grid *g)
{
	struct err err;
	assert_true(view_fill(view_named(NULL, name), s, &(struct view_args){0}, g, &err));
}

/* ---- pipe ---- */
static void check_diagram(struct seen *w)
{
	struct grid g;
	views_xprof_build_grid(w->s, "pipe", &g);
	for (unsigned r = 1; r < g.row_count; r++) {
		const char *line = grid_cell_in_column(&g, r, "pipeline")->text,
			   *seq = grid_cell_in_column(&g, r, "seq")->text;
		uint64_t of = g.rows[r].seq;
		if (!strncmp(seq, "⋯", 3)) {
			char n[32];
			snprintf(n, sizeof n, "%u skipped", w->count[of]);
			assert_int_equal(g.rows[r - 1].seq, of);
			assert_true((w->of[of] & SKIPPED) && !(w->of[of] & REPAIRED));
			assert_memory_equal(grid_cell_in_column(&g, r, "instruction")->text, n,
			                    strlen(n));
			w->totals[1]++;
			continue;
		}
		/* A row whose end lies before the diagram has no letters. */
		if (*line && strlen(line) > 1)
			assert_int_equal(line[strlen(line) - 1] == '-', (w->of[of] & DROPPED) != 0);
		bool gap = r + 1 < g.row_count && g.rows[r + 1].seq == of;
		assert_int_equal(gap, (w->of[of] & SKIPPED) && !(w->of[of] & REPAIRED));
	}
	grid_deinit(&g);
}

/* ---- fetchq: its prediction of decode's result is what decode finds ---- */
static void check_queue(struct seen *w)
{
	struct grid g;
	views_xprof_build_grid(w->s, "fetchq", &g);
	for (unsigned r = 0; r < g.row_count; r++) {
		const char *says = grid_cell_in_column(&g, r, "predicts")->text;
		uint8_t *of = &w->of[g.rows[r].seq];
		*of &= (uint8_t)~(SAID_OFF | SAID_ON);
		if (!strncmp(says, "- flag", 6))
			*of |= SAID_OFF;
		else if (!strncmp(says, "flag", 4) && strstr(says, " on"))
			*of |= SAID_ON;
	}
	grid_deinit(&g);
}

static void check_told(struct seen *w)
{
	const struct pipe *p = machine_pipe(w->s->machine);
	char line[512], expected[128], digits[32];
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		uint8_t of = w->of[u->seq];
		if (!u->seq || !u->prefix_len)
			continue;
		if (of & DROPPED)
			assert_false(of & SAID_ON);
		if (of & DISPATCHED)
			assert_false(of & SAID_OFF);
		if (!(of & DROPPED) || u->when.end + 1 != p->st->cycle)
			continue;
		w->totals[0]++;
		why_line(w->s, u, line, sizeof line);
		snprintf(expected, sizeof expected,
		         "was dropped at decode in cycle %s: profile flag %u was off",
		         group_digits(u->when.end, digits), u->profile_type);
		assert_non_null(strstr(line, expected));
		assert_int_equal(strstr(line, "was not fetched") != NULL, (of & SKIPPED) != 0);
		if (!(of & FOLLOWED))
			continue;
		w->totals[3]++;
		char where[96];
		snprintf(
			expected, sizeof expected, "fetch had followed it to %s:",
			program_addr_text(w->s->program, w->followed[u->seq], where, sizeof where));
		assert_non_null(strstr(line, expected));
	}
}

/* A wrong skip is shown from the leader's dispatch on, with the cycle of the repair. */
static void check_repair(struct seen *w)
{
	const struct pipe *p = machine_pipe(w->s->machine);
	char line[512], expected[128], digits[32];
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (!(w->of[u->seq] & REPAIRED))
			continue;
		w->totals[2]++;
		why_line(w->s, u, line, sizeof line);
		snprintf(expected, sizeof expected,
		         "decode found flag %u on: fetched after all, from cycle %s on",
		         u->profile_type, group_digits(u->when.dispatch, digits));
		assert_non_null(strstr(line, expected));
	}
}

/* ---- expressions ---- */
static int64_t views_xprof_eval_integer(struct exprs *x, const char *fmt, unsigned a, unsigned b,
                                        const char *what)
{
	char text[64];
	struct expr_value v;
	struct err err;
	snprintf(text, sizeof text, fmt, a, b, what);
	if (!expr_once(x, text, &v, &err))
		fail_msg("%s: %s", text, err.msg);
	return v.type == EXPR_NIL ? -1 : v.i;
}

static void check_words(const struct seen *w, struct exprs *x)
{
	const struct bdt *t = &machine_pipe(w->s->machine)->xprof.bdt;
	unsigned locked = 0;
	uint16_t late, known = xprof_known(machine_pipe(w->s->machine), &late);
	for (unsigned set = 0; set <= t->mask; set++) {
		unsigned in_set = 0;
		for (unsigned way = 0; way < t->ways; way++) {
			const struct bdt_entry *e = &t->entry[set * t->ways + way];
			locked += e->leader && e->locked;
			in_set += e->leader && e->locked;
			if (!e->leader && set % 16)
				continue;
			assert_int_equal(
				views_xprof_eval_integer(x, "bdt[%u][%u].%s", set, way, "locked"),
				e->leader && e->locked);
			assert_int_equal(
				views_xprof_eval_integer(x, "bdt[%u][%u].%s", set, way, "on"),
				e->leader && e->on);
			assert_int_equal(
				views_xprof_eval_integer(x, "bdt[%u][%u].%s", set, way, "leader"),
				e->leader ? (int64_t)e->leader : -1);
			assert_int_equal(
				views_xprof_eval_integer(x, "bdt[%u][%u].%s", set, way, "follow"),
				e->leader ? (int64_t)e->follow : -1);
			assert_int_equal(
				views_xprof_eval_integer(x, "bdt[%u][%u].%s", set, way, "insts"),
				e->leader ? (int64_t)e->count : -1);
		}
		if (in_set || set % 16 == 0)
			assert_int_equal(
				views_xprof_eval_integer(x, "bdt[%u].locked + %u * 0", set, 0, ""),
				in_set);
	}
	assert_int_equal(views_xprof_eval_integer(x, "bdt.locked + %u + %u", 0, 0, ""), locked);
	for (unsigned k = 0; k < 8; k++)
		assert_int_equal(views_xprof_eval_integer(x, "pflag[%u]", k, 0, ""),
		                 late >> k & 1 ? -1 : known >> k & 1);
	assert_int_equal(views_xprof_eval_integer(x, "pflag.leader + %u", 0, 0, ""),
	                 xprof_leader(machine_pipe(w->s->machine)));
}

static void views_xprof_check_run(const char *setting)
{
	struct err err;
	static struct seen w;
	memset(&w, 0, sizeof w);
	w.s = views_xprof_start_session("tests/golden/profile.elf", setting);
	struct exprs *x = exprs_new(w.s, &err);
	assert_non_null(x);
	const struct event_filter filter = {.mask = EV_BIT(DROP) | EV_BIT(SKIP) |
	                                            EV_BIT(FLAG_MISPREDICT) |
	                                            EV_BIT(PROFILE_MISFETCH) | EV_BIT(DISPATCH)};
	assert_true(machine_listen(w.s->machine, &filter, views_xprof_on_event, &w) > 0);
	assert_true(session_uses_xprof(w.s));
	for (unsigned cycle = 0; machine_status(w.s->machine) == MACHINE_RUNNING; cycle++) {
		machine_step(w.s->machine);
		uint64_t before = cycle % 512 ? 0 : machine_hash(w.s->machine);
		check_told(&w);
		check_queue(&w);
		if (!setting || cycle % 8 == 0)
			check_repair(&w);
		if (cycle % (setting ? 32 : 4) == 0)
			check_diagram(&w);
		if (cycle % 16 == 0)
			check_words(&w, x);
		for (unsigned i = 0; before && i < view_count; i++) {
			struct grid g;
			views_xprof_build_grid(w.s, views[i]->name, &g);
			grid_deinit(&g);
		}
		if (before)
			assert_true(machine_hash(w.s->machine) == before);
	}
	assert_int_equal(machine_exit_status(w.s->machine), 122);
	bool table = machine_pipe(w.s->machine)->xprof.bdt.ways;
	assert_true(w.totals[0] > 100);
	assert_true(!table || (w.totals[1] > 100 && w.totals[2] > (setting ? 0 : 10)));
	if (!setting)
		assert_true(w.totals[3] > 10);
	exprs_free(x);
	session_free(w.s);
}

static void views_tell_what_events_tell(void **state)
{
	(void)state;
	static const char *const settings[] = {NULL,
	                                       "bdt.min_block=1",
	                                       "xprof.bpred=flag",
	                                       "xprof.bpred=ignored-update",
	                                       "bdt.sets=1",
	                                       "bdt.skip_penalty=3",
	                                       "pipe.in_order=true"};
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		views_xprof_check_run(settings[i]);
}

static void only_programs_that_use_it_are_said_to(void **state)
{
	(void)state;
	struct session *plain = views_xprof_start_session("tests/golden/guest.elf", NULL),
		       *off = views_xprof_start_session("tests/golden/profile.elf",
	                                                "xprof.enable=false");
	assert_false(session_uses_xprof(plain));
	assert_false(session_uses_xprof(off));
	/* As one counts them in profile.S. */
	const struct profile_code *code = program_profile_code(off->program),
				  *none = program_profile_code(plain->program);
	assert_int_equal(code->insts[0], 6);
	assert_int_equal(code->insts[1], 1);
	assert_int_equal(code->count, 7);
	assert_int_equal(code->control, 9);
	for (size_t i = 0; i < code->count; i++) {
		uint16_t parcel = 0;
		assert_true(machine_peek(off->machine, code->at[i], &parcel, sizeof parcel));
		assert_true(parcel == 0x22 || parcel == 0x26);
	}
	assert_int_equal(none->count + none->control, 0);
	session_free(plain);
	session_free(off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_tell_what_events_tell),
		cmocka_unit_test(only_programs_that_use_it_are_said_to),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
