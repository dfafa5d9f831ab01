/* Cells of the view of the value sampler, in every cycle, against its state, its counters and its
 * events: see view_cells.h. */
#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"
#include "tests/unit/cells/view_cells.h"
#include "tests/unit/cells/vsample_words.h"

#define QUICK                                                                                      \
	"vsample.enable=true;vsample.interval_min=5;vsample.interval_max=60;vsample.interrupt_"    \
	"cycles=3;vsample.start_cycles=2;vsample.inst_cycles=2;"                                   \
	"vsample.tuple_cycles=3;vsample.context_cycles=1;vsample.service=7;vsample.upcall_cycles=" \
	"3;vsample.return_cycles=2;"

static void vsample_cells_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct told *t = ctx;
	if (ev->id == EV_VSAMPLE) {
		t->interrupts += !ev->vsample.second;
	} else if (ev->id == EV_INTERPRETED) {
		t->ended[ev->interpreted.stop]++;
	} else if (ev->interpret.recorded) {
		const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
		assert_true(++t->serial < SERIALS);
		t->tuple[t->serial].pc = u->pc;
		t->tuple[t->serial].result = u->result;
		t->tuple[t->serial].addr = u->exec.addr;
		t->tuple[t->serial].inst = u->inst;
		t->tuple[t->serial].lost = ev->interpret.lost;
	}
}

/* ---- rows ---- */
static void vsample_cells_check_row(struct look *l, const char *part)
{
	cells_row(&l->c);
	says(&l->c, "part", "%s", part);
}

static void at_addr(struct look *l, uint64_t pc)
{
	assert_int_equal(l->c.g.rows[l->c.rows - 1].pc, pc);
	says_addr(&l->c, "at", l->s, pc);
}

static void read_next(struct look *l)
{
	const char *verb = l->bounce ? "bounces back" : "interprets";
	const uint64_t left = l->v->at > STAT(l->st, insts) ? l->v->at - STAT(l->st, insts) : 0,
		       n = l->v->countdown;
	vsample_cells_check_row(l, "next");
	if (l->runs || l->v->armed) {
		says_nothing(&l->c, "at");
		says(&l->c, "what", "is drawn when the handler is done");
	} else {
		says_uint(&l->c, "at", left);
		says(&l->c, "what", "%s of %s instructions",
		     level_of(l->v->interval - left, l->v->interval), grouped(l->v->interval));
	}
	if (!n)
		says(&l->c, "value", "none %s", verb);
	else if (n > 3)
		says(&l->c, "value", "the %lluth from now %s", (ull)n, verb);
	else
		says(&l->c, "value", "%s %s",
		     n == 1   ? "it"
		     : n == 2 ? "the one after it"
		              : "the third from now",
		     verb);
}

static void read_handler(struct look *l)
{
	static const struct { unsigned phase; const char *name; bool upcall, look;
	} way[] = {
		{VSAMPLE_ENTERED, "enter", false, false}, {VSAMPLE_UPCALL, "upcall", true, false},
		{VSAMPLE_STARTS, "start", false, false},  {VSAMPLE_INST, "interpret", false, true},
		{VSAMPLE_LOAD, "data", false, true},      {VSAMPLE_RECORD, "record", false, false},
		{VSAMPLE_RETURN, "return", true, false}};
	char text[256] = "";
	for (unsigned i = 0; i < sizeof way / sizeof *way; i++)
		if ((l->upcall || !way[i].upcall) && !(l->bounce && way[i].look))
			sprintf(text + strlen(text), "%s%s%s", *text ? " " : "",
			        l->v->phase == way[i].phase ? "●" : "○", way[i].name);
	vsample_cells_check_row(l, "handler");
	says(&l->c, "at", l->runs ? "runs" : l->v->armed ? "sent off" : "away");
	says(&l->c, "what", "%s", text);
	if (l->runs)
		says(&l->c, "value", "%s left, %s",
		     grouped(l->v->due + 1 > l->now ? l->v->due + 1 - l->now : 0),
		     grouped(l->v->due + 1));
	else if (l->v->armed)
		says(&l->c, "value", "comes back in %llu of %llu cycles", (ull)l->v->user_left,
		     (ull)l->v->user_cycles);
	else
		says_nothing(&l->c, "value");
}

static void read_interrupt(struct look *l)
{
	vsample_cells_check_row(l, "interrupt");
	if (!l->t->interrupts) {
		says_nothing(&l->c, "at");
		says(&l->c, "what", "none yet");
		says_nothing(&l->c, "value");
		return;
	}
	const uint64_t past = l->now > l->v->since + 1 ? l->now - l->v->since - 1 : 0;
	at_addr(l, l->v->sampled_pc);
	says(&l->c, "what", "%s", assembly_at(l->s, l->v->sampled_pc));
	if (past)
		says(&l->c, "value", "%s cycle%s ago, %s", grouped(past), past == 1 ? "" : "s",
		     grouped(l->v->since));
	else
		says(&l->c, "value", "this cycle");
}

/* The tuple with this number, if the queue still holds it; else NULL. */
static const struct vsample_tuple *vsample_cells_find_tuple(const struct look *l, uint64_t serial)
{
	const uint64_t room = vsample_room(l->cfg), kept = (uint64_t)CONFIG(l->cfg, vsample_queue);
	for (uint64_t n = 0; n < l->v->written && n < kept; n++) {
		const struct vsample_tuple *t = &l->all->queue[(l->v->written - 1 - n) % room];
		if (t->serial == serial)
			return t;
	}
	return NULL;
}

static void is_what_was_told(const struct look *l, const struct vsample_tuple *t)
{
	if (l->bounce)
		return;
	assert_int_equal(t->pc, l->t->tuple[t->serial].pc);
	assert_false(l->t->tuple[t->serial].lost);
	if (l->t->tuple[t->serial].inst.rd != REG_SINK)
		assert_int_equal(t->result, l->t->tuple[t->serial].result);
	if (t->address)
		assert_int_equal(t->address, l->t->tuple[t->serial].addr);
}

static void vsample_cells_check_place_row(struct look *l, const char *mark, uint64_t place)
{
	char part[32];
	snprintf(part, sizeof part, "  %s %llu", mark, (ull)place);
	vsample_cells_check_row(l, part);
}

/* Checks the interpretation's rows: the newest that fit, then the one in progress, then none. */
static void vsample_cells_check_inst_list(struct look *l)
{
	const uint64_t length = (uint64_t)(l->bounce ? CONFIG(l->cfg, fetch_width)
	                                             : CONFIG(l->cfg, vsample_length)),
		       phase = l->v->phase;
	const unsigned rows = length < SHOWN ? (unsigned)length : SHOWN;
	const bool works = l->runs && (l->v->left || l->v->place || phase != VSAMPLE_ENTERED),
		   more = works && l->v->left, records = phase == VSAMPLE_RECORD;
	unsigned i = 0;
	if (l->v->armed) {
		for (; i < l->v->block.n && i < SHOWN; i++) {
			vsample_cells_check_place_row(l, "▷", i + 1);
			at_addr(l, l->v->block.pc[i]);
			says(&l->c, "what", "%s", assembly_at(l->s, l->v->block.pc[i]));
			says(&l->c, "value", "noted: may be executed before it comes back");
		}
		return;
	}
	/* The first and last recorded tuples; a lost tuple counts if a later one was recorded. */
	uint64_t first = 0, last = l->v->serial, base = 0;
	for (uint64_t n = last; n && last - n < (uint64_t)CONFIG(l->cfg, vsample_length); n--) {
		const struct vsample_tuple *t = vsample_cells_find_tuple(l, n);
		if (t && t->sequence != STAT(l->st, vsample_interpretations))
			break;
		first = t ? n : first;
	}
	if (more && l->v->left == length)
		first = 0;
	const unsigned room = rows - (more && !records);
	if (first && last + 1 - first > room)
		first = last + 1 - room;
	for (uint64_t n = first; first && n <= last && !base; n++)
		base = vsample_cells_find_tuple(l, n)
		               ? vsample_cells_find_tuple(l, n)->place + 1 - (n - first)
		               : 0;
	base = base ? base : 1;
	for (uint64_t n = first; first && n <= last; n++, i++) {
		const struct vsample_tuple *t = vsample_cells_find_tuple(l, n);
		vsample_cells_check_place_row(l,
		                              !t                     ? "×"
		                              : records && n == last ? "◆"
		                                                     : "●",
		                              base + i);
		if (t) {
			struct inst in;
			char text[128];
			is_what_was_told(l, t);
			inst_decode(t->word, &in);
			assembly(l->s, &in, t->pc, text);
			at_addr(l, t->pc);
			says(&l->c, "what", "%s", text);
			says(&l->c, "value", "%s", values_of(l, t));
		} else {
			assert_true(l->bounce || l->t->tuple[n].lost);
			says_nothing(&l->c, "at");
			says(&l->c, "what", "lost: the daemon's queue was full");
			says_nothing(&l->c, "value");
		}
	}
	if (more && !records && phase != VSAMPLE_ENTERED && phase != VSAMPLE_UPCALL) {
		const bool looks = phase == VSAMPLE_INST || phase == VSAMPLE_LOAD;
		const uint64_t pc = looks ? l->v->pc : machine_pc(l->s->machine);
		vsample_cells_check_place_row(l, looks ? "▶" : "▷", l->v->place + 1);
		at_addr(l, pc);
		says(&l->c, "what", "%s", assembly_at(l->s, pc));
		if (phase == VSAMPLE_LOAD)
			says(&l->c, "value", "waits for its data: %s%s",
			     l->v->missed_tlb ? "TLB miss, then " : "",
			     served_by((unsigned)l->v->level));
		else
			says(&l->c, "value",
			     !looks       ? ""
			     : l->v->skip ? "is interpreted, and not recorded"
			                  : "is interpreted");
		i++;
	}
	for (; i < rows; i++) {
		vsample_cells_check_row(l, "  ·");
		says_nothing(&l->c, "at");
		says_nothing(&l->c, "what");
		says_nothing(&l->c, "value");
	}
}

static void read_stopped(struct look *l)
{
	vsample_cells_check_row(l, "stopped");
	if (!l->v->stop) {
		says_nothing(&l->c, "at");
		says(&l->c, "what", "no interpretation has ended yet");
		says_nothing(&l->c, "value");
		return;
	}
	at_addr(l, l->v->stop_pc);
	says(&l->c, "what", "%s", vsample_stop_name[l->v->stop]);
	says(&l->c, "value", "%s", vsample_stop_help[l->v->stop]);
}

/* The daemon takes tuples in queue order. */
static void read_queue(struct look *l)
{
	const uint64_t room = (uint64_t)CONFIG(l->cfg, vsample_queue);
	uint64_t waiting = 0;
	for (uint64_t n = 0; n < l->t->written; n++)
		waiting += l->t->ready[n] > l->now;
	vsample_cells_check_row(l, "queue");
	says_uint(&l->c, "at", waiting);
	says(&l->c, "what", "%s of %llu tuples", level_of(waiting, room), (ull)room);
	says(&l->c, "value", "%s recorded, %s lost", grouped(l->v->serial),
	     grouped(l->v->serial - l->v->written));
}

static void vsample_cells_check_cost_row(struct look *l, const char *part, uint64_t cycles,
                                         uint64_t of, const char *text)
{
	const double share = of ? (double)cycles / (double)of : 0;
	vsample_cells_check_row(l, part);
	says_uint(&l->c, "at", cycles);
	says(&l->c, "what", "%s %5.2f %%", eighths_bar(share, WIDTH), 100 * share);
	says(&l->c, "value", "%s", text);
}

static const char *with_number(uint64_t n, const char *before, const char *behind)
{
	char out[256];
	snprintf(out, sizeof out, "%s%s%s", before, grouped(n), behind);
	return strcpy(some_text(), out);
}

static void read_cost(struct look *l)
{
	const uint64_t n = STAT(l->st, vsample_interrupts), handler = STAT(l->st, vsample_cycles),
		       refill = STAT(l->st, vsample_refill_cycles), all = handler + refill;
	const uint64_t inst = STAT(l->st, vsample_insts) *
	                      (uint64_t)CONFIG(l->cfg, vsample_inst_cycles),
		       data = STAT(l->st, vsample_memory_cycles);
	const uint64_t tuples =
		l->v->serial * (uint64_t)CONFIG(l->cfg, vsample_tuple_cycles) +
		STAT(l->st, vsample_contexts) * (uint64_t)CONFIG(l->cfg, vsample_context_cycles);
	const uint64_t known = inst + data + tuples;
	assert_int_equal(n, l->t->interrupts);
	vsample_cells_check_cost_row(
		l, "cost", all, STAT(l->st, cycles),
		with_number(n ? all / n : 0, "of all cycles; ", " an interrupt"));
	vsample_cells_check_cost_row(l, "  enter", handler > known ? handler - known : 0, all,
	                             with_number(n, "of these: ", " interrupts, there and back"));
	vsample_cells_check_cost_row(
		l, "  do", inst, all,
		with_number(STAT(l->st, vsample_insts), "", " instructions interpreted"));
	vsample_cells_check_cost_row(l, "  data", data, all, "their data");
	vsample_cells_check_cost_row(l, "  record", tuples, all,
	                             with_number(l->v->serial, "", " tuples recorded"));
	vsample_cells_check_cost_row(l, "  refill", refill, all,
	                             "until the program was dispatched again");
}

static void vsample_cells_check_line_counts(struct look *l)
{
	vsample_cells_check_row(l, "lines");
	says_uint(&l->c, "at", l->v->code_lines + l->v->data_lines);
	says(&l->c, "what", "code %llu/%lld, data %llu/%lld", (ull)l->v->code_lines,
	     (long long)CONFIG(l->cfg, vsample_code_lines), (ull)l->v->data_lines,
	     (long long)CONFIG(l->cfg, vsample_data_lines));
	says(&l->c, "value", "of the handler, that this interrupt took from the caches");
}

static void read_ended(struct look *l)
{
	uint64_t all = 0;
	bool any = false;
	for (unsigned i = 0; i < VSAMPLE_STOP_COUNT; i++)
		all += l->t->ended[i];
	for (unsigned i = 0; i < VSAMPLE_STOP_COUNT; i++) {
		const double share = (double)l->t->ended[i] / (double)all;
		if (!l->t->ended[i])
			continue;
		vsample_cells_check_row(l, any ? "" : "ended");
		says_uint(&l->c, "at", l->t->ended[i]);
		says(&l->c, "what", "%s %5.1f %%  %s", eighths_bar(share, WIDTH),
		     100 * (double)l->t->ended[i] / (double)all, vsample_stop_name[i]);
		says(&l->c, "value", "%s", vsample_stop_help[i]);
		any = true;
	}
}

static void vsample_cells_check_view(const struct session *s, struct told *t)
{
	static struct look l;
	const struct vsample *all = machine_pipe(s->machine)->prof->vsample;
	l = (struct look){.s = s,
	                  .v = all->st,
	                  .all = all,
	                  .cfg = machine_config(s->machine),
	                  .st = machine_stats(s->machine),
	                  .t = t,
	                  .runs = all->st->phase != VSAMPLE_AWAY,
	                  .now = machine_cycle(s->machine)};
	l.bounce = CONFIG(l.cfg, vsample_method) == VSAMPLE_BY_BOUNCE;
	l.upcall = CONFIG(l.cfg, vsample_method) == VSAMPLE_BY_UPCALL;
	cells_open(&l.c, s, "vsample");
	read_next(&l);
	read_handler(&l);
	read_interrupt(&l);
	vsample_cells_check_inst_list(&l);
	read_stopped(&l);
	read_queue(&l);
	read_cost(&l);
	vsample_cells_check_line_counts(&l);
	read_ended(&l);
	cells_close(&l.c);
}

/* Tuples that entered the queue in a cycle, by the state. */
static void take_written(const struct session *s, struct told *t, uint64_t cycle)
{
	const struct vsample_state *v = machine_pipe(s->machine)->prof->vsample->st;
	const uint64_t service = (uint64_t)CONFIG(machine_config(s->machine), vsample_service);
	for (; t->written < v->written; t->written++) {
		const uint64_t before = t->written ? t->ready[t->written - 1] : 0;
		assert_true(t->written < SERIALS);
		t->ready[t->written] = (before > cycle ? before : cycle) + service;
	}
}

TEST(every_row_is_what_the_sampler_does)
{
	static const char *const settings[] = {
		QUICK "vsample.every=3;vsample.length=4",
		QUICK "vsample.every=1;vsample.length=20;vsample.skip=3;vsample.capture=operands "
	              "result address latency context",
		QUICK "vsample.every=1;vsample.length=6;vsample.queue=3;vsample.service=60",
		QUICK "vsample.every=1;vsample.length=20;vsample.queue=3;vsample.service=17;dtlb."
	              "sets=1;dtlb.ways=1;tlb.page=4096",
		QUICK "vsample.every=5;vsample.length=1;vsample.protect_from=0x10000;vsample."
	              "protect_to=0x10140",
		QUICK "vsample.every=2;vsample.length=5;vsample.method=upcall",
		QUICK "vsample.every=1;vsample.method=bounce",
		QUICK "vsample.every=0",
	};
	for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
		static struct told t;
		struct session *s = open_program("tests/golden/guest.elf", settings[i]);
		const struct event_filter filter = {.mask = EV_BIT(VSAMPLE) | EV_BIT(INTERPRET) |
		                                            EV_BIT(INTERPRETED)};
		memset(&t, 0, sizeof t);
		assert_true(machine_listen(s->machine, &filter, vsample_cells_on_event, &t) > 0);
		/* loads that miss the TLB come later */
		const bool narrow = strstr(settings[i], "dtlb");
		unsigned missed = 0;
		for (unsigned c = 0; c < (narrow ? 45000 : 16000); c++) {
			const struct vsample_state *v = machine_pipe(s->machine)->prof->vsample->st;
			const bool misses =
				v->phase == VSAMPLE_LOAD && v->missed_tlb && missed++ < 50;
			if (c < 200 || (c > 15500 && c < 16000) || (c < 16000 && c % 17 == 0) ||
			    misses)
				vsample_cells_check_view(s, &t);
			const uint64_t cycle = machine_cycle(s->machine);
			machine_step(s->machine);
			take_written(s, &t, cycle);
		}
		assert_true(t.interrupts > 20 && (!narrow || missed > 10));
		session_free(s);
	}
}

TEST(vsample_cells_are_complete)
{
	views_are_complete("vsample");
}
