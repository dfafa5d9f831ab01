/* Both stacks by instruction (hwviews/why/charges.h): against the instruction to charge in each
 * cycle, by events and the machine's state. */
#include "tests/unit/hwviews/charges_fixture.h"

#include "core/pipe/why.h"

enum { PLACES = 1 << 13, TEXT_AT = 0x10000, ROWS_MOST = 96 };

/* ---- what happened, as it happened ---- */
struct model {
	struct session *s;
	bool on;
	unsigned rows;                  /* of the statistics slots.* and cpi.*, in their order */
	const struct stat_row *row[ROWS_MOST];
	const char *name[ROWS_MOST];
	unsigned retired, base, wrong, replays; /* rows */
	double before[ROWS_MOST];
	int64_t (*at)[ROWS_MOST];       /* [PLACES], by (pc - TEXT_AT) / 2 */
	uint64_t *flying;               /* [PLACES]: dispatched instructions in the window */
	/* squashes: the cause, and whether the right path has come since */
	/* address of a replay trap whose squash is not over; 0: none */
	uint64_t cause, replayed;
	uint64_t held; /* in order: the instruction that held issue when it last lost slots */
	uint32_t queued; /* instructions in the fetch queue at the end of the last cycle */
	bool by_replay, refilling;
	/* squashed instructions whose cause is not known yet */
	uint64_t gone;
	unsigned dispatched, squashes;  /* in this cycle */
};

/* All other addresses, met on wrong paths, count as one place. */
static unsigned charges_test_place_index(uint64_t pc)
{
	return pc >= TEXT_AT && (pc - TEXT_AT) / 2 < PLACES ? (unsigned)((pc - TEXT_AT) / 2) : 0;
}

static unsigned row_named(const struct model *m, const char *name)
{
	for (unsigned i = 0; i < m->rows; i++)
		if (!strcmp(m->name[i], name))
			return i;
	fail_msg("no row %s", name);
	return 0;
}

static void charges_test_add_charge(struct model *m, uint64_t pc, unsigned row, int64_t slots)
{
	if (m->on)
		m->at[charges_test_place_index(pc)][row] += slots;
}

static void hear_squash(struct model *m, const struct event *ev)
{
	m->by_replay = m->replayed != 0;
	m->cause = m->replayed ? m->replayed : ev->pc;
	charges_test_add_charge(m, m->cause, m->by_replay ? m->replays : m->wrong,
	                        (int64_t)m->gone);
	assert_int_equal(m->gone, ev->squash.count);
	m->gone = m->replayed = 0;
	m->squashes++;
	m->refilling = true;
}

static void charges_test_on_event(void *ctx, const struct machine *machine, const struct event *ev)
{
	struct model *m = ctx;
	(void)machine;
	switch (ev->id) {
	case EV_DISPATCH:
		m->flying[charges_test_place_index(ev->pc)]++;
		m->dispatched++;
		m->refilling &= ev->dispatch.wrong_path;
		break;
	case EV_LEAVE:
		m->flying[charges_test_place_index(ev->pc)] -= ev->leave.entered;
		m->gone += ev->leave.entered && !ev->leave.retired;
		break;
	case EV_COMMIT:
		charges_test_add_charge(m, ev->pc, m->retired, 1);
		charges_test_add_charge(m, ev->pc, m->base, 1);
		break;
	case EV_REPLAY:
		m->replayed = ev->pc;
		break;
	default:
		hear_squash(m, ev);
	}
}

static uint64_t charges_test_oldest_ready_pc(const struct pipe *p, int pool)
{
	for (uint32_t i = 0; i < p->st->rob_count; i++)
		if (pipe_rob_at(p, i)->state == UOP_READY &&
		    (pool < 0 || pipe_rob_at(p, i)->at.pool == pool))
			return pipe_rob_at(p, i)->pc;
	fail_msg("nothing is ready");
	return 0;
}

/* The oldest that is ready and whose result would be written in a cycle in which all ports of its
 * register file are taken. */
static uint64_t charges_test_oldest_port_denied(const struct pipe *p)
{
	unsigned longest = 0;
	for (unsigned file = 1; file < WRITE_FILES; file++)
		if (p->st->port_denied[file] / p->write_ports[file] >=
		            p->st->port_denied[longest] / p->write_ports[longest] &&
		    p->st->port_denied[file])
			longest = file;
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		const uint64_t written = p->st->cycle - 1 + p->timing[inst_class(&u->inst)].latency;
		const struct write_slot *ports = &p->writes[written % WRITE_CYCLES];
		if (u->state == UOP_READY && u->inst.rd != REG_SINK &&
		    (u->inst.rd >= REG_F0) == longest &&
		    !(inst_flags(&u->inst) & (OPF_LOAD | OPF_STORE)) && ports->cycle == written &&
		    ports->used[longest] >= p->write_ports[longest])
			return u->pc;
	}
	fail_msg("nothing waits for a write port");
	return 0;
}

static bool charges_test_row_is_listed(const char *name, const char *list)
{
	const char *at = strstr(list, strchr(name, '.') + 1);
	const size_t n = strlen(strchr(name, '.') + 1);
	return at && (at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]);
}

/* The oldest that has not issued; `asked`: of those that could have. */
static const struct uop *charges_test_first_unissued(const struct pipe *p, bool asked)
{
	for (uint32_t i = 0; i < p->st->rob_count; i++) {
		const struct uop *u = pipe_rob_at(p, i);
		if (u->when.issue == NO_CYCLE && (!asked || u->when.dispatch < p->st->cycle - 1))
			return u;
	}
	return NULL;
}

/* The instruction whose result the next one to issue waits for; that one itself if younger
 * instructions fill the wait, or the cause is not an operand. */
static const struct uop *charges_test_find_awaited(const struct pipe *p, const struct uop *first)
{
	const struct why w = uop_why(p, first);
	return w.id == WHY_OPERAND && p->st->issue_row != SLOT_in_order ? pipe_find(p, w.other)
	                                                                : first;
}

/* Notes the instruction that held issue in order, in a cycle in which issue lost slots while the
 * window was nearly full and instructions came. */
static void charges_test_note_holder(struct model *m, const struct pipe *p)
{
	const struct uop *first = charges_test_first_unissued(p, true);
	const uint32_t window = p->st->rob_count - m->dispatched;
	const bool full = p->st->iq_count - m->dispatched == p->iq_limit ||
	                  window + 2 * p->decode_width >= p->rob_limit;
	uint32_t issued = 0;
	for (uint32_t i = 0; i < p->st->rob_count; i++)
		issued += pipe_rob_at(p, i)->when.issue == p->st->cycle - 1;
	if (first && issued < p->issue_width && m->queued && !m->squashes && full)
		m->held = charges_test_find_awaited(p, first)->pc;
	m->queued = p->st->fetchq_count;
}

/* While decode stands before a serialising instruction: the last instruction to leave the window,
 * if only commit's delay or width keeps the oldest; else the oldest. */
static const struct uop *charges_test_last_to_leave(const struct pipe *p, const char *name)
{
	const struct uop *oldest = pipe_rob_at(p, 0);
	const bool ripe = p->st->cycle - 1 >= pipe_commit_from(p, oldest);
	if (oldest->state != UOP_DONE || charges_test_row_is_listed(name, "fault") ||
	    (ripe && oldest->exec.stored &&
	     charges_test_row_is_listed(name, "write_buffer l1d_port bus mshr")))
		return oldest;
	for (uint32_t i = 1; i < p->st->rob_count; i++)
		if (pipe_rob_at(p, i)->state != UOP_DONE)
			return pipe_rob_at(p, i);
	return pipe_rob_at(p, p->st->rob_count - 1);
}

/* The instruction that the row slots.NAME charges in the last cycle. */
static uint64_t charges_test_slot_owner_pc(const struct model *m, const char *name)
{
	static const char *const units[] = {"unit_int",     "unit_imuldiv", "unit_fadd",
	                                    "unit_fmuldiv", "unit_mem",     "unit_div"};
	const struct pipe *p = machine_pipe(m->s->machine);
	const struct pipe_state *st = p->st;
	const uint64_t next = st->fetchq_count ? pipe_fetchq_at(p, 0)->pc : st->fetch_pc;
	const bool in_order = machine_config(m->s->machine)->in_order;
	if (charges_test_row_is_listed(name, "branch_refill replay_refill"))
		return m->cause;
	if (charges_test_row_is_listed(name, "misfetch fetch_taken"))
		return st->rob_count ? pipe_rob_at(p, st->rob_count - 1)->pc : next;
	if (charges_test_row_is_listed(
		    name,
		    "itlb icache_l2 icache_memory fetch_fill fetch_port fetch_width fetch_line "
		    "fetch_queue decode_width profile_wait profile_fetch"))
		return next;
	for (int pool = 0; !in_order && pool < 6; pool++)
		if (charges_test_row_is_listed(name, units[pool]))
			return charges_test_oldest_ready_pc(p, pool);
	if (!in_order && charges_test_row_is_listed(name, "issue_width"))
		return charges_test_oldest_ready_pc(p, -1);
	if (charges_test_row_is_listed(name, "serial"))
		return machine_status(m->s->machine) != MACHINE_RUNNING ? machine_pc(m->s->machine)
		       : st->serial_slot != NO_SLOT ? pipe_uop(p, st->serial_slot)->pc
		                                    : next;
	if (charges_test_row_is_listed(name, "write_port") && !in_order &&
	    pipe_rob_at(p, 0)->mem.wait != MEM_WAIT_PORT)
		return charges_test_oldest_port_denied(p);
	for (uint32_t i = 0;
	     !in_order && charges_test_row_is_listed(name, "mshr") && i < st->rob_count; i++)
		if (pipe_rob_at(p, i)->state == UOP_ADDRESS &&
		    pipe_rob_at(p, i)->mem.wait == MEM_WAIT_MSHR)
			return pipe_rob_at(p, i)->pc;
	const struct uop *next_to_issue = in_order ? charges_test_first_unissued(p, false) : NULL;
	if (!next_to_issue)
		return st->decode_stop == DECODE_SERIAL && st->serial_slot == NO_SLOT
		               ? charges_test_last_to_leave(p, name)->pc
		               : pipe_rob_at(p, 0)->pc;
	return charges_test_row_is_listed(name, "issue_width") ? next_to_issue->pc : m->held;
}

/* True if fetch delivered no instruction that decode could have taken. */
static bool nothing_came(const struct pipe *p)
{
	return !p->st->fetchq_count || pipe_fetchq_at(p, 0)->when.avail + 1 >= p->st->cycle;
}

static void behind_cycle(struct model *m)
{
	const struct pipe *p = machine_pipe(m->s->machine);
	charges_test_note_holder(m, p);
	for (unsigned i = 0; i < m->rows; i++) {
		const double now = stat_value(machine_stats(m->s->machine), m->row[i]);
		const int64_t slots = (int64_t)(now - m->before[i]);
		m->before[i] = now;
		if (slots <= 0 ||
		    charges_test_row_is_listed(
			    m->name[i], "retired in_flight base wrong_path replayed interrupted"))
			continue;
		if (!strncmp(m->name[i], "cpi.", 4))
			charges_test_add_charge(
				m,
				charges_test_row_is_listed(m->name[i], "bad_speculation")
					? m->cause
					: machine_pc(m->s->machine),
				i, slots);
		else
			charges_test_add_charge(m, charges_test_slot_owner_pc(m, m->name[i]), i,
			                        slots);
		if (charges_test_row_is_listed(m->name[i], "branch_refill replay_refill")) {
			assert_true(m->squashes ||
			            (m->refilling && !m->dispatched && nothing_came(p)));
			assert_int_equal(charges_test_row_is_listed(m->name[i], "replay_refill"),
			                 m->by_replay);
		}
	}
	m->dispatched = m->squashes = 0;
}

static void model_begin(struct model *m, struct session *s)
{
	*m = (struct model){.s = s,
	                    .at = calloc(PLACES, sizeof *m->at),
	                    .flying = calloc(PLACES, sizeof *m->flying)};
	for (size_t i = 0; i < stat_row_count; i++)
		if (!strncmp(stat_rows[i].name, "slots.", 6) ||
		    !strncmp(stat_rows[i].name, "cpi.", 4)) {
			assert_true(m->rows < ROWS_MOST);
			m->row[m->rows] = &stat_rows[i];
			m->name[m->rows++] = stat_rows[i].name;
		}
	m->retired = row_named(m, "slots.retired");
	m->base = row_named(m, "cpi.base");
	m->wrong = row_named(m, "slots.wrong_path");
	m->replays = row_named(m, "slots.replayed");
}

static void take_flying(struct model *m, int sign)
{
	const unsigned row = row_named(m, "slots.in_flight");
	m->on = true;
	for (unsigned i = 0; i < PLACES; i++)
		if (m->flying[i])
			charges_test_add_charge(m, TEXT_AT + 2 * (uint64_t)i, row,
			                        sign * (int64_t)m->flying[i]);
	/* Slots that are empty while a wrong prediction is not found yet are the branch's. */
	const struct pipe *p = machine_pipe(m->s->machine);
	const struct stats *st = machine_stats(m->s->machine);
	const int64_t unresolved =
		(int64_t)(stat_value(st, stat_find("dispatch.unresolved", NULL)) -
	                  stat_value(st, stat_find("dispatch.waited", NULL)));
	uint32_t at = 0;
	while (unresolved &&
	       (pipe_rob_at(p, at)->flags & (UF_MISPREDICT | UF_WRONG_PATH)) != UF_MISPREDICT)
		assert_true(++at < p->st->rob_count);
	if (unresolved)
		charges_test_add_charge(m, pipe_rob_at(p, at)->pc, row, sign * unresolved);
}

/* Each row's sum over all addresses is the statistic of the region. */
static void charges_test_check_sums(const char *what, const struct session *s,
                                    const struct hot_profile *p)
{
	const struct region r = {.given = true, .from = p->from, .to = p->to};
	int64_t sum[CHARGE_ROWS] = {0};
	struct stats st;
	struct err err;
	unsigned named = 0;
	assert_true(region_stats(s, &r, &st, &err));
	for (size_t i = 0; i < p->charge_count; i++) {
		assert_true(p->charges[i].slots != 0 && charge_stat(p->charges[i].row));
		assert_true(!i || p->charges[i - 1].pc < p->charges[i].pc ||
		            (p->charges[i - 1].pc == p->charges[i].pc &&
		             p->charges[i - 1].row < p->charges[i].row));
		sum[p->charges[i].row] += p->charges[i].slots;
	}
	for (unsigned i = 0; i < CHARGE_ROWS; i++) {
		if (!charge_stat(i))
			continue;
		named++;
		if (sum[i] != (int64_t)stat_value(&st, charge_stat(i)))
			fail_msg("%s: %s is %lld, all addresses have %lld", what,
			         charge_stat(i)->name, (long long)stat_value(&st, charge_stat(i)),
			         (long long)sum[i]);
	}
	assert_true(named > 60);
}

static void charges_test_compare_profile(const char *what, const struct model *m,
                                         const struct hot_profile *p)
{
	int64_t(*got)[ROWS_MOST] = calloc(PLACES, sizeof *got);
	for (size_t i = 0; i < p->charge_count; i++)
		got[charges_test_place_index(p->charges[i].pc)]
		   [row_named(m, charge_stat(p->charges[i].row)->name)] += p->charges[i].slots;
	for (unsigned i = 0; i < PLACES; i++)
		for (unsigned k = 0; k < m->rows; k++)
			if (got[i][k] != m->at[i][k])
				fail_msg("%s: at %x %s is %lld, should be %lld", what,
				         TEXT_AT + 2 * i, m->name[k], (long long)got[i][k],
				         (long long)m->at[i][k]);
	free(got);
}

TEST(slots_are_charged_as_they_passed)
{
	const uint64_t regions[][2] = {
		{0, 2500}, {777, 2210}, {4001, scale_is("long") ? 14000 : 5500}};
	static const struct {
		const char *path, *settings;
	} guests[] = {
		{"tests/golden/guest.elf", ""},
		{"tests/golden/guest.elf",
	         "pipe.commit_width=1;pipe.decode_width=2;fu.int=1;l1d.mshrs=1;l1d.size=1K"},
		{"tests/golden/guest.elf", "pipe.in_order=true;pipe.commit_width=3"},
		{"tests/golden/guest.elf", "pipe.int_writes=1"},
		{"build/demos/linked",
	         "pipe.int_writes=1;l1i.perfect=true;bpred.kind=perfect;l1d.perfect=true"},
		{"tests/golden/guest.elf",
	         "bpred.kind=gshare;lsq.speculate=true;l1d.size=1K;l1d.write_buffer=1"},
		{"tests/golden/guest.elf",
	         "mem.latency=900;pipe.rob_size=8;lsq.size=4;pipe.fetch_queue=4;bpred.kind=taken"},
		{"tests/golden/guest.elf",
	         "mem.latency=3000;lsq.speculate=true;lsq.replay_size=true;lsq.replay_synonym=256;"
	         "l1d.size=1K;l1d.ways=1;pipe.rob_size=64;bpred.penalty=1;bpred.kind=nottaken"},
		{"build/demos/linked", "lsq.speculate=true;lsq.replay_size=true;lsq.replay_synonym="
	                               "4096;l1d.size=1K;l1d.ways=1;pipe.rob_size=64;l1d.mshrs=2"},
		{"build/demos/branchy", "bpred.kind=bimodal;pipe.issue_width=2;l1i.latency=3"},
	};
	for (size_t g = 0; g < sizeof guests / sizeof *guests; g++) {
		for (size_t k = 0; k < sizeof regions / sizeof *regions; k++) {
			struct session *s = charges_fixture_open_session(guests[g].path, NULL,
			                                                 guests[g].settings);
			const struct event_filter filter = {
				.mask = EV_BIT(DISPATCH) | EV_BIT(LEAVE) | EV_BIT(COMMIT) |
			                EV_BIT(REPLAY) | EV_BIT(SQUASH)};
			struct model m;
			model_begin(&m, s);
			assert_true(machine_listen(s->machine, &filter, charges_test_on_event, &m) >
			            0);
			while (machine_cycle(s->machine) < regions[k][1] &&
			       machine_status(s->machine) == MACHINE_RUNNING) {
				if (machine_cycle(s->machine) == regions[k][0])
					take_flying(&m, -1);
				session_fixture_run_cycles(s, 1);
				behind_cycle(&m);
			}
			take_flying(&m, 1);
			m.on = false;
			const uint64_t to = machine_cycle(s->machine);
			session_fixture_run_cycles(s, 500);
			const uint64_t hash = machine_hash(s->machine);
			const struct hot_profile p =
				charges_fixture_build_profile(s, regions[k][0], to);
			charges_test_check_sums(guests[g].settings, s, &p);
			charges_test_compare_profile(guests[g].settings, &m, &p);
			assert_int_equal(machine_hash(s->machine), hash);
			free(m.at);
			free(m.flying);
			session_free(s);
		}
	}
}

TEST(charges_sums_are_the_statistics)
{
	static const struct {
		const char *path, *firmware, *settings;
	} runs[] = {
		{"build/demos/branchy", NULL, "bpred.kind=twolevel;ras.size=2"},
		{"build/demos/branchy", NULL, "classic5"},
		{"build/demos/branchy", NULL, "classic5_id;pipe.forwarding=false"},
		{"build/demos/branchy", NULL, "classic5_mem;mem.unified_port=true"},
		{"build/demos/nbody", NULL, "classic5;bpred.kind=nottaken"},
		{"build/demos/linked", NULL,
	         "lsq.speculate=true;lsq.replay_size=true;l1d.size=1K;bpred.penalty=30;mem.latency="
	         "300"},
		{"build/demos/xprof/checks", NULL, ""},
		{"build/demos/xprof/checks", NULL, "classic5;xprof.enable=true"},
		{"build/demos/linked", "build/tests/firmware/often.elf", ""},
		{"build/demos/linked", NULL,
	         "vsample.enable=true;vsample.interval_min=100;vsample.interval_max=200;vsample."
	         "every=1"},
		{"build/demos/branchy", NULL,
	         "vsample.enable=true;vsample.method=bounce;vsample.interval_min=50;vsample."
	         "interval_max=90;vsample.every=1"},
	};
	for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
		struct session *s = charges_fixture_open_session(runs[k].path, runs[k].firmware,
		                                                 runs[k].settings);
		session_fixture_run_cycles(s, 30000);
		charges_fixture_build_profile(s, 11, 12);
		const uint64_t to = machine_cycle(s->machine);
		assert_true(to > 7500);
		struct hot_profile p = charges_fixture_build_profile(s, 7000, 7500);
		charges_test_check_sums(runs[k].settings, s, &p);
		/* Gathering continues from the known part. */
		p = charges_fixture_build_profile(s, 7000, to);
		charges_test_check_sums(runs[k].settings, s, &p);
		session_free(s);
	}
}
