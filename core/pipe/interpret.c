#include "core/pipe/interpret.h"

#include <stddef.h>

#include "core/isa/csr.h"
#include "core/mem/mem.h"
#include "core/pipe/window.h"
#include "core/trap/trap.h"

/* What comes next in the program. */
struct coming {
	struct inst in;
	unsigned prefix; /* bytes of its prefix, 0: it has none */
	unsigned flags;  /* enum op_flag, and of pushpf and poppf that they access memory */
	uint64_t addr;   /* byte address that it accesses; poppf: first */
	unsigned size;   /* bytes; 0: it accesses none */
};

static struct vsample_state *state_of(const struct pipe *p)
{
	return p->prof->vsample.st;
}

/* ---- memory, as the handler accesses it ---- */
static struct access load(struct pipe *p, uint64_t addr, unsigned size, uint64_t now)
{
	return p->mem.heeds ? hierarchy_heed_load(&p->mem, VSAMPLE_ROUTINES, addr, size, now) : hierarchy_load(&p->mem, addr, size, now);
}

static struct access store(struct pipe *p, uint64_t addr, unsigned size, uint64_t now)
{
	return p->mem.heeds ? hierarchy_heed_store(&p->mem, VSAMPLE_ROUTINES, addr, size, now) : hierarchy_store(&p->mem, addr, size, now);
}

static void fetch(struct pipe *p, uint64_t addr, uint64_t now)
{
	if (p->mem.heeds)
		hierarchy_heed_fetch(&p->mem, addr, now);
	else
		hierarchy_fetch(&p->mem, addr, now);
}

/* The handler's own lines, one of code and one of data a cycle. */
static void touch(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	const uint64_t line = (uint64_t)p->cfg->l1i_line;
	if (v->code_lines < (uint64_t)p->cfg->vsample_code_lines) {
		fetch(p, VSAMPLE_BASE + line * v->code_lines++, now);
	} else if (v->routine_left) {
		fetch(p, v->routine, now);
		v->routine += line;
		v->routine_left--;
	}
	if (v->data_lines < (uint64_t)p->cfg->vsample_data_lines &&
	    load(p, VSAMPLE_DATA + (uint64_t)p->cfg->l1d_line * v->data_lines, 8, now).accepted)
		v->data_lines++;
}

/* ---- what comes ---- */
/* Behind its prefix. False: it is not executed, for its flag is off or the prefix belongs to nothing, and is passed over. */
static bool behind_prefix(struct pipe *p, struct coming *c)
{
	struct hart *h = p->hart;
	const uint64_t types = profile_types(&c->in);
	const struct inst *next = mem_fetch(p->ram, h->pc + c->in.len);
	if (next && !inst_is_xprof(next) && (h->pflags & types)) {
		c->prefix = c->in.len;
		c->in = *next;
		return true;
	}
	h->pc += c->in.len + (next && !inst_is_xprof(next) ? next->len : 0u);
	return false;
}

/* The program's next instruction. Profile control before it acts, and what is dropped is passed over, as at decode; a mark about one of these
 * is about nothing. False: nothing may be executed there. */
static bool find_next(struct pipe *p, struct coming *c)
{
	struct hart *h = p->hart;
	struct exec done;
	const struct inst *at;
	while ((at = mem_fetch(p->ram, h->pc))) {
		const uint64_t pc = h->pc;
		*c = (struct coming){.in = *at};
		if (!inst_is_xprof(at) || !h->xprof)
			return true;
		p->st->xprof_seen = 1;
		if (at->op == OP_PI ? behind_prefix(p, c) : inst_counts(h, at))
			return true;
		if (h->marked == pc)
			h->marked = 0;
		if (c->in.op != OP_PI)
			isa_exec(h, p->ram, &c->in, &done); /* control never traps */
	}
	return false;
}

static void find_access(const struct pipe *p, struct coming *c)
{
	const struct hart *h = p->hart;
	const unsigned op = c->in.op;
	c->flags = inst_flags(&c->in);
	c->size = op_info[op].mem_bytes;
	c->addr = h->r[c->in.rs1] + (uint64_t)(int64_t)c->in.imm;
	if (op < OP_PUSHPF || op > OP_POPPF_ALL || !h->xprof)
		return;
	const bool push = op == OP_PUSHPF || op == OP_PUSHPF_ALL;
	c->flags |= push ? OPF_STORE : OPF_LOAD;
	c->size = 8;
	c->addr = push ? h->pfsp - 8 : h->pfsp;
}

static bool may_write(const struct pipe *p, uint64_t addr, unsigned size)
{
	return (mem_prot_at(p->ram, addr) & (PROT_W | PROT_M)) == PROT_W &&
	       (mem_prot_at(p->ram, addr + size - 1) & (PROT_W | PROT_M)) == PROT_W;
}

/* Whether executing it would trap. What writes no memory is tried on a copy of the hart. */
static bool traps(struct pipe *p, const struct coming *c)
{
	struct hart trial = *p->hart;
	struct exec done;
	if (c->flags & OPF_STORE)
		return ((c->flags & OPF_ATOMIC) && (c->addr & (c->size - 1))) || !may_write(p, c->addr, c->size) ||
		       ((c->flags & OPF_LOAD) && !mem_load(p->ram, c->addr, c->size, &done.addr));
	trial.pc += c->prefix;
	return isa_exec(&trial, p->ram, &c->in, &done) != TRAP_NONE;
}

static bool depends_on_time(const struct inst *in)
{
	const unsigned csr = (unsigned)in->imm;
	return (inst_flags(in) & OPF_CSR) && (csr == CSR_CYCLE || csr == CSR_TIME || csr == CSR_INSTRET || csr_is_counter(csr));
}

static bool touches(const struct pipe *p, uint64_t addr, uint64_t size)
{
	return addr < (uint64_t)p->cfg->vsample_protect_to && addr + size > (uint64_t)p->cfg->vsample_protect_from;
}

/* Why the instruction that comes can't be interpreted. */
static enum vsample_stop obstacle(struct pipe *p, struct coming *c)
{
	if (!find_next(p, c))
		return VSAMPLE_STOP_TRAP;
	find_access(p, c);
	if (touches(p, p->hart->pc, c->prefix + c->in.len) || (c->size && touches(p, c->addr, c->size)))
		return VSAMPLE_STOP_PROTECTED;
	if (c->in.op == OP_ECALL)
		return VSAMPLE_STOP_SYSCALL;
	if (c->in.op == OP_FENCE_I)
		return VSAMPLE_STOP_FENCE;
	if (depends_on_time(&c->in))
		return VSAMPLE_STOP_TIME;
	return traps(p, c) ? VSAMPLE_STOP_TRAP : VSAMPLE_GOES_ON;
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
/* An event of this file's, which belongs to no variant: it asks each time. NULL: nobody wants it. */
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

/* A slot of the pool says what became of it, as of any instruction that has left. */
static struct uop *enter_pool(struct pipe *p, const struct coming *c, uint64_t now)
{
	struct pipe_state *st = p->st;
	const struct vsample_state *v = state_of(p);
	struct uop *u = pipe_uop(p, (uint16_t)take_slot(p));
	const uint64_t asked = v->level ? v->asked : NO_CYCLE;
	*u = (struct uop){
		.seq = st->next_seq++, .pc = p->hart->pc, .inst = c->in,
		.when = {.fetch = v->begun, .avail = v->begun, .dispatch = v->begun, .ready = v->begun, .issue = v->begun, .mem = asked,
		         .done = now, .end = now},
		.op_flags = (uint16_t)(c->flags | (c->prefix ? OPF_XPROF : 0u)), .flags = (uint16_t)(UF_EXECUTED | (v->missed_tlb ? UF_TLB_MISS : 0u)),
		.state = UOP_RETIRED, .prefix_len = (uint16_t)c->prefix, .users = NO_LINK, .mem = {.level = (uint16_t)v->level},
		.at = {NO_SLOT, NO_SLOT, NO_SLOT, FU_NONE, NO_SLOT},
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
	r->latency = (uint32_t)(u->when.done - (u->mem.level != LEVEL_NONE ? u->when.mem : u->when.issue));
	if (p->prof->retired && op_set_has(&p->prof->st->retired, u->inst.op))
		prof_retired(p->prof, r, 1);
}

/* Executes it, and commits it. False if it traps after all, which a change by hand can bring about: nothing has happened. */
static bool execute(struct pipe *p, const struct coming *c, struct retired *r, uint64_t now)
{
	struct hart *h = p->hart;
	struct pipe_state *st = p->st;
	const uint64_t pc = h->pc;
	struct exec done;
	*r = (struct retired){.source = {h->r[c->in.rs1], h->r[c->in.rs2], h->r[c->in.rs3]}, .a0 = h->r[REG_A0]};
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
	st->last_commit_cycle = now;
	tell_commit(p, u);
	return true;
}

/* The record in the handler's memory takes lines there. */
static void write_record(struct pipe *p, uint64_t addr, uint64_t now)
{
	const uint64_t line = (uint64_t)p->cfg->l1d_line, end = addr + sizeof(struct vsample_tuple);
	for (; addr < end; addr = (addr | (line - 1)) + 1)
		store(p, addr, 8, now);
}

static void record(struct pipe *p, const struct vsample_tuple *context, const struct retired *r, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	const struct uop *u = r->u;
	const unsigned capture = p->prof->vsample.capture;
	struct vsample_tuple t = {
		.pc = u->pc, .word = u->inst.raw, .ra = context->ra, .top = context->top, .place = (uint32_t)v->place,
	};
	for (unsigned i = 0; i < 3 && (capture & VSAMPLE_OPERANDS); i++)
		t.operand[i] = r->source[i];
	if ((capture & VSAMPLE_RESULT) && u->inst.rd != REG_SINK)
		t.result = u->result;
	if ((capture & VSAMPLE_ADDRESS) && u->exec.size)
		t.address = u->exec.addr;
	if ((capture & VSAMPLE_LATENCY) && v->level) {
		t.latency = r->latency;
		t.level = (uint32_t)v->level;
	}
	const uint64_t at = vsample_record(p->prof, &t, now);
	if (at)
		write_record(p, at, now);
	v->left--;
	v->phase = VSAMPLE_RECORD;
	v->due = now + (uint64_t)p->cfg->vsample_tuple_cycles + (capture & VSAMPLE_CONTEXT ? (uint64_t)p->cfg->vsample_context_cycles : 0);
}

/* ---- the handler ---- */
static void leave(struct pipe *p, enum vsample_stop stop, uint64_t now)
{
	static const size_t counter[VSAMPLE_STOP_COUNT] = {
#define S(id, name, help) [VSAMPLE_STOP_##id] = offsetof(struct stats, vsample_stop_##name),
		VSAMPLE_STOPS(S)
#undef S
	};
	struct vsample_state *v = state_of(p);
	struct pipe_state *st = p->st;
	struct hart *h = p->hart;
	if (stop != VSAMPLE_GOES_ON) {
		++*(uint64_t *)(void *)((uint8_t *)p->stats + counter[stop]);
		v->stop = stop;
		v->stop_pc = h->pc;
	}
	settle(p);
	h->marked = 0;
	st->fetch_line = UINT64_MAX;
	st->fetch_waits = st->fetch_blocked = 0;
	st->redirect_until = now + 1;
	st->after_trap = BLAME_VSAMPLE;
	v->phase = VSAMPLE_AWAY;
	v->routine_left = 0;
	vsample_begin_interval(p->prof);
}

/* Begins the next instruction, or returns to the program. */
static void begin(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	struct hart *h = p->hart;
	struct coming c;
	enum vsample_stop stop = v->left ? VSAMPLE_GOES_ON : VSAMPLE_STOP_LENGTH;
	if (!stop && p->prof->pending) {
		h->mip = prof_poll(p->prof);
		stop = trap_wanted(h, h->mip) ? VSAMPLE_STOP_INTERRUPT : VSAMPLE_GOES_ON;
	}
	const uint64_t pc = h->pc, flags = h->pflags;
	if (!stop)
		stop = obstacle(p, &c);
	if (stop) { /* before what was passed over: decode is to meet that */
		h->pc = pc;
		h->pflags = flags;
		leave(p, stop, now);
		return;
	}
	settle(p);
	v->pc = h->pc;
	v->begun = now;
	v->level = v->missed_tlb = 0;
	v->routine_left = (uint64_t)p->cfg->vsample_inst_lines;
	v->routine = VSAMPLE_ROUTINES + c.in.op * v->routine_left * (uint64_t)p->cfg->l1i_line;
	load(p, h->pc + c.prefix, c.in.len, now); /* its word; whoever waits for that is among inst_cycles */
	v->phase = VSAMPLE_INST;
	v->due = now + (uint64_t)p->cfg->vsample_inst_cycles;
}

static void wait(struct pipe *p, uint64_t now, uint64_t cycles)
{
	state_of(p)->due = now + cycles;
	p->stats->vsample_memory_cycles += cycles;
}

/* Its time is over: it takes place, and is recorded. */
static void finish(struct pipe *p, const struct coming *c, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	struct hart *h = p->hart;
	struct retired r;
	struct vsample_tuple context = {0};
	if ((c->flags & OPF_STORE) && !hierarchy_store_fits(&p->mem, c->addr, c->size, now)) {
		wait(p, now, 1);
		return;
	}
	if (!v->skip && (p->prof->vsample.capture & VSAMPLE_CONTEXT)) {
		context.ra = h->r[REG_RA];
		if (mem_load(p->ram, h->r[REG_SP], 8, &context.top))
			load(p, h->r[REG_SP], 8, now);
	}
	if (!execute(p, c, &r, now)) {
		leave(p, VSAMPLE_STOP_TRAP, now);
		return;
	}
	if (r.u->exec.stored)
		store(p, r.u->exec.addr, r.u->exec.size, now);
	tell_devices(p, &r);
	if (v->skip) {
		v->skip--;
		v->phase = VSAMPLE_STARTS;
	} else {
		record(p, &context, &r, now);
	}
	v->place++;
}

/* The instruction has been looked at, or its data has come: what there is to do next with it. */
static void go_on(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	struct coming c;
	const enum vsample_stop stop = obstacle(p, &c);
	if (stop || p->hart->pc != v->pc) { /* it was changed by hand */
		v->phase = VSAMPLE_STARTS;
		return;
	}
	if (v->phase == VSAMPLE_LOAD || !(c.flags & OPF_LOAD)) {
		finish(p, &c, now);
		return;
	}
	const struct access a = load(p, c.addr, c.size, now);
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

void interpret_enter(struct pipe *p)
{
	struct vsample_state *v = state_of(p);
	struct pipe_state *st = p->st;
	const uint64_t now = st->cycle;
	pipe_squash(p, 0, st->commit_pc, now + 1);
	assert(!st->mark_next); /* fetch would begin at the mark */
	v->since = now;
	v->sampled_pc = st->commit_pc;
	v->left = v->skip = v->place = 0;
	v->code_lines = v->data_lines = v->routine_left = 0;
	v->phase = VSAMPLE_ENTERED;
	v->due = now + (uint64_t)p->cfg->vsample_interrupt_cycles;
	if (!vsample_counts_down(p->prof))
		return;
	v->left = (uint64_t)p->cfg->vsample_length;
	v->skip = vsample_draw_skip(p->prof);
}

/* The phase that ends in this cycle leads to the next. */
static void turn(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = state_of(p);
	switch ((enum vsample_phase)v->phase) {
	case VSAMPLE_ENTERED:
		if (!v->left) {
			leave(p, VSAMPLE_GOES_ON, now);
			return;
		}
		v->phase = VSAMPLE_STARTS;
		v->due = now + (uint64_t)p->cfg->vsample_start_cycles;
		return;
	case VSAMPLE_INST:
	case VSAMPLE_LOAD:
		go_on(p, now);
		return;
	default:
		begin(p, now);
	}
}

void interpret_cycle(struct pipe *p)
{
	struct vsample_state *v = state_of(p);
	const uint64_t now = p->st->cycle;
	assert(!p->st->rob_count && !p->st->fetchq_count);
	p->stats->vsample_cycles++;
	p->stats->cpi_vsample += p->commit_width;
	touch(p, now);
	while (v->phase != VSAMPLE_AWAY && v->due <= now)
		turn(p, now);
	if (v->phase != VSAMPLE_AWAY)
		p->st->redirect_until = v->due + 1; /* not before */
}
