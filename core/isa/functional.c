/* Two loops. The fast one walks decoded records of one page after the other, jumping from body to body through
 * a table of labels; it knows no traps, system registers or system calls. Whatever it can't do, it leaves
 * undone and returns with h->pc there; the outer loop then does one step through isa_exec(), which either
 * succeeds or reports the trap.
 *
 * Instructions are counted on the way, but whether the count is used up is asked only where control goes
 * elsewhere: between two such places lies at most one page of code. So the fast loop stops a page early and
 * the last instructions of a budget are single steps. */
#include "core/isa/functional.h"

#include "core/isa/alu.h"
#include "core/isa/fp.h"
#include "core/mem/mem.h"

enum {
	PAGE_PARCELS = PAGE_BYTES / 2,
	POLL_INSTS = 100000, /* instructions between two looks at *stop */
	RECORD_BYTES = sizeof(struct inst)
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

/* ---- the words of rv64.def; LEN is defined around each inclusion ---- */
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
#define DISPATCH goto *labels[form_of(in)]
#define LEAVE_TO_STEP \
	do { \
		pc = PC; \
		goto leave; \
	} while (0)
#define TRAP(t) LEAVE_TO_STEP
#define CSR(written, value) LEAVE_TO_STEP
#define LOAD(n) \
	uint64_t loaded; \
	if (UNLIKELY(!mem_load(mem, RS1 + IMM, n, &loaded))) \
		LEAVE_TO_STEP
/* The slow path may drop the page that `in` lies in, so nothing of it is used afterwards. */
#define STORE(n, v) \
	uint64_t at = RS1 + IMM; \
	if (UNLIKELY(!mem_store_fast(mem, at, n, v))) { \
		pc = PC; \
		if (!mem_store_slow(mem, at, n, v)) \
			goto leave; \
		pc += LEN; \
		left--; \
		goto enter; \
	}
#define AMO(n, v) \
	uint64_t at = RS1; \
	uint64_t loaded; \
	if (UNLIKELY((at & ((n) - 1)) != 0 || !mem_load(mem, at, n, &loaded) || !mem_store_fast(mem, at, n, v))) \
		LEAVE_TO_STEP
#define LOAD_RESERVED(n) \
	uint64_t at = RS1; \
	uint64_t loaded; \
	if (UNLIKELY((at & ((n) - 1)) != 0 || !mem_load(mem, at, n, &loaded))) \
		LEAVE_TO_STEP; \
	h->reserved = at
#define STORE_CONDITIONAL(n) \
	uint64_t at = RS1; \
	if (UNLIKELY((at & ((n) - 1)) != 0 || h->reserved != at || !mem_store_fast(mem, at, n, RS2))) \
		LEAVE_TO_STEP; \
	h->reserved = RESERVED_NONE; \
	WRITE(0)
#define BRANCH(condition) \
	if (condition) \
		GO_NEAR()
/* Within the page, a jump is pointer arithmetic. */
#define GO_NEAR() \
	do { \
		const struct inst *to = record_at(in, in->imm); \
		left--; \
		if (UNLIKELY(code_offset(first, to) >= PAGE_BYTES || left < PAGE_PARCELS)) { \
			pc = PC + IMM; \
			goto enter; \
		} \
		in = to; \
		DISPATCH; \
	} while (0)
#define GO(address) \
	do { \
		pc = (address); \
		left--; \
		goto enter; \
	} while (0)
#define ROUND \
	unsigned rm = in->rm == FRM_DYN ? (unsigned)(h->fcsr >> 5) & 7 : in->rm; \
	if (UNLIKELY(rm > FRM_RMM)) \
		LEAVE_TO_STEP
/* ---- Xprof: what only acts at decode is not counted ---- */
#define XPROF (h->xprof && h->mode == MODE_U)
#define PROFILE_TYPES profile_types(in)
#define CONTROL() \
	if (XPROF) \
		left++
#define SET_FLAGS(flags) \
	if (XPROF) { \
		left++; \
		h->pflags = (flags); \
	}
#define PUSH_FLAGS() \
	if (XPROF) \
		LEAVE_TO_STEP
#define POP_FLAGS() PUSH_FLAGS()
#define PREFIX() \
	if (XPROF) { \
		const struct inst *next = in + LEN / 2; \
		if (UNLIKELY(next >= first + PAGE_PARCELS || !next->len)) \
			LEAVE_TO_STEP; \
		left++; \
		if (!(h->pflags & PROFILE_TYPES) && !inst_is_xprof(next)) \
			in += next->len / 2; \
	}

/* Runs until about `budget` instructions (at least PAGE_PARCELS) are done or one needs a step; returns how many
 * were done. Leaves h->instret and its kin to the caller. */
static uint64_t run_fast(struct hart *h, struct mem *mem, uint64_t budget)
{
	static const void *const labels[FORM_COUNT] = {
		[FORM(OP_ILLEGAL, 0)] = &&undecoded,
		[FORM(OP_ILLEGAL, 2)] = &&step,
		[FORM(OP_ILLEGAL, 4)] = &&step,
		/* A record dropped by a store keeps its op. */
#define OP(id, ...) \
	[FORM(OP_##id, 0)] = &&undecoded, [FORM(OP_##id, 2)] = &&half_##id, [FORM(OP_##id, 4)] = &&full_##id,
#include "core/isa/rv64.def"
	};
	uint64_t *const r = h->r;
	int64_t left = (int64_t)budget;
	const struct inst *first;
	const struct inst *in;
	uint64_t page; /* address of the page whose records start at `first` */
	uint64_t pc = h->pc;

enter: {
	const struct mem_code *code = &((struct mem_head *)(void *)mem)->code[(pc >> PAGE_LOG2) & (MEM_CODE - 1)];
	if (UNLIKELY(left < PAGE_PARCELS || (pc & 1)))
		goto leave;
	if (UNLIKELY(code->page != pc >> PAGE_LOG2) && (!mem_fetch_slow(mem, pc) || code->page != pc >> PAGE_LOG2))
		goto leave;
	first = code->insts;
	page = pc & ~(uint64_t)(PAGE_BYTES - 1);
	in = record_at(first, (int64_t)(pc - page));
	DISPATCH;
}

#define LEN 4
#define OP(id, mnemonic, match, format, unit, flags, bytes, ...) \
	full_##id: { \
		__VA_ARGS__; \
		left--; \
		in += LEN / 2; \
		DISPATCH; \
	}
#include "core/isa/rv64.def"
#undef LEN

#define LEN 2
#define OP(id, mnemonic, match, format, unit, flags, bytes, ...) \
	half_##id: { \
		__VA_ARGS__; \
		left--; \
		in += LEN / 2; \
		DISPATCH; \
	}
#include "core/isa/rv64.def"
#undef LEN

undecoded:
	pc = PC;
	if (in == first + PAGE_PARCELS)
		goto enter;
	/* A record elsewhere is one that straddles two pages. */
	if (mem_fetch_slow(mem, pc) != in)
		goto leave;
	DISPATCH;
step:
	pc = PC;
leave:
	h->pc = pc;
	return budget - (uint64_t)left;
}

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

enum trap functional_run(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                         const volatile bool *stop, uint64_t *fault_addr)
{
	struct inst in;
	struct exec done;
	enum trap trap = TRAP_NONE;
	uint64_t end = h->instret + max;
	while (trap == TRAP_NONE && h->instret != end && !(stop && *stop)) {
		uint64_t left = end - h->instret;
		if (left < PAGE_PARCELS) {
			trap = step(h, mem, env, fault_addr, &in, &done);
			continue;
		}
		uint64_t budget = left < POLL_INSTS ? left : POLL_INSTS;
		uint64_t ran = run_fast(h, mem, budget);
		credit(h, ran);
		if (budget - ran >= PAGE_PARCELS)
			trap = step(h, mem, env, fault_addr, &in, &done);
	}
	h->time = h->cycle / env->time_div;
	return trap;
}

enum trap functional_run_warm(struct hart *h, struct mem *mem, uint64_t max, const struct functional_env *env,
                              const volatile bool *stop, uint64_t *fault_addr, const struct functional_warm *warm)
{
	struct inst in;
	struct exec done;
	enum trap trap = TRAP_NONE;
	const uint64_t end = h->instret + max;
	while (h->instret != end && trap == TRAP_NONE) {
		const uint64_t pc = h->pc, before = h->instret;
		if ((end - before) % POLL_INSTS == 0 && stop && *stop)
			break;
		trap = step(h, mem, env, fault_addr, &in, &done);
		if (h->instret != before)
			warm->inst(warm->ctx, pc, &in, &done);
	}
	h->time = h->cycle / env->time_div;
	return trap;
}
