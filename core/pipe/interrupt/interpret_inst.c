/* The value sampler's interpreter: one instruction, from its execution on the committed state to
 * its tuple, and notification of devices and listeners. */
#include "core/defs/event_fields.h"
#include "core/pipe/interrupt/interpret_priv.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/csr.h"
#include "core/mem/mem.h"
#include "core/pipe/interrupt/handler.h"
#include "core/pipe/window.h"
#include "core/pipe/xprof/xprof.h"

/* Adds an event; NULL if it is not wanted. This file belongs to no variant, so the mask is tested
 * at run time.
 */
static struct event *interpret_emit_event(struct pipe *p, enum event_id id, const struct uop *u)
{
	if (!(p->events.mask >> id & 1))
		return NULL;
	return event_put(&p->events, id, p->st->cycle, u->seq, u->pc, window_slot_index(p, u),
	                 u->inst.op);
}

static void interpret_sift_event(struct pipe *p, enum event_id id)
{
	if (p->events.sifted >> id & 1)
		event_sift(&p->events);
}

static void tell_commit(struct pipe *p, const struct uop *u)
{
	struct event *ev;
	pipe_note_fetch(p, u->pc & ~p->line_mask);
	if (u->exec.stored && (ev = interpret_emit_event(p, EV_STORE, u))) {
		ev->store = (struct ev_store){.addr = u->exec.addr, .bytes = u->exec.size};
		interpret_sift_event(p, EV_STORE);
	}
	if ((ev = interpret_emit_event(p, EV_COMMIT, u))) {
		ev->commit = (struct ev_commit){.result = rd_value(u)};
		interpret_sift_event(p, EV_COMMIT);
	}
	if ((ev = interpret_emit_event(p, EV_LEAVE, u))) {
		ev->leave = (struct ev_leave){.retired = 1};
		interpret_sift_event(p, EV_LEAVE);
	}
}

void interpret_tell(struct pipe *p, const struct uop *u, bool recorded, bool lost)
{
	const struct vsample_state *v = interpret_state(p);
	struct event *ev = interpret_emit_event(p, EV_INTERPRET, u);
	if (!ev)
		return;
	ev->interpret = (struct ev_interpret){.place = v->place,
	                                      .recorded = recorded,
	                                      .lost = lost,
	                                      .cycles = p->st->cycle - v->begun};
	interpret_sift_event(p, EV_INTERPRET);
}

/* An event that belongs to no instruction. */
static struct event *tell_alone(struct pipe *p, enum event_id id, uint64_t pc)
{
	if (!(p->events.mask >> id & 1))
		return NULL;
	return event_put(&p->events, id, p->st->cycle, 0, pc, EVENT_NO_SLOT, OP_ILLEGAL);
}

void interpret_tell_entered(struct pipe *p)
{
	const struct vsample_state *v = interpret_state(p);
	struct event *ev = tell_alone(p, EV_VSAMPLE, v->sampled_pc);
	if (!ev)
		return;
	ev->vsample = (struct ev_vsample){.interval = v->interval,
	                                  .interprets = v->left || v->armed,
	                                  .skip = v->skip,
	                                  .second = v->armed};
	interpret_sift_event(p, EV_VSAMPLE);
}

void interpret_tell_stopped(struct pipe *p)
{
	const struct vsample_state *v = interpret_state(p);
	struct event *ev = tell_alone(p, EV_INTERPRETED, v->stop_pc);
	if (!ev)
		return;
	const uint64_t recorded = interpret_is_bounce(p)
	                                  ? v->block.executed
	                                  : (uint64_t)p->cfg->vsample_length - v->left;
	ev->interpreted =
		(struct ev_interpreted){.stop = v->stop,
	                                .count = interpret_is_bounce(p) ? recorded : v->place,
	                                .recorded = recorded,
	                                .cycles = p->st->cycle - v->since};
	interpret_sift_event(p, EV_INTERPRETED);
}

/* Records the instruction in a slot of the pool, as for any retired one. */
static struct uop *enter_pool(struct pipe *p, const struct next_inst *c, uint64_t now)
{
	struct pipe_state *st = p->st;
	const struct vsample_state *v = interpret_state(p);
	struct uop *u = pipe_uop(p, (uint16_t)window_allocate_slot(p));
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
		.prefix_len = (uint8_t)c->prefix,
		.thread = st->thread,
		.users = NO_LINK,
		.mem = {.level = (uint16_t)v->level, .delayed = (uint8_t)v->delayed},
		.at = {.rob = NO_SLOT,
	               .pool = FU_NONE,
	               .lsq = NO_SLOT,
	               .wheel = NO_SLOT,
	               .unit = NO_SLOT},
		.src = {.slot = {NO_SLOT, NO_SLOT, NO_SLOT},
	                .next = {NO_LINK, NO_LINK, NO_LINK, NO_LINK}},
		.undo = {.rename = NO_SLOT},
	};
	u->flags_before = (uint8_t)p->hart->pflags;
	if (p->hart->marked == u->pc) {
		u->marked = u->seq;
		p->hart->marked = 0;
	}
	return u;
}

void interpret_tell_devices(struct pipe *p, struct retired *r)
{
	const struct uop *u = r->u;
	r->latency = (uint32_t)(u->when.done -
	                        (u->mem.level != LEVEL_NONE ? u->when.mem : u->when.issue));
	if (p->prof->retired && op_set_has(&p->prof->st->retired, u->inst.op))
		prof_retired(p->prof, r, 1);
}

/* Executes and commits an instruction. False if it traps, which only a change by hand can cause:
 * nothing has happened. */
bool interpret_execute(struct pipe *p, const struct next_inst *c, struct retired *r, uint64_t now)
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
	interpret_settle(p);
	p->stats->insts++;
	p->stats->vsample_insts++;
	p->stats->xprof_unreached += done.unreached;
	st->last_commit_cycle = now;
	tell_commit(p, u);
	return true;
}

/* Fields that are captured for this operation. */
unsigned interpret_capture_of(const struct pipe *p, unsigned op)
{
	return p->prof->vsample->capture->fields[op];
}

/* False: it is in memory that can't be read. */
static bool extra_word(struct pipe *p, const struct vsample_extra *x, uint64_t now, uint64_t *word)
{
	*word = 0;
	switch ((enum vsample_source)x->source) {
	case VSAMPLE_REG:
		*word = p->hart->r[x->number];
		break;
	case VSAMPLE_STAT:
		memcpy(word, (const uint8_t *)p->stats + stat_rows[x->number].offset, sizeof *word);
		break;
	case VSAMPLE_CYCLE:
		*word = now;
		break;
	case VSAMPLE_SYSTEM:
		*word = p->os->word(p->os->ctx, (enum system_word)x->number);
		break;
	case VSAMPLE_MEMORY:
		if (!mem_load(p->ram, x->number, sizeof *word, word))
			return false;
		handler_load(p, x->number, sizeof *word, now);
		break;
	case VSAMPLE_NOTHING:
	case VSAMPLE_SOURCES:
		break;
	}
	return true;
}

/* Captures tuple fields that executing the instruction overwrites. */
void interpret_look_before(struct pipe *p, unsigned capture, struct vsample_tuple *t, uint64_t now)
{
	const struct hart *h = p->hart;
	for (unsigned i = 0; i < VSAMPLE_EXTRAS; i++)
		if ((capture & (unsigned)VSAMPLE_EXTRA << i) &&
		    !extra_word(p, &p->prof->vsample->capture->extra[i], now, &t->extra[i]))
			t->unknown |= (uint16_t)(VSAMPLE_NO_EXTRA << i);
	if (!(capture & VSAMPLE_CONTEXT))
		return;
	t->ra = h->r[REG_RA];
	if (mem_load(p->ram, h->r[REG_SP], 8, &t->top))
		handler_load(p, h->r[REG_SP], 8, now);
}

uint64_t interpret_tuple_cycles(const struct pipe *p, unsigned capture)
{
	const uint64_t context =
		capture & VSAMPLE_CONTEXT ? (uint64_t)p->cfg->vsample_context_cycles : 0;
	return capture & VSAMPLE_TUPLE ? (uint64_t)p->cfg->vsample_tuple_cycles + context : 0;
}

/* ---- lines that loads bring ---- */
static uint64_t interpret_l1d_line(const struct pipe *p, uint64_t addr)
{
	return addr / (uint64_t)p->cfg->l1d_line;
}

void interpret_note_brought(struct pipe *p, uint64_t addr)
{
	struct vsample_state *v = interpret_state(p);
	const uint64_t at = v->brought++ % VSAMPLE_BROUGHT;
	v->brought_line[at] = interpret_l1d_line(p, addr);
	v->brought_place[at] = v->place;
}

/* True if an earlier load of this interpretation fetched the line, and would be in the window
 * together with this one. */
static bool was_brought(const struct pipe *p, uint64_t addr)
{
	const struct vsample_state *v = interpret_state(p);
	const uint64_t n = v->brought < VSAMPLE_BROUGHT ? v->brought : VSAMPLE_BROUGHT;
	for (uint64_t i = 0; i < n; i++)
		if (v->brought_line[i] == interpret_l1d_line(p, addr) &&
		    v->place - v->brought_place[i] < (uint64_t)p->cfg->rob_size)
			return true;
	return false;
}

/* Hands a tuple to the queue. False if it is lost. */
bool interpret_hand_over(struct pipe *p, struct vsample_tuple *t, unsigned capture, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
	const uint64_t at = vsample_record(p->prof, t, now);
	if (at)
		handler_write_record(p, at, now);
	p->stats->vsample_contexts += (capture & VSAMPLE_CONTEXT) != 0;
	v->phase = VSAMPLE_RECORD;
	v->due = now + interpret_tuple_cycles(p, capture);
	return at;
}

bool interpret_record(struct pipe *p, const struct vsample_tuple *before, const struct retired *r,
                      unsigned capture, uint64_t now)
{
	struct vsample_state *v = interpret_state(p);
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
		if (interpret_is_upcall(p)) /* only the kernel can read the level */
			t.unknown = VSAMPLE_NO_LEVEL;
		else
			t.level = v->level & 0x7f;
		t.delayed = u->mem.delayed ||
		            (v->level == LEVEL_L1 && was_brought(p, u->exec.addr));
	}
	return interpret_hand_over(p, &t, capture, now);
}
