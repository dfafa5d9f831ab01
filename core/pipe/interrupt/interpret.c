#include "core/defs/event_fields.h"
#include "core/pipe/interrupt/interpret.h"

#include <stddef.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/csr.h"
#include "core/mem/mem.h"
#include "core/pipe/interrupt/bounce.h"
#include "core/pipe/interrupt/handler.h"
#include "core/pipe/interrupt/next_inst.h"
#include "core/pipe/window.h"
#include "core/trap/trap.h"

static struct vsample_state *state_of(const struct pipe *p)
{
	return p->prof->vsample->st;
}

static bool is_upcall(const struct pipe *p)
{
	return p->cfg->vsample_method == VSAMPLE_BY_UPCALL;
}

static bool is_bounce(const struct pipe *p)
{
	return p->cfg->vsample_method == VSAMPLE_BY_BOUNCE;
}

/* The hart's state is committed, and fetch would begin there. */
static void settle(struct pipe *p)
{
	struct pipe_state *st = p->st;
	st->commit_pc = st->fetch_pc = p->hart->pc;
	st->cfcsr = p->hart->fcsr;
	if (st->xprof_seen)
		xprof_adopt(p);
}

/* ---- interpreting an instruction ---- */
/* An event of this file's, which belongs to no variant: it asks each time. NULL: nobody wants it.
 */
static struct event *tell(struct pipe *p, enum event_id id, const struct uop *u)
{
	if (!(p->events.mask >> id & 1))
		return NULL;
	return event_put(&p->events, id, p->st->cycle, u->seq, u->pc, slot_of(p, u), u->inst.op);
}

static void sift(struct pipe *p, enum event_id id)
{
	if (p->events.sifted >> id & 1)
		event_sift(&p->events);
}

static void tell_commit(struct pipe *p, const struct uop *u)
{
	struct event *ev;
	pipe_note_fetch(p, u->pc & ~p->line_mask);
	if (u->exec.stored && (ev = tell(p, EV_STORE, u))) {
		ev->store = (struct ev_store){.addr = u->exec.addr, .bytes = u->exec.size};
		sift(p, EV_STORE);
	}
	if ((ev = tell(p, EV_COMMIT, u))) {
		ev->commit = (struct ev_commit){.result = rd_value(u)};
		sift(p, EV_COMMIT);
	}
	if ((ev = tell(p, EV_LEAVE, u))) {
		ev->leave = (struct ev_leave){.retired = 1};
		sift(p, EV_LEAVE);
	}
}

static void tell_interpret(struct pipe *p, const struct uop *u, bool recorded, bool lost)
{
	const struct vsample_state *v = state_of(p);
	struct event *ev = tell(p, EV_INTERPRET, u);
	if (!ev)
		return;
	ev->interpret = (struct ev_interpret){.place = v->place,
	                                      .recorded = recorded,
	                                      .lost = lost,
	                                      .cycles = p->st->cycle - v->begun};
	sift(p, EV_INTERPRET);
}

/* One that belongs to no instruction. */
static struct event *tell_alone(struct pipe *p, enum event_id id, uint64_t pc)
{
	if (!(p->events.mask >> id & 1))
		return NULL;
	return event_put(&p->events, id, p->st->cycle, 0, pc, EVENT_NO_SLOT, OP_ILLEGAL);
}

static void tell_entered(struct pipe *p)
{
	const struct vsample_state *v = state_of(p);
	struct event *ev = tell_alone(p, EV_VSAMPLE, v->sampled_pc);
	if (!ev)
		return;
	ev->vsample = (struct ev_vsample){.interval = v->interval,
	                                  .interprets = v->left || v->armed,
	                                  .skip = v->skip,
	                                  .second = v->armed};
	sift(p, EV_VSAMPLE);
}

static void tell_stopped(struct pipe *p)
{
	const struct vsample_state *v = state_of(p);
	struct event *ev = tell_alone(p, EV_INTERPRETED, v->stop_pc);
	if (!ev)
		return;
	const uint64_t recorded =
		is_bounce(p) ? v->block.executed : (uint64_t)p->cfg->vsample_length - v->left;
	ev->interpreted = (struct ev_interpreted){.stop = v->stop,
	                                          .count = is_bounce(p) ? recorded : v->place,
	                                          .recorded = recorded,
	                                          .cycles = p->st->cycle - v->since};
	sift(p, EV_INTERPRETED);
}

/* A slot of the pool says what became of it, as of any instruction that has left. */
static struct uop *enter_pool(struct pipe *p, const struct next_inst *c, uint64_t now)
{
	struct pipe_state *st = p->st;
	const struct vsample_state *v = state_of(p);
	struct uop *u = pipe_uop(p, (uint16_t)take_slot(p));
	const uint64_t asked = v->level ? v->asked : NO_CYCLE;
	*u = (struct uop){
		.seq = st->next_seq++,
		.pc = p->hart->pc,
		.inst = c->in,
		.when = {.fetch = v->begun,
	                 .avail = v->begun,
	                 .dispatch = v->begun,
	                 .ready = v->begun,
	                 .issue = v->begun,
	                 .mem = asked,
	                 .done = now,
	                 .end = now},
		.op_flags = (uint16_t)(c->flags | (c->prefix ? OPF_XPROF : 0u)),
		.flags = (uint16_t)(UF_EXECUTED | (c->size ? UF_ADDR_KNOWN : 0u) |
	                            (v->missed_tlb ? UF_TLB_MISS : 0u)),
		.state = UOP_RETIRED,
		.prefix_len = (uint16_t)c->prefix,
		.thread = st->thread,
		.users = NO_LINK,
		.mem = {.level = (uint16_t)v->level},
		.at = {.rob = NO_SLOT,
	               .pool = FU_NONE,
	               .lsq = NO_SLOT,
	               .wheel = NO_SLOT,
	               .unit = NO_SLOT},
		.src = {.slot = {NO_SLOT, NO_SLOT, NO_SLOT}, .next = {NO_LINK, NO_LINK, NO_LINK}},
		.undo = {.rename = NO_SLOT},
	};
	u->flags_before = (uint8_t)p->hart->pflags;
	if (p->hart->marked == u->pc) {
		u->marked = u->seq;
		p->hart->marked = 0;
	}
	return u;
}

static void tell_devices(struct pipe *p, struct retired *r)
{
	const struct uop *u = r->u;
	r->latency = (uint32_t)(u->when.done -
	                        (u->mem.level != LEVEL_NONE ? u->when.mem : u->when.issue));
	if (p->prof->retired && op_set_has(&p->prof->st->retired, u->inst.op))
		prof_retired(p->prof, r, 1);
}

/* Executes it, and commits it. False if it traps after all, which a change by hand can bring about:
 * nothing has happened. */
static bool execute(struct pipe *p, const struct next_inst *c, struct retired *r, uint64_t now)
{
	struct hart *h = p->hart;
	struct pipe_state *st = p->st;
	const uint64_t pc = h->pc;
	struct exec done;
	*r = (struct retired){.source = {h->r[c->in.rs1], h->r[c->in.rs2], h->r[c->in.rs3]},
	                      .a0 = h->r[REG_A0]};
	if (c->in.klass == CLASS_SYSTEM)
		pipe_set_counters(p, &c->in);
	h->pc += c->prefix;
	if (isa_exec(h, p->ram, &c->in, &done) != TRAP_NONE) {
		h->pc = pc;
		return false;
	}
	const uint64_t next = h->pc;
	h->pc = pc;
	struct uop *u = enter_pool(p, c, now);
	r->u = u;
	h->pc = u->pred_next = next;
	u->exec = done;
	u->result = h->r[c->in.rd];
	u->flags_around = (uint16_t)(u->flags_before | h->pflags << 8);
	u->raised = (uint16_t)(h->fcsr & 31);
	if (c->in.rd != REG_SINK)
		st->creg[c->in.rd] = u->result;
	settle(p);
	p->stats->insts++;
	p->stats->vsample_insts++;
	p->stats->xprof_unreached += done.unreached;
	st->last_commit_cycle = now;
	tell_commit(p, u);
	return true;
}

/* What is recorded of this operation. */
static unsigned capture_of(const struct pipe *p, unsigned op)
{
	return p->prof->vsample->capture->fields[op];
}

static uint64_t extra_word(const struct pipe *p, const struct vsample_extra *x, uint64_t now)
{
	if (x->source == VSAMPLE_REG)
		return p->hart->r[x->number];
	if (x->source == VSAMPLE_STAT) {
		uint64_t counter;
		memcpy(&counter, (const uint8_t *)p->stats + stat_rows[x->number].offset,
		       sizeof counter);
		return counter;
	}
	return x->source == VSAMPLE_CYCLE ? now : 0;
}

/* What a tuple has that is the same no more when the instruction has been executed. */
static void look_before(struct pipe *p, unsigned capture, struct vsample_tuple *t, uint64_t now)
{
	const struct hart *h = p->hart;
	for (unsigned i = 0; i < VSAMPLE_EXTRAS; i++)
		if (capture & VSAMPLE_EXTRA << i)
			t->extra[i] = extra_word(p, &p->prof->vsample->capture->extra[i], now);
	if (!(capture & VSAMPLE_CONTEXT))
		return;
	t->ra = h->r[REG_RA];
	if (mem_load(p->ram, h->r[REG_SP], 8, &t->top))
		handler_load(p, h->r[REG_SP], 8, now);
}

static uint64_t tuple_cycles(const struct pipe *p, unsigned capture)
{
	const uint64_t context =
		capture & VSAMPLE_CONTEXT ? (uint64_t)p->cfg->vsample_context_cycles : 0;
	return capture & VSAMPLE_TUPLE ? (uint64_t)p->cfg->vsample_tuple_cycles + context : 0;
}

/* ---- lines that loads bring ---- */
static uint64_t line_of(const struct pipe *p, uint64_t addr)
{
	return addr / (uint64_t)p->cfg->l1d_line;
}

static void note_brought(struct pipe *p, uint64_t addr)
{
	struct vsample_state *v = state_of(p);
	const uint64_t at = v->brought++ % VSAMPLE_BROUGHT;
	v->brought_line[at] = line_of(p, addr);
	v->brought_place[at] = v->place;
}

/* Whether a load of this interpretation did that, which would be in the window together with this
 * one. */
static bool was_brought(const struct pipe *p, uint64_t addr)
{
	const struct vsample_state *v = state_of(p);
	const uint64_t n = v->brought < VSAMPLE_BROUGHT ? v->brought : VSAMPLE_BROUGHT;
	for (uint64_t i = 0; i < n; i++)
		if (v->brought_line[i] == line_of(p, addr) &&
		    v->place - v->brought_place[i] < (uint64_t)p->cfg->rob_size)
			return true;
	return false;
}

/* False if it is lost. */
static bool hand_over(struct pipe *p, struct vsample_tuple *t, unsigned capture, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	const uint64_t at = vsample_record(p->prof, t, now);
	if (at)
		handler_write_record(p, at, now);
	p->stats->vsample_contexts += (capture & VSAMPLE_CONTEXT) != 0;
	v->phase = VSAMPLE_RECORD;
	v->due = now + tuple_cycles(p, capture);
	return at;
}

static bool record(struct pipe *p, const struct vsample_tuple *before, const struct retired *r,
                   unsigned capture, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	const struct uop *u = r->u;
	struct vsample_tuple t = *before;
	t.pc = u->pc;
	t.word = u->inst.raw;
	t.place = (uint32_t)v->place;
	for (unsigned i = 0; i < 3 && (capture & VSAMPLE_OPERANDS); i++)
		t.operand[i] = r->source[i];
	if ((capture & VSAMPLE_RESULT) && u->inst.rd != REG_SINK)
		t.result = u->result;
	if ((capture & VSAMPLE_ADDRESS) && u->exec.size)
		t.address = u->exec.addr;
	if ((capture & VSAMPLE_LATENCY) && v->level) {
		t.latency = r->latency;
		if (is_upcall(p)) /* only the kernel may ask */
			t.unknown = VSAMPLE_NO_LEVEL;
		else
			t.level = (uint8_t)v->level;
		t.delayed = v->level == LEVEL_L1 && was_brought(p, u->exec.addr);
	}
	return hand_over(p, &t, capture, now);
}

/* ---- the handler ---- */
static void count_stop(struct pipe *p, enum vsample_stop stop)
{
	static const size_t counter[VSAMPLE_STOP_COUNT] = {
#define S(id, name, help) [VSAMPLE_STOP_##id] = offsetof(struct stats, vsample_stop_##name),
		VSAMPLE_STOPS(S)
#undef S
	};
	struct vsample_state *v = state_of(p);
	++*(uint64_t *)(void *)((uint8_t *)p->stats + counter[stop]);
	v->stop = stop;
	v->stop_pc = p->hart->pc;
	tell_stopped(p);
}

/* Back to the program: fetch begins in the next cycle. */
static void give_back(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	struct pipe_state *st = p->st;
	settle(p);
	p->hart->marked = 0;
	pipe_drop_line(st);
	st->fetch_waits = st->fetch_blocked = 0;
	st->redirect_until = now + 1;
	st->after_trap = BLAME_VSAMPLE;
	v->phase = VSAMPLE_AWAY;
	v->routine_left = 0;
}

static void leave(struct pipe *p, enum vsample_stop stop, uint64_t now)
{
	if (stop != VSAMPLE_GOES_ON)
		count_stop(p, stop);
	give_back(p, now);
	vsample_begin_interval(p->prof);
}

/* The interpretation is over; the library goes back by way of the kernel. */
static void stop_interpreting(struct pipe *p, enum vsample_stop stop, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	if (!is_upcall(p)) {
		leave(p, stop, now);
		return;
	}
	count_stop(p, stop);
	v->phase = VSAMPLE_RETURN;
	v->due = now + (uint64_t)p->cfg->vsample_return_cycles;
}

/* Interrupts would be off for longer than they may. */
static bool is_too_late(const struct pipe *p, unsigned op, uint64_t now)
{
	const struct config *c = p->cfg;
	return !is_upcall(p) && c->vsample_deadline &&
	       now - state_of(p)->since + (uint64_t)c->vsample_inst_cycles +
	                       tuple_cycles(p, capture_of(p, op)) >
	               (uint64_t)c->vsample_deadline;
}

/* Firmware's interrupt breaks in, for the library runs with interrupts on; what was begun goes on
 * behind it. */
static void break_off(struct pipe *p, uint64_t wanted)
{
	settle(p);
	p->stats->vsample_broken++;
	pipe_interrupt(p, wanted);
}

/* Begins the next instruction, or returns to the program. */
static void begin(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	struct hart *h = p->hart;
	struct next_inst c = {0};
	enum vsample_stop stop = v->left ? VSAMPLE_GOES_ON : VSAMPLE_STOP_LENGTH;
	if (!stop && p->prof->pending) {
		h->mip = prof_poll(p->prof);
		const uint64_t wanted = trap_wanted(h, h->mip);
		if (wanted && is_upcall(p)) {
			break_off(p, wanted);
			return;
		}
		stop = wanted ? VSAMPLE_STOP_INTERRUPT : VSAMPLE_GOES_ON;
	}
	const uint64_t pc = h->pc, flags = h->pflags;
	if (!stop) {
		stop = next_inst_obstacle(p, &c);
		if (is_too_late(p, c.in.op, now))
			stop = VSAMPLE_STOP_DEADLINE;
	}
	if (stop) { /* before what was passed over: decode is to meet that */
		h->pc = pc;
		h->pflags = flags;
		stop_interpreting(p, stop, now);
		return;
	}
	settle(p);
	v->pc = h->pc;
	v->begun = now;
	v->level = v->missed_tlb = v->faulted = 0;
	handler_begin_routine(p, c.in.op);
	/* its word; whoever waits for that is among inst_cycles */
	handler_load(p, h->pc + c.prefix, c.in.len, now);
	v->phase = VSAMPLE_INST;
	v->due = now + (uint64_t)p->cfg->vsample_inst_cycles;
}

static void wait(struct pipe *p, uint64_t now, uint64_t cycles)
{
	state_of(p)->due = now + cycles;
	p->stats->vsample_memory_cycles += cycles;
}

/* Its time is over: it takes place, and is recorded. */
static void finish(struct pipe *p, const struct next_inst *c, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	struct retired r;
	struct vsample_tuple before = {0};
	const unsigned capture = v->skip ? 0 : capture_of(p, c->in.op);
	if ((c->flags & OPF_STORE) && !hierarchy_store_fits(&p->mem, c->addr, c->size, now)) {
		wait(p, now, 1);
		return;
	}
	look_before(p, capture, &before, now);
	if (!execute(p, c, &r, now)) {
		stop_interpreting(p, VSAMPLE_STOP_TRAP, now);
		return;
	}
	if (r.u->exec.stored)
		handler_store(p, r.u->exec.addr, r.u->exec.size, now);
	tell_devices(p, &r);
	const bool recorded = capture & VSAMPLE_TUPLE,
		   lost = recorded && !record(p, &before, &r, capture, now);
	if (!recorded)
		v->phase = VSAMPLE_STARTS;
	if (v->level > LEVEL_L1)
		note_brought(p, c->addr);
	if (v->skip)
		v->skip--;
	else
		v->left--;
	tell_interpret(p, r.u, recorded, lost);
	v->place++;
}

/* The instruction has been looked at, or its data has come: what there is to do next with it. */
static void go_on(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	struct next_inst c;
	const enum vsample_stop stop = next_inst_obstacle(p, &c);
	if (stop || p->hart->pc != v->pc) { /* it was changed by hand */
		v->phase = VSAMPLE_STARTS;
		return;
	}
	if (!v->faulted && next_inst_meets_page_fault(p, &c)) {
		v->faulted = 1;
		v->due = now + (uint64_t)p->cfg->vsample_fault_cycles;
		p->stats->vsample_faults++;
		return;
	}
	if (v->phase == VSAMPLE_LOAD || !(c.flags & OPF_LOAD)) {
		finish(p, &c, now);
		return;
	}
	const struct access a = handler_load(p, c.addr, c.size, now);
	if (!a.accepted) {
		wait(p, now, 1);
		return;
	}
	v->asked = now;
	v->level = a.level;
	v->missed_tlb = a.tlb_miss;
	v->phase = VSAMPLE_LOAD;
	wait(p, now, a.ready - now);
}

static void start(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	v->phase = VSAMPLE_STARTS;
	v->due = now + (uint64_t)p->cfg->vsample_start_cycles;
}

/* ---- bouncing back ---- */
/* The block is noted: the program runs, for a few cycles more than last time if it was where it is.
 */
static void send_off(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	const uint64_t most = (uint64_t)p->cfg->vsample_bounce_max;
	uint64_t cycles = v->armed ? v->user_cycles + (uint64_t)p->cfg->vsample_bounce_step
	                           : (uint64_t)p->cfg->vsample_bounce_cycles;
	if (!bounce_set_up(p)) {
		v->armed = 0;
		leave(p, VSAMPLE_STOP_AMBIGUOUS, now);
		return;
	}
	give_back(p, now);
	vsample_arm(p->prof, cycles < most ? cycles : most);
}

static void record_bounced(struct pipe *p, uint64_t now)
{
	struct vsample_tuple t;
	const unsigned capture = bounce_tuple(p, &t);
	if (capture)
		hand_over(p, &t, capture, now);
	else
		leave(p, VSAMPLE_GOES_ON, now);
}

static void look_back(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	const enum vsample_stop stop = bounce_look(p);
	if (!stop) {
		start(p, now);
		return;
	}
	v->armed = 0;
	count_stop(p, stop);
	record_bounced(p, now);
}

/* ---- the interrupt ---- */
bool interpret_runs(const struct pipe *p)
{
	return state_of(p)->phase != VSAMPLE_AWAY && p->hart->mode == MODE_U;
}

bool interpret_begins_now(const struct pipe *p)
{
	const struct vsample_state *v = state_of(p);
	return v->phase == VSAMPLE_ENTERED && v->since == p->st->cycle;
}

void interpret_follow_block(struct pipe *p)
{
	const struct vsample_state *v = state_of(p);
	if (v->armed && p->counts->insts != v->block.seen)
		bounce_follow(p);
}

/* As many instructions have been committed, or the program had its cycles: whether the interrupt
 * may be taken in this cycle. */
bool interpret_comes(struct pipe *p)
{
	struct vsample_state *v = state_of(p);
	struct pipe_state *st = p->st;
	if (p->counts->insts < v->at || p->hart->mode != MODE_U)
		return false;
	/* firmware, which broke in, has returned to it in this cycle */
	if (v->phase != VSAMPLE_AWAY) {
		begin(p, st->cycle);
		st->redirect_until = st->cycle + 1;
		return false;
	}
	if (v->armed && v->user_left)
		v->user_left--;
	return !v->user_left && st->serial_slot == NO_SLOT;
}

void interpret_enter(struct pipe *p)
{
	struct vsample_state *v = state_of(p);
	struct pipe_state *st = p->st;
	const uint64_t now = st->cycle;
	p->prof->squash = (struct squash_cause){.fate = PROFILEME_FATE_INTERRUPT};
	pipe_squash(p, 0, st->commit_pc, now + 1, SLOT_interrupted);
	assert(!st->mark_next); /* fetch would begin at the mark */
	v->since = now;
	v->sampled_pc = st->commit_pc;
	v->left = v->skip = v->place = v->brought = 0;
	handler_begin_lines(p);
	v->phase = VSAMPLE_ENTERED;
	v->due = now + (uint64_t)p->cfg->vsample_interrupt_cycles;
	if (v->armed) {
		p->stats->vsample_bounces++;
	} else if (vsample_counts_down(p->prof)) {
		v->left = (uint64_t)p->cfg->vsample_length;
		v->skip = vsample_draw_skip(p->prof);
	}
	tell_entered(p);
}

/* The interrupt's own cycles are over: what it is for. */
static void enter(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	if (v->armed) {
		look_back(p, now);
	} else if (!v->left) {
		leave(p, VSAMPLE_GOES_ON, now);
	} else if (!is_upcall(p)) {
		start(p, now);
	} else if (!handler_push_frame(p)) {
		leave(p, VSAMPLE_STOP_STACK, now);
	} else {
		p->stats->vsample_upcalls++;
		v->phase = VSAMPLE_UPCALL;
		v->due = now + (uint64_t)p->cfg->vsample_upcall_cycles;
	}
}

/* The phase that ends in this cycle leads to the next. */
static void turn(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	switch ((enum vsample_phase)v->phase) {
	case VSAMPLE_ENTERED:
		enter(p, now);
		return;
	case VSAMPLE_UPCALL:
		start(p, now);
		return;
	case VSAMPLE_RETURN:
		leave(p, VSAMPLE_GOES_ON, now);
		return;
	case VSAMPLE_INST:
	case VSAMPLE_LOAD:
		go_on(p, now);
		return;
	default:
		if (!is_bounce(p))
			begin(p, now);
		else if (v->phase == VSAMPLE_STARTS)
			send_off(p, now);
		else
			record_bounced(p, now);
	}
}

void interpret_cycle(struct pipe *p)
{
	struct vsample_state *v = state_of(p);
	const uint64_t now = p->st->cycle;
	assert(!p->st->rob_count && !p->st->fetchq_count);
	p->stats->vsample_cycles++;
	p->stats->cpi_vsample += p->commit_width;
	handler_touch(p, now);
	while (interpret_holds(p) && v->due <= now)
		turn(p, now);
	if (interpret_holds(p))
		p->st->redirect_until = v->due + 1; /* not before */
}
