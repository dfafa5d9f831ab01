/* Execution without timing, in two loops. The fast one (functional_priv.h) handles no traps, system
 * registers or system calls. It returns with h->pc at an instruction that it can't execute; the
 * outer loop here then executes it by isa_exec(), which either succeeds or reports the trap. */
#include "core/isa/functional.h"

#include "core/isa/fp_fast.h"
#include "core/isa/functional_priv.h"
#include "core/isa/profile_inst.h"
#include "core/mem/mem.h"

enum { POLL_INSTS = 100000 }; /* instructions between two polls of *stop */

static void functional_count_insts(struct hart *h, uint64_t insts)
{
	h->instret += insts;
	h->cycle += insts;
}

/* Skips the prefix `in` and replaces *in by the instruction after it. False if that instruction is
 * not executed now: it is dropped, takes no prefix, or can't be fetched, which the next step
 * detects. */
static bool functional_skip_prefix(struct hart *h, struct mem *mem, struct inst *in)
{
	uint64_t types = profile_types(in);
	h->pc += in->len;
	const struct inst *at = mem_fetch(mem, h->pc);
	if (!at || inst_is_xprof(at))
		return false;
	*in = *at;
	if (h->pflags & types)
		return true;
	h->pc += in->len;
	return false;
}

/* Executes one instruction with all checks; *in receives a copy of it. */
static enum trap functional_step_inst(struct hart *h, struct mem *mem,
                                      const struct functional_env *env, uint64_t *fault_addr,
                                      struct inst *in, struct exec *done)
{
	const struct inst *at = mem_fetch(mem, h->pc);
	if (!at) {
		*fault_addr = h->pc;
		return h->pc & 1 ? TRAP_FETCH_ALIGN : TRAP_FETCH_FAULT;
	}
	*in = *at;
	*done = (struct exec){0};
	if (in->op == OP_PI && h->xprof && h->mode == MODE_U && !functional_skip_prefix(h, mem, in))
		return TRAP_NONE;
	if (in->klass == CLASS_SYSTEM) {
		h->time = (h->cycle + h->slept) / env->time_div;
		if (env->before_system)
			env->before_system(env->ctx, h, in);
	}
	enum trap trap = isa_exec(h, mem, in, done);
	if (done->unreached && trap == TRAP_NONE && env->unreached)
		++*env->unreached;
	if (trap != TRAP_NONE)
		*fault_addr = done->addr;
	else if (inst_counts(h, in))
		functional_count_insts(h, 1);
	return trap;
}

/* tap: notified of the operations in its set; NULL: none. */
static inline enum trap functional_run_insts(struct hart *h, struct mem *mem, uint64_t max,
                                             const struct functional_env *env,
                                             const volatile bool *stop, uint64_t *fault_addr,
                                             const struct functional_tap *tap)
{
	struct inst in;
	struct exec done;
	enum trap trap = TRAP_NONE;
	bool stopped = false;
	uint64_t end = h->instret + max;
	while (trap == TRAP_NONE && h->instret != end && !stopped && !(stop && *stop)) {
		uint64_t left = end - h->instret;
		if (left >= PAGE_PARCELS) {
			uint64_t budget = left < POLL_INSTS ? left : POLL_INSTS;
			uint64_t ran = tap ? functional_loop_tapped(h, mem, budget, tap, &stopped)
			               : FP_FAST_HAS_FMA ? functional_loop_fma(h, mem, budget)
			                                 : functional_loop(h, mem, budget);
			functional_count_insts(h, ran);
			h->ahead = 0;
			if (stopped || budget - ran < PAGE_PARCELS)
				continue;
		}
		const uint64_t pc = h->pc, before = h->instret;
		trap = functional_step_inst(h, mem, env, fault_addr, &in, &done);
		if (tap && h->instret != before && op_set_has(&tap->ops, in.op))
			stopped = tap->inst(tap->ctx, pc, &in, &done);
	}
	h->time = (h->cycle + h->slept) / env->time_div;
	return trap;
}

enum trap functional_run(struct hart *h, struct mem *mem, uint64_t max,
                         const struct functional_env *env, const volatile bool *stop,
                         uint64_t *fault_addr)
{
	return functional_run_insts(h, mem, max, env, stop, fault_addr, NULL);
}

enum trap functional_run_tapped(struct hart *h, struct mem *mem, uint64_t max,
                                const struct functional_env *env, const volatile bool *stop,
                                uint64_t *fault_addr, const struct functional_tap *tap)
{
	return functional_run_insts(h, mem, max, env, stop, fault_addr, tap);
}

enum trap functional_run_warm(struct hart *h, struct mem *mem, uint64_t max,
                              const struct functional_env *env, uint64_t *fault_addr,
                              struct functional_warm *warm, const struct functional_tap *tap)
{
	struct inst in;
	struct exec done;
	enum trap trap = TRAP_NONE;
	bool stopped = false;
	const uint64_t end = h->instret + max;
	while (trap == TRAP_NONE && h->instret != end && !stopped) {
		if (end - h->instret >= warm->margin)
			functional_count_insts(
				h, functional_loop_warm(h, mem, end - h->instret, warm));
		if (h->instret == end)
			break;
		const uint64_t pc = h->pc, before = h->instret;
		const struct inst *at = mem_fetch(mem, pc);
		if (at && warm->fetched != pc)
			warm->fetch(warm, pc, at->len);
		warm->fetched = UINT64_MAX;
		trap = functional_step_inst(h, mem, env, fault_addr, &in, &done);
		if (h->instret != before) {
			stopped = tap->inst(tap->ctx, pc, &in, &done);
			warm->insts++;
		}
	}
	h->time = h->cycle / env->time_div;
	return trap;
}

enum trap functional_run_steps(struct hart *h, struct mem *mem, uint64_t max,
                               const struct functional_env *env, const volatile bool *stop,
                               uint64_t *fault_addr, const struct functional_tap *tap)
{
	struct inst in;
	struct exec done;
	enum trap trap = TRAP_NONE;
	bool stopped = false;
	const uint64_t end = h->instret + max;
	while (h->instret != end && trap == TRAP_NONE && !stopped) {
		const uint64_t pc = h->pc, before = h->instret;
		if ((end - before) % POLL_INSTS == 0 && stop && *stop)
			break;
		trap = functional_step_inst(h, mem, env, fault_addr, &in, &done);
		if (h->instret != before && op_set_has(&tap->ops, in.op))
			stopped = tap->inst(tap->ctx, pc, &in, &done);
	}
	h->time = (h->cycle + h->slept) / env->time_div;
	return trap;
}
