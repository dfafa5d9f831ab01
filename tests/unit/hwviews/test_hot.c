/* The profile of a region (hwviews/why/hot.h) against events of single cycles, and its sums against
 * the region's statistics; then how profiles are kept, continued and dropped. */
#include "hwviews/why/hot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "tests/cases.h"
#include "tests/scale.h"
#include "tests/unit/hwviews/session_fixture.h"

enum { PLACES = 1 << 16, SEQS = 1 << 20, TEXT_AT = 0x10000 };

/* ---- what happened, as it happened ---- */
struct model {
	struct session *s;
	bool on;
	uint64_t width, committed; /* slots of a cycle; instructions in this one */
	uint64_t waiting;          /* lost slots that are not charged yet */
	struct hot_inst *at;       /* [PLACES], by (pc - TEXT_AT) / 2 */
	uint8_t *level, *wrong;    /* [SEQS] of instructions, by events */
};

static struct hot_inst *hot_model_inst_at(struct model *m, uint64_t pc)
{
	assert_true(pc >= TEXT_AT && (pc - TEXT_AT) / 2 < PLACES);
	return &m->at[(pc - TEXT_AT) / 2];
}

static void hot_model_on_event(void *ctx, const struct machine *machine, const struct event *ev)
{
	struct model *m = ctx;
	(void)machine;
	assert_true(ev->seq < SEQS);
	if (ev->id == EV_MEM)
		m->level[ev->seq] = (uint8_t)ev->mem.level;
	if (ev->id == EV_RESOLVE)
		m->wrong[ev->seq] = 1 + (ev->resolve.mispredicted != 0);
	if (ev->id != EV_COMMIT || !m->on)
		return;
	struct hot_inst *e = hot_model_inst_at(m, ev->pc);
	m->committed++;
	e->pc = ev->pc;
	e->executed++;
	e->lost += m->waiting;
	m->waiting = 0;
	e->l2 += m->level[ev->seq] == LEVEL_L2;
	e->memory += m->level[ev->seq] == LEVEL_MEMORY;
	e->forwards += m->level[ev->seq] == LEVEL_FORWARD;
	e->predicted += m->wrong[ev->seq] != 0;
	e->wrong += m->wrong[ev->seq] == 2;
}

static struct session *start_with(const char *path, const char *firmware, const char *settings)
{
	return session_on(&(struct launch){.path = path, .firmware = firmware}, settings, 700);
}

static struct session *hot_start_session(const char *path, const char *settings)
{
	return start_with(path, NULL, settings);
}

static void step_through(struct model *m, uint64_t to)
{
	while (machine_cycle(m->s->machine) < to &&
	       machine_status(m->s->machine) == MACHINE_RUNNING) {
		m->committed = 0;
		session_fixture_run_cycles(m->s, 1);
		m->waiting += m->width - m->committed;
	}
}

static struct hot_profile hot_read_profile(const struct session *s, uint64_t from, uint64_t to)
{
	const struct region r = {.given = true, .from = from, .to = to};
	struct hot_profile p;
	struct err err;
	if (!hot_take(s, &r, &p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(p.from, from);
	assert_int_equal(p.to, to);
	return p;
}

static void hot_expect_same_inst(const char *what, const struct hot_inst *a,
                                 const struct hot_inst *b)
{
	if (a->pc != b->pc || a->executed != b->executed || a->lost != b->lost || a->l2 != b->l2 ||
	    a->memory != b->memory || a->forwards != b->forwards || a->predicted != b->predicted ||
	    a->wrong != b->wrong)
		fail_msg("%s: %llx executed %llu, %llu; lost %llu, %llu; forwards %llu, %llu; "
		         "wrong %llu, %llu",
		         what, (unsigned long long)a->pc, (unsigned long long)a->executed,
		         (unsigned long long)b->executed, (unsigned long long)a->lost,
		         (unsigned long long)b->lost, (unsigned long long)a->forwards,
		         (unsigned long long)b->forwards, (unsigned long long)a->wrong,
		         (unsigned long long)b->wrong);
}

static void hot_check_sums(const struct session *s, const struct hot_profile *p)
{
	const struct region r = {.given = true, .from = p->from, .to = p->to};
	struct hot_inst sum = {0};
	struct stats st;
	struct err err;
	assert_true(region_stats(s, &r, &st, &err));
	for (size_t i = 0; i < p->count; i++) {
		const struct hot_inst *e = &p->insts[i];
		uint64_t believed = 0;
		hot_add(&sum, e);
		for (unsigned k = 0; k < HOT_SOURCES; k++)
			believed += e->believed[k];
		assert_int_equal(believed, e->predicted);
		assert_true(!i || p->insts[i - 1].pc < e->pc ||
		            (p->insts[i - 1].pc == e->pc && e->interpreted));
	}
	assert_int_equal(sum.executed, st.insts + st.firmware_insts);
	assert_int_equal(sum.executed + sum.lost, st.cycles * p->width);
	assert_int_equal(sum.forwards, st.forwards);
	assert_int_equal(sum.wrong, st.bpred_mispredicts);
	assert_int_equal(sum.predicted, st.commit_branches + st.commit_jumps);
}

static const struct guest {
	const char *path, *settings;
} guests[] = {
	{"tests/golden/guest.elf", ""},
	{"tests/golden/guest.elf", "pipe.commit_width=1"},
	{"tests/golden/guest.elf", "pipe.in_order=true;pipe.commit_width=3"},
	{"tests/golden/guest.elf", "bpred.kind=gshare;lsq.speculate=true;l1d.size=1K"},
	{"tests/golden/guest.elf",
         "mem.latency=900;pipe.rob_size=8;lsq.size=4;pipe.fetch_queue=4;bpred.kind=taken"},
	{"tests/golden/guest.elf",
         "mem.latency=3000;lsq.speculate=true;lsq.replay_size=true;lsq.replay_synonym=256;l1d.size="
         "1K;l1d.ways=1;pipe.rob_size=64;bpred.penalty=1;bpred.kind=nottaken"},
	{"build/demos/linked",
         "mem.latency=3000;lsq.speculate=true;lsq.replay_size=true;lsq.replay_synonym=4096;l1d."
         "size=1K;l1d.ways=1;pipe.rob_size=64;bpred.penalty=1"},
	{"tests/golden/guest.elf", "bpred.kind=perceptron;bpred.update=fetch;pipe.commit_delay=0"},
};

TEST(a_region_is_what_happened_in_it)
{
	static const uint64_t regions[][2] = {{0, 2500}, {777, 3210}, {4001, 60000}};
	for (size_t g = 0; g < sizeof guests / sizeof *guests; g++) {
		for (size_t k = 0; k < sizeof regions / sizeof *regions; k++) {
			struct session *s = hot_start_session(guests[g].path, guests[g].settings);
			struct model m = {
				.s = s,
				.width = (uint64_t)machine_config(s->machine)->commit_width,
				.at = calloc(PLACES, sizeof *m.at),
				.level = calloc(SEQS, 1),
				.wrong = calloc(SEQS, 1)};
			const struct event_filter filter = {.mask = EV_BIT(COMMIT) | EV_BIT(MEM) |
			                                            EV_BIT(RESOLVE)};
			assert_true(machine_listen(s->machine, &filter, hot_model_on_event, &m) >
			            0);
			session_fixture_run_cycles(s, regions[k][0]);
			m.on = true;
			step_through(&m, regions[k][1]);
			m.on = false;
			if (m.waiting) {
				hot_model_inst_at(&m, machine_pc(s->machine))->pc =
					machine_pc(s->machine);
				hot_model_inst_at(&m, machine_pc(s->machine))->lost += m.waiting;
			}
			const uint64_t to = machine_cycle(s->machine);
			session_fixture_run_cycles(s, 500);
			const uint64_t hash = machine_hash(s->machine);
			const struct hot_profile p = hot_read_profile(s, regions[k][0], to);
			size_t rows = 0;
			for (size_t i = 0; i < PLACES; i++)
				rows += m.at[i].pc != 0;
			assert_int_equal(rows, p.count);
			for (size_t i = 0; i < p.count; i++)
				hot_expect_same_inst(guests[g].settings,
				                     hot_model_inst_at(&m, p.insts[i].pc),
				                     &p.insts[i]);
			hot_check_sums(s, &p);
			assert_int_equal(machine_hash(s->machine), hash);
			free(m.at);
			free(m.level);
			free(m.wrong);
			session_free(s);
		}
	}
}

TEST(test_hot_sums_match_statistics)
{
	static const struct {
		const char *path, *firmware, *settings;
		bool interprets;
	} runs[] = {
		{"build/demos/branchy", NULL, "bpred.kind=twolevel;ras.size=2", false},
		{"build/demos/linked", NULL,
	         "lsq.speculate=true;lsq.replay_size=true;l1d.size=1K;bpred.penalty=30;mem.latency="
	         "300",
	         false},
		{"build/demos/xprof/checks", NULL, "", false},
		{"build/demos/linked", "build/tests/firmware/often.elf", "", false},
		{"build/demos/linked", NULL,
	         "vsample.enable=true;vsample.interval_min=100;vsample.interval_max=200;vsample."
	         "every=1",
	         true},
		{"build/demos/branchy", NULL,
	         "vsample.enable=true;vsample.method=bounce;vsample.interval_min=50;vsample."
	         "interval_max=90;vsample.every=1",
	         false},
	};
	for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
		struct session *s = start_with(runs[k].path, runs[k].firmware, runs[k].settings);
		bool interpreted = false;
		session_fixture_run_cycles(s, 30000);
		hot_read_profile(s, 11, 12);
		const struct hot_profile p = hot_read_profile(s, 7000, 29000);
		hot_check_sums(s, &p);
		for (size_t i = 0; i < p.count; i++) {
			interpreted |= p.insts[i].interpreted;
			assert_false(p.insts[i].interpreted &&
			             p.insts[i].predicted + p.insts[i].l2 + p.insts[i].memory +
			                             p.insts[i].forwards >
			                     0);
		}
		assert_int_equal(interpreted, runs[k].interprets);
		session_free(s);
	}
}

static struct hot_inst *hot_copy_insts(const struct hot_profile *p)
{
	struct hot_inst *all = malloc(p->count * sizeof *all);
	memcpy(all, p->insts, p->count * sizeof *all);
	return all;
}

/* Gathering a growing region continues from its former end, and equals gathering it from the
 * beginning. */
TEST(more_of_it_is_added)
{
	struct session *s = hot_start_session("tests/golden/guest.elf", "");
	struct run_history before, after;
	session_fixture_run_cycles(s, 9000);
	hot_read_profile(s, 1000, 6003);
	hot_read_profile(s, 1000, 6003);
	run_history(s->run, &before);
	hot_read_profile(s, 1000, 6003);
	run_history(s->run, &after);
	assert_int_equal(after.cycles_reexecuted, before.cycles_reexecuted);
	struct hot_profile p = hot_read_profile(s, 1000, 9000);
	const size_t count = p.count;
	struct hot_inst *all = hot_copy_insts(&p);
	hot_clear(s->hot);
	p = hot_read_profile(s, 1000, 9000);
	assert_int_equal(p.count, count);
	assert_memory_equal(all, p.insts, count * sizeof *all);
	/* Gathering starts anew for a shorter region or another beginning. */
	p = hot_read_profile(s, 1000, 6003);
	hot_check_sums(s, &p);
	p = hot_read_profile(s, 2000, 6003);
	hot_check_sums(s, &p);
	free(all);
	session_free(s);
}

/* The profile equals one gathered from the beginning, without marks. */
static void hot_expect_fresh(struct session *s, const struct hot_profile *kept)
{
	const size_t count = kept->count, charge_count = kept->charge_count;
	struct hot_inst *all = hot_copy_insts(kept);
	struct charge *charges = malloc(charge_count * sizeof *charges);
	struct hot *marks = s->hot;
	memcpy(charges, kept->charges, charge_count * sizeof *charges);
	s->hot = hot_new();
	const struct hot_profile p = hot_read_profile(s, kept->from, kept->to);
	assert_int_equal(p.count, count);
	assert_memory_equal(all, p.insts, count * sizeof *all);
	assert_int_equal(p.charge_count, charge_count);
	for (size_t k = 0; k < charge_count; k++) {
		assert_int_equal(charges[k].pc, p.charges[k].pc);
		assert_int_equal(charges[k].row, p.charges[k].row);
		assert_int_equal(charges[k].slots, p.charges[k].slots);
	}
	free(all);
	free(charges);
	hot_free(s->hot);
	s->hot = marks;
}

static uint64_t hot_next_random(uint64_t *seed, uint64_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % n;
}

/* After any motions, forwards and back, the tables up to the present cycle are fresh ones. */
TEST(test_hot_tables_after_random_walks)
{
	enum { CYCLES = 40000, MOTIONS = 5 };
	const unsigned walks = scale_is("long") ? 500 : scale_is("small") ? 4 : 25;
	struct session *s = hot_start_session("build/demos/linked", "");
	uint64_t seed = 61;
	struct run_stop_info info;
	struct err err;
	session_fixture_run_cycles(s, CYCLES);
	for (unsigned i = 0; i < walks; i++) {
		for (unsigned k = 0; k < MOTIONS; k++) {
			const uint64_t by = 1 + hot_next_random(&seed, CYCLES / 4);
			bool ok = true;
			switch (hot_next_random(&seed, 5)) {
			case 0:
				ok = run_goto_cycle(s->run, 1 + hot_next_random(&seed, CYCLES),
				                    &info, &err);
				break;
			case 1:
				ok = run_back_cycles(s->run, by, &info, &err);
				break;
			case 2:
				ok = run_back_insts(s->run, by / 4, &info, &err);
				break;
			case 3:
				ok = run_insts(s->run, by / 4, false, &info, &err);
				break;
			default:
				ok = run_cycles(s->run, by, false, &info, &err);
			}
			if (!ok)
				fail_msg("walk %u: %s", i, err.msg);
			/* Some motions look at the tables, and so make marks and drop them. */
			if (hot_next_random(&seed, 2) && machine_cycle(s->machine))
				hot_read_profile(s, 0, machine_cycle(s->machine));
		}
		if (!machine_cycle(s->machine))
			continue;
		const struct hot_profile p = hot_read_profile(s, 0, machine_cycle(s->machine));
		hot_check_sums(s, &p);
		hot_expect_fresh(s, &p);
	}
	session_free(s);
}

/* A whole run's profile up to any cycle equals one gathered from the beginning, but continues from
 * the marks of an earlier profile. */
TEST(profiles_up_to_any_cycle_equal_fresh_ones)
{
	enum { CYCLES = 400000, PROFILES = 10 };
	struct session *s = hot_start_session("build/demos/linked", "");
	uint64_t seed = 60;
	session_fixture_run_cycles(s, CYCLES);
	assert_int_equal(machine_cycle(s->machine), CYCLES);
	hot_read_profile(s, 0, CYCLES);
	for (unsigned i = 0; i < PROFILES; i++) {
		const uint64_t to =
			CYCLES - 1 - hot_next_random(&seed, i % 2 ? CYCLES / 20 : CYCLES - 1);
		struct run_history before, after;
		run_history(s->run, &before);
		struct hot_profile p = hot_read_profile(s, 0, to);
		run_history(s->run, &after);
		/* a snapshot's distance, and a mark's */
		assert_in_range(after.cycles_reexecuted - before.cycles_reexecuted, 0, 140000);
		hot_check_sums(s, &p);
		hot_expect_fresh(s, &p);
	}
	session_free(s);
}

/* A profile has neither cycles cut from history nor those of an earlier run. */
TEST(what_no_longer_holds_is_forgotten)
{
	struct session *s = hot_start_session("tests/golden/guest.elf", "");
	const struct region future = {.given = true, .from = 10, .to = 4000},
			    past = {.given = true, .from = 10, .to = 2000};
	struct run_stop_info info;
	struct hot_profile p;
	struct err err;
	assert_false(hot_last(s, &p));
	session_fixture_run_cycles(s, 3000);
	assert_false(hot_take(s, &future, &p, &err));
	assert_non_null(strstr(err.msg, "cycle 4000 is not recorded"));
	assert_true(hot_take(s, &past, &p, &err));
	assert_true(hot_last(s, &p));
	assert_int_equal(p.to, 2000);
	assert_false(hot_take(s, &future, &p, &err));
	assert_true(hot_last(s, &p));
	assert_true(run_goto_cycle(s->run, 1500, &info, &err));
	assert_true(hot_last(s, &p));
	assert_true(
		run_change(s->run, &(struct change){.kind = JOURNAL_REG, .a = 9, .b = 1}, &err));
	assert_false(hot_last(s, &p));
	assert_false(hot_take(s, &past, &p, &err));
	session_fixture_run_cycles(s, 1000);
	p = hot_read_profile(s, 10, 2000);
	hot_check_sums(s, &p);
	assert_true(session_restart(s, &err));
	assert_false(hot_last(s, &p));
	session_free(s);
}

TEST(the_last_outcomes_stand_in_order)
{
	struct session *s = hot_start_session("tests/golden/guest.elf", "");
	session_fixture_run_cycles(s, UINT64_C(1) << 40);
	const struct hot_profile p = hot_read_profile(s, 0, machine_cycle(s->machine));
	unsigned loops = 0;
	for (size_t i = 0; i < p.count; i++) {
		const struct hot_inst *e = &p.insts[i];
		unsigned n = e->predicted < HOT_OUTCOMES ? (unsigned)e->predicted : HOT_OUTCOMES,
			 took = 0, wrong = 0;
		for (unsigned k = 0; k < n; k++) {
			took += e->took >> k & 1;
			wrong += ((e->took ^ e->said) >> k & 1) || (e->missed >> k & 1);
		}
		if (e->predicted <= HOT_OUTCOMES) {
			assert_int_equal(took, e->taken);
			assert_int_equal(wrong, e->wrong);
			assert_int_equal(e->took >> n, 0);
		}
		loops += e->predicted > HOT_OUTCOMES && e->taken == e->predicted - 1 &&
		         e->took == 0xfffe;
	}
	assert_true(loops > 0);
	session_free(s);
}
