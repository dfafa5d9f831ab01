/* Two loops. The fast one (functional_loop.inc) walks decoded records of one page after the other, jumping from body to
 * body through a table of labels; it knows no traps, system registers or system calls. Whatever it can't do, it leaves
 * undone and returns with h->pc there; the outer loop then does one step through isa_exec(), which either
 * succeeds or reports the trap. The fast loop is compiled for each case: somebody wants to know of some instructions or
 * nobody does, and the host has an instruction that multiplies and adds or not.
 *
 * Instructions are counted on the way, but whether the count is used up is asked only where control goes
 * elsewhere: between two such places lies at most one page of code. So the fast loop stops a page early and
 * the last instructions of a budget are single steps. */
#include "core/isa/functional.h"

#include "core/isa/alu.h"
#include "core/isa/followers.h"
#include "core/isa/fp.h"
#include "core/isa/fp_fast.h"
#include "core/mem/mem.h"

enum {
	PAGE_PARCELS = PAGE_BYTES / 2,
	POLL_INSTS = 100000, /* instructions between two looks at *stop */
	RECORD_BYTES = sizeof(struct inst),
	LEN_half = 2,
	LEN_full = 4
};
static_assert(RECORD_BYTES == 8 * 2, "a byte of code is 8 bytes of records");

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* op and length of a record as one index; see the order of struct inst. */
#define FORM(op, len) ((op) | (len) << 8)
#define FORM_COUNT FORM(256, 4)

static inline unsigned form_of(const struct inst *in)
{
	uint16_t form;
	memcpy(&form, in, sizeof(form));
	return form;
}

static inline const struct inst *record_at(const struct inst *in, int64_t code_bytes)
{
	return (const struct inst *)(const void *)((const char *)in + code_bytes * 8);
}

/* The byte of code that a record stands for, counted from the first record. */
static inline uint64_t code_offset(const struct inst *first, const struct inst *in)
{
	return (uint64_t)((const char *)in - (const char *)first) / 8;
}

/* ---- the words of rv64.def; the others are in functional_loop.inc, which defines LEN around each inclusion ---- */
#define RS1 (r[in->rs1])
#define RS2 (r[in->rs2])
#define RS3 (r[in->rs3])
#define S1 fp_unbox(RS1)
#define S2 fp_unbox(RS2)
#define S3 fp_unbox(RS3)
#define IMM ((uint64_t)(int64_t)in->imm)
#define PC (page + code_offset(first, in))
#define NEXT (PC + LEN)
#define FLAGS (&h->fcsr)
#define WRITE(v) (r[in->rd] = (v))
#define WRITE_S(v) WRITE(fp_box(v))

/* Each runs until about `budget` instructions (at least PAGE_PARCELS) are done or one needs a step; returns how many were
 * done. Leaves h->instret and its kin to the caller. */
#define RUN run_fast
#define TAPPED 0
#define HAS_FMA false
#define TARGET
#include "core/isa/functional_loop.inc"

/* The same for a host with instructions that multiply and add. */
#ifdef __x86_64__
#define RUN run_fast_fma
#define TAPPED 0
#define HAS_FMA true
#define TARGET __attribute__((target("fma")))
#include "core/isa/functional_loop.inc"
#else
#define run_fast_fma run_fast
#define FP_FAST_HAS_FMA false
#endif

/* The same, and tells `tap`; *stopped, false at first, becomes true when it wants to stop. */
#define RUN run_tapped
#define TAPPED 1
#define HAS_FMA false
#define TARGET
#include "core/isa/functional_loop.inc"

static void credit(struct hart *h, uint64_t insts)
{
	h->instret += insts;
	h->cycle += insts;
}

/* Behind the prefix `in`: the instruction that it is fused with. False if that is not to be executed now: it is dropped,
 * belongs to nobody, or can't be fetched, which the next step finds out. */
static bool behind_prefix(struct hart *h, struct mem *mem, struct inst *in)
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

/* One instruction the careful way; `in` receives a copy of what was executed. */
static enum trap step(struct hart *h, struct mem *mem, const struct functional_env *env, uint64_t *fault_addr, struct inst *in,
                      struct exec *done)
{
	const struct inst *at = mem_fetch(mem, h->pc);
	if (!at) {
		*fault_addr = h->pc;
		return h->pc & 1 ? TRAP_FETCH_ALIGN : TRAP_FETCH_FAULT;
	}
	*in = *at;
	*done = (struct exec){0};
	if (in->op == OP_PI && h->xprof && h->mode == MODE_U && !behind_prefix(h, mem, in))
		return TRAP_NONE;
	if (in->klass == CLASS_SYSTEM) {
		h->time = h->cycle / env->time_div;
		if (env->before_system)
			env->before_system(env->ctx, h, in);
	}
	enum trap trap = isa_exec(h, mem, in, done);
	if (trap != TRAP_NONE)
		*fault_addr = done->addr;
	else if (inst_counts(h, in))
		credit(h, 1);
	return trap;
}

/* tap: NULL, or who is told of the operations in its set. */
static inline enum trap run(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                            const volatile bool *stop, uint64_t *fault_addr, const struct functional_tap *tap)
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
			uint64_t ran = tap             ? run_tapped(h, mem, budget, tap, &stopped)
			               : FP_FAST_HAS_FMA ? run_fast_fma(h, mem, budget)
			                                 : run_fast(h, mem, budget);
			credit(h, ran);
			h->ahead = 0;
			if (stopped || budget - ran < PAGE_PARCELS)
				continue;
		}
		const uint64_t pc = h->pc, before = h->instret;
		trap = step(h, mem, env, fault_addr, &in, &done);
		if (tap && h->instret != before && op_set_has(&tap->ops, in.op))
			stopped = tap->inst(tap->ctx, pc, &in, &done);
	}
	h->time = h->cycle / env->time_div;
	return trap;
}

enum trap functional_run(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                         const volatile bool *stop, uint64_t *fault_addr)
{
	return run(h, mem, max, env, stop, fault_addr, NULL);
}

enum trap functional_run_tapped(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                                const volatile bool *stop, uint64_t *fault_addr, const struct functional_tap *tap)
{
	return run(h, mem, max, env, stop, fault_addr, tap);
}

enum trap functional_run_steps(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                               const volatile bool *stop, uint64_t *fault_addr, const struct functional_tap *tap)
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
		trap = step(h, mem, env, fault_addr, &in, &done);
		if (h->instret != before && op_set_has(&tap->ops, in.op))
			stopped = tap->inst(tap->ctx, pc, &in, &done);
	}
	h->time = h->cycle / env->time_div;
	return trap;
}
