/* Execution without timing: the program's instructions and firmware's, from the same table as in
 * the pipeline. Each takes a cycle. */
#include "core/defs/stats_fields.h"
#include "core/host/arriving_signals.h"
#include "core/isa/csr.h"
#include "core/isa/functional.h"
#include "core/isa/op.h"
#include "core/machine/machine_priv.h"
#include "core/machine/run_blocks.h"
#include "core/os/thread.h"
#include "core/pipe/invariants.h"
#include "core/pipe/new_code.h"
#include "core/pipe/warm.h"
#include "core/pipe/xprof/xprof.h"
#include "core/trap/trap.h"

enum { CHUNK = 10000000, /* instructions between checks of the interrupt flag */
       MANY = 100 /* instructions after which debug builds check everything */ };

void machine_adopt_hart(struct machine *m)
{
	struct pipe_state *st = m->pipe.st;
	const struct hart *h = m->pipe.hart;
	memcpy(st->creg, h->r, sizeof st->creg);
	st->creg[REG_SINK] = 0;
	st->cfcsr = h->fcsr;
	(void)pipe_new_code(&m->pipe, NULL);
	xprof_adopt(&m->pipe);
	st->commit_pc = st->fetch_pc = h->pc;
	st->signals_at = m->os_port.signals_due(m);
	pipe_drop_line(st);
}

static void machine_func_raise_fault(struct machine *m, enum trap trap, uint64_t addr)
{
	uint64_t pc = m->pipe.hart->pc;
	const struct inst *in = mem_fetch(m->mem, pc);
	struct outcome *out = &m->pipe.st->outcome;
	*out = (struct outcome){
		.status = MACHINE_FAULTED,
		.exit_status = 128 + trap_signal(trap),
		.fault = {.trap = trap, .pc = pc, .addr = addr},
	};
	if (in)
		out->fault.inst = *in;
}

static bool tell_devices(struct machine *m, uint64_t pc, const struct inst *in,
                         const struct exec *done, uint64_t mode)
{
	struct hart *h = m->pipe.hart;
	const struct executed e = {
		.pc = pc,
		.in = in,
		.done = done,
		.h = h,
		.result = h->r[in->rd],
		.now = m->prof.functional_from + h->instret + h->ahead,
		.machine = mode == MODE_M,
		.marked = h->marked == pc,
	};
	if (e.marked)
		h->marked = 0;
	return prof_executed(&m->prof, &e);
}

/* Reports an instruction to devices, the tap's only receivers. */
static bool format_inst(void *ctx, uint64_t pc, const struct inst *in, const struct exec *done)
{
	struct machine *m = ctx;
	return tell_devices(m, pc, in, done, m->pipe.hart->mode);
}

/* State for warming, one instruction at a time. */
struct warm_steps {
	struct machine *m;
	bool counts; /* its `insts` are the program's, system calls included */
	struct pipe_warm warm;
};

static bool warm_inst(void *ctx, uint64_t pc, const struct inst *in, const struct exec *done)
{
	struct warm_steps *s = ctx;
	struct machine *m = s->m;
	struct functional_warm *w = &s->warm.follows;
	const bool stop = m->prof.executed && op_set_has(prof_wanted(&m->prof), in->op) &&
	                  format_inst(m, pc, in, done);
	const unsigned flags = inst_flags(in);
	const struct inst *first = mem_fetch(m->mem, pc);
	/* The predictor ignores prefixes. */
	if (first && first->op == OP_PI) {
		pc += first->len;
		w->fetch(w, pc, in->len);
	}
	const bool accessed = done->size && !done->unreached;
	if (accessed && (!done->stored || (flags & OPF_LOAD)))
		w->data(w, pc, done->addr, done->size, false);
	if (accessed && done->stored)
		w->data(w, pc, done->addr, done->size, true);
	if (flags & OPF_BRANCH)
		w->branch(w->predictor, pc, in, done->taken, done->next_pc, w->insts);
	else if (flags & OPF_JUMP)
		w->jump(w->predictor, pc, in, true, done->next_pc, w->insts);
	return stop;
}

static uint64_t machine_func_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of `left`, the number of instructions that may be executed before the next check; at least 1,
 * unless left is 0. */
static uint64_t machine_func_chunk_insts(const struct machine *m, uint64_t left)
{
	uint64_t now = machine_guest_cycle(m), insts = prof_insts(&m->prof);
	left = machine_func_min_u64(machine_func_min_u64(left, CHUNK),
	                            journal_next_change(&m->journal) - now);
	if (m->pipe.hart->mode == MODE_U)
		left = machine_func_min_u64(left, os_slice_end(m->os) - now);
	const uint64_t due = os_signals_due(m->os);
	left = machine_func_min_u64(left, due > now ? due - now : 1);
	/* a plug-in that fails stops the machine after the instruction */
	if (m->pipe.plugins.warming)
		return machine_func_min_u64(left, 1);
	if (!m->prof.pending)
		return left;
	/* Firmware is short, and may let interrupts through at any time. */
	if (m->pipe.hart->mode == MODE_M)
		return machine_func_min_u64(left, 1);
	uint64_t cycle = prof_next_cycle(&m->prof), inst = m->prof.st->next_inst;
	if (cycle > now)
		left = machine_func_min_u64(left, cycle - now);
	if (inst > insts)
		left = machine_func_min_u64(left, inst - insts);
	return left;
}

/* Adds executed instructions to the statistics, in the mode of h. */
static void machine_func_count_insts(struct machine *m, uint64_t mode, uint64_t insts)
{
	m->stats->functional_cycles += insts;
	if (mode == MODE_M)
		m->stats->firmware_insts += insts;
	else
		m->stats->functional_insts += insts;
}

/* Updates statistics, which lag h->cycle and h->instret while instructions run, before an
 * instruction that may read them as counters. */
static void before_system(void *ctx, struct hart *h, const struct inst *in)
{
	struct machine *m = ctx;
	prof_catch_up(&m->prof, UINT64_MAX);
	if ((inst_flags(in) & OPF_CSR) && csr_is_counter((unsigned)in->imm)) {
		const uint64_t ahead = h->instret - m->stats->functional_insts - m->stats->insts;
		machine_func_count_insts(m, h->mode, ahead);
		stat_fill_counter(m->stats, h, (unsigned)in->imm, &m->pipe.memo);
		machine_func_count_insts(m, h->mode, -ahead);
	}
	if (m->prof.pending)
		h->mip = prof_pending(&m->prof);
}

/* Firmware waits: advances time to the next interrupt of a device. False if none will ever come. */
static bool wait_for_interrupt(struct machine *m)
{
	struct hart *h = m->pipe.hart;
	while (!(prof_pending(&m->prof) & h->mie)) {
		uint64_t now = machine_guest_cycle(m), next = prof_next_cycle(&m->prof);
		if (next == UINT64_MAX || next <= now)
			return false;
		m->stats->functional_cycles += next - now;
	}
	return true;
}

/* Does firmware's load or store at a device's register. False if addr is no register. */
static bool machine_func_access_device(struct machine *m, uint64_t addr)
{
	struct hart *h = m->pipe.hart;
	const struct inst *in = mem_fetch(m->mem, h->pc);
	unsigned flags = in ? inst_flags(in) : 0;
	if (h->mode != MODE_M || (flags & OPF_ATOMIC) || !(flags & OPF_MEMORY) ||
	    !prof_register_at(&m->prof, addr, op_info[in->op].mem_bytes))
		return false;
	if (flags & OPF_STORE)
		prof_write(&m->prof, addr, h->r[in->rs2]);
	else
		h->r[in->rd] = prof_read(&m->prof, addr);
	h->pc += in->len;
	return true;
}

/* Lets signals act between two instructions, as in the pipeline. */
static void machine_func_deliver_signals(struct machine *m)
{
	struct hart *h = m->pipe.hart;
	const uint64_t now = machine_guest_cycle(m);
	if (os_signals_due(m->os) > now || h->mode != MODE_U || !os_signals_wanted(m->os, now))
		return;
	h->cycle = now;
	os_signals_deliver(m->os, h, m->mem);
	machine_tell_streams(m, false);
	machine_ended(m, &m->pipe.st->outcome);
}

/* Enters the program's handler for a fault; false if it has none. */
static bool is_caught(struct machine *m, enum trap trap, uint64_t addr)
{
	struct hart *h = m->pipe.hart;
	if (h->mode != MODE_U || !os_catches(m->os, h, h->pc, trap, addr))
		return false;
	h->cycle = machine_guest_cycle(m);
	os_fault(m->os, h, m->mem, trap, addr);
	machine_tell_streams(m, false);
	machine_ended(m, &m->pipe.st->outcome);
	return true;
}

/* Reports to devices an instruction that trapped and has now been done. */
static void tell_served(struct machine *m, uint64_t pc, const struct inst *in, uint64_t mode,
                        uint64_t next_pc)
{
	const struct exec done = {.next_pc = next_pc};
	if (m->prof.executed)
		tell_devices(m, pc, in, &done, mode);
}

/* Counts a switch, without delay, to another thread. */
static void machine_func_on_thread_switch(struct machine *m)
{
	m->stats->os_switches++;
	m->pipe.st->thread = machine_thread(m);
	thread_stats_switched(m, 0);
}

/* Serves an instruction that trapped. False if it must be tried again later: host memory was out,
 * or a call was interrupted. */
static bool machine_func_serve_trap(struct machine *m, enum trap trap, uint64_t addr)
{
	struct hart *h = m->pipe.hart;
	struct outcome *out = &m->pipe.st->outcome;
	const uint64_t mode = h->mode, pc = h->pc;
	/* a store without memory; or a call, which needs the whole reserve */
	if (m->scarce.what)
		return false;
	const struct inst *at = mem_fetch(m->mem, pc);
	const struct inst in = at ? *at : (struct inst){0};
	switch (trap) {
	case TRAP_ECALL:
		pipe_set_counters(&m->pipe, mem_fetch(m->mem, h->pc));
		if (!os_syscall(m->os, h, m->mem))
			return false;
		m->stats->syscalls++;
		machine_tell_streams(m, true);
		if (os_switched(m->os))
			machine_func_on_thread_switch(m);
		machine_ended(m, out);
		break;
	case TRAP_ZERO:
		if (!zero_block(m->mem, addr))
			return false;
		h->pc += 4;
		break;
	case TRAP_MRET:
		trap_return(h, m->mem);
		break;
	case TRAP_WFI:
		if (!wait_for_interrupt(m)) {
			machine_func_raise_fault(m, TRAP_NO_INTERRUPT, 0);
			return true;
		}
		h->pc += 4;
		break;
	default:
		if (is_caught(m, trap, addr))
			return true;
		if (machine_func_access_device(m, addr))
			break;
		machine_func_raise_fault(m, trap, addr);
		return true;
	}
	machine_func_count_insts(m, mode, 1);
	thread_stats_credit(m, 0);
	tell_served(m, pc, &in, mode, trap == TRAP_ECALL ? pc + 4 : h->pc);
	prof_tell_streams(&m->prof);
	return true;
}

/* Ends the running thread's slice: another may take its turn. */
static void machine_func_end_time_slice(struct machine *m)
{
	struct hart *h = m->pipe.hart;
	h->cycle = machine_guest_cycle(m);
	if (!os_take_turns(m->os, h, m->mem))
		return;
	machine_tell_streams(m, false);
	m->stats->os_slices++;
	machine_func_on_thread_switch(m);
	thread_stats_credit(m, 0);
	machine_ended(m, &m->pipe.st->outcome);
}

/* Takes interrupts between two instructions, as in the pipeline. */
static void take_interrupt(struct machine *m)
{
	struct hart *h = m->pipe.hart;
	h->mip = prof_poll(&m->prof);
	uint64_t wanted = trap_wanted(h, h->mip);
	if (!wanted)
		return;
	trap_enter(h, m->mem, wanted);
	m->stats->firmware_interrupts++;
}

static enum trap execute_warm(struct warm_steps *steps, uint64_t n,
                              const struct functional_env *env, uint64_t *fault_addr)
{
	const struct functional_tap tap = {.inst = warm_inst, .ctx = steps};
	return functional_run_warm(steps->m->pipe.hart, steps->m->mem, n, env, fault_addr,
	                           &steps->warm.follows, &tap);
}

/* Runs the fastest loop that reports instructions to all devices and plug-ins that need them. warm:
 * NULL, or state for training caches and predictors. */
static enum trap machine_func_execute_insts(struct machine *m, uint64_t n, struct warm_steps *warm,
                                            uint64_t *fault_addr)
{
	const struct functional_env env = {config_time_div(&m->cfg), before_system, m,
	                                   &m->stats->xprof_unreached};
	struct hart *h = m->pipe.hart;
	struct functional_tap tap = {.inst = format_inst, .ctx = m};
	if (warm)
		return execute_warm(warm, n, &env, fault_addr);
	if (m->prof.executed)
		tap.ops = *prof_wanted(&m->prof);
	return op_set_is_empty(&tap.ops)
	               ? functional_run(h, m->mem, n, &env, NULL, fault_addr)
	               : functional_run_tapped(h, m->mem, n, &env, NULL, fault_addr, &tap);
}

/* follow: NULL, or the state to warm. */
static uint64_t machine_func_run_loop(struct machine *m, uint64_t n, struct warm_steps *follow)
{
	struct hart *h = m->pipe.hart;
	struct pipe_state *st = m->pipe.st;
	static const struct inst nothing;
	uint64_t first = m->stats->functional_insts;
	assert(!st->rob_count && !st->fetchq_count);
	m->pipe.plugins.untimed = true;
	m->prof.functional = true;

	for (;;) {
		arriving_signals_take();
		if (changes_due(m)) {
			machine_adopt_hart(m);
			if (!changes_catch_up(m))
				break;
		}
		if (machine_guest_cycle(m) >= os_slice_end(m->os) && h->mode == MODE_U &&
		    st->outcome.status == MACHINE_RUNNING)
			machine_func_end_time_slice(m);
		uint64_t addr = 0, left = machine_func_chunk_insts(
					   m, n - (m->stats->functional_insts - first));
		if (!left || st->outcome.status != MACHINE_RUNNING || !machine_goes_on(m))
			break;
		if (m->prof.pending)
			take_interrupt(m);
		machine_func_deliver_signals(m);
		if (st->outcome.status != MACHINE_RUNNING)
			break;
		left = machine_func_chunk_insts(m, left);
		pipe_set_counters(&m->pipe, &nothing);
		uint64_t before = h->instret, mode = h->mode;
		m->prof.functional_from = machine_guest_cycle(m) - before;
		if (follow && follow->counts)
			follow->warm.follows.insts = m->stats->functional_insts;
		enum trap trap = machine_func_execute_insts(m, left, follow, &addr);
		prof_catch_up(&m->prof, UINT64_MAX);
		machine_func_count_insts(m, mode, h->instret - before);
		if (trap != TRAP_NONE && !machine_func_serve_trap(m, trap, addr) && !m->interrupt)
			break;
	}
	prof_catch_up(&m->prof, UINT64_MAX);
	m->pipe.plugins.untimed = m->prof.functional = false;
	prof_changed(&m->prof); /* with timing, counting starts here */
	machine_adopt_hart(m);
#ifdef CYCLOPS_CHECK
	if (m->stats->functional_insts - first > MANY)
		pipe_check_all(&m->pipe);
#endif
	return m->stats->functional_insts - first;
}

uint64_t machine_run_functional(struct machine *m, uint64_t n, bool warm)
{
	struct warm_steps steps = {.m = m};
	if (!warm)
		return machine_func_run_loop(m, n, NULL);
	pipe_warm_begin(&steps.warm, &m->pipe);
	/* Report each instruction to devices and plug-ins, which may end the run after it. */
	if (m->pipe.plugins.any || m->prof.executed)
		steps.warm.follows.margin = UINT64_MAX;
	m->pipe.plugins.warming = m->pipe.plugins.any;
	const uint64_t done = machine_func_run_loop(m, n, &steps);
	m->pipe.plugins.warming = false;
	pipe_warm_end(&steps.warm);
	return done;
}

/* ---- from block to block ---- */
struct blocks {
	struct warm_steps steps;
	machine_control_fn *fn;
	void *ctx;
};

/* Once per page: the least frequent this can be done. */
static void no_fetch(struct functional_warm *w, uint64_t pc, unsigned bytes)
{
	w->code_line = (pc + bytes - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

static void no_data(struct functional_warm *w, uint64_t pc, uint64_t addr, unsigned size,
                    bool store)
{
	(void)w;
	(void)pc;
	(void)addr;
	(void)size;
	(void)store;
}

static void tell_control(void *ctx, uint64_t pc, const struct inst *in, bool taken, uint64_t next,
                         uint64_t insts)
{
	const struct blocks *b = ctx;
	(void)in;
	(void)taken;
	(void)next;
	b->fn(b->ctx, pc, insts);
}

uint64_t machine_run_blocks(struct machine *m, uint64_t n, machine_control_fn *fn, void *ctx)
{
	struct blocks b = {.steps = {.m = m, .counts = true}, .fn = fn, .ctx = ctx};
	struct functional_warm *w = &b.steps.warm.follows;
	*w = (struct functional_warm){
		.code_line = UINT64_MAX,
		.code_bytes = PAGE_BYTES,
		.margin = PAGE_BYTES / 2 + 2,
		.fetched = UINT64_MAX,
		.fetch = no_fetch,
		.data = no_data,
		.branch = tell_control,
		.jump = tell_control,
		.predictor = &b,
	};
	for (unsigned size = 0; size <= 8; size++)
		w->data_room[size] = UINT64_MAX;
	return machine_func_run_loop(m, n, &b.steps);
}
