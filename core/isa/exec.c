#include "core/isa/exec.h"

#include "core/isa/alu.h"
#include "core/isa/csr.h"
#include "core/isa/fp.h"
#include "core/isa/profile_inst.h"
#include "core/mem/mem.h"

/* Stores a value and keeps the old bytes in *out. Those of a writable but unreadable page need
 * mem_peek(). */
static inline bool exec_store_value(struct mem *mem, uint64_t addr, unsigned n, uint64_t value,
                                    struct exec *out)
{
	uint64_t old = 0;
	if (!mem_load(mem, addr, n, &old))
		(void)mem_peek(mem, addr, &old, n);
	if (!mem_store(mem, addr, n, value))
		return false;
	out->store_old = old;
	out->store_new = n == 8 ? value : value & ((UINT64_C(1) << 8 * n) - 1);
	out->stored = true;
	return true;
}

/* ---- the shadow of the stack ---- */
/* Spreads bit k of flags to byte k; flags_gather() is the inverse. */
static uint64_t flags_spread(uint64_t flags)
{
	uint64_t bytes = 0;
	for (unsigned k = 0; k < 8; k++)
		bytes |= (flags >> k & 1) << 8 * k;
	return bytes;
}

static uint64_t flags_gather(uint64_t bytes)
{
	uint64_t flags = 0;
	for (unsigned k = 0; k < 8; k++)
		flags |= (bytes >> 8 * k & 1) << k;
	return flags;
}

/* Saves flags. Nothing is saved where no byte exists: profiling never ends a program. False only if
 * host memory is out. */
static bool exec_push_profile_flags(struct hart *h, struct mem *mem, const struct inst *in,
                                    struct exec *out)
{
	const unsigned n = out->size = (uint8_t)flags_bytes(in);
	const uint64_t at = out->addr = flags_addr(h, in),
		       value = profile_is_all(in) ? flags_spread(h->pflags)
	                                          : h->pflags >> in->imm & 1;
	if (!mem_is_shadow(at)) {
		out->unreached = !exec_store_value(mem, at, n, value, out);
		return !out->unreached || (mem_prot_at(mem, at) & (PROT_W | PROT_M)) != PROT_W;
	}
	if (!mem_has_shadow(mem, at)) {
		out->unreached = true;
		return true;
	}
	(void)mem_peek(mem, at, &out->store_old, n);
	if (!mem_poke(mem, at, &value, n))
		return false;
	out->store_new = value;
	out->stored = true;
	return true;
}

static void pop_flags(struct hart *h, struct mem *mem, const struct inst *in, struct exec *out)
{
	const uint64_t types = profile_types(in), at = out->addr = flags_addr(h, in);
	uint64_t bytes = 0;
	out->size = (uint8_t)flags_bytes(in);
	out->unreached = mem_is_shadow(at)
	                         ? !mem_has_shadow(mem, at) || !mem_peek(mem, at, &bytes, out->size)
	                         : !mem_load(mem, at, out->size, &bytes);
	const uint64_t flags = profile_is_all(in) ? flags_gather(bytes) : (bytes & 1) << in->imm;
	h->pflags = (h->pflags & ~types) | flags;
}

static bool may_zero(const struct hart *h, const struct mem *mem, uint64_t addr)
{
	const unsigned prot = mem_prot_at(mem, addr);
	return (prot & PROT_W) && (!(prot & PROT_M) || h->mode == MODE_M);
}

/* ---- the words of rv64.def ---- */
#define RS1 (h->r[in->rs1])
#define RS2 (h->r[in->rs2])
#define RS3 (h->r[in->rs3])
#define S1 fp_unbox(RS1)
#define S2 fp_unbox(RS2)
#define S3 fp_unbox(RS3)
#define H1 fp_unbox16(RS1)
#define H2 fp_unbox16(RS2)
#define H3 fp_unbox16(RS3)
#define IMM ((uint64_t)(int64_t)in->imm)
#define PC (h->pc)
#define NEXT (out->next_pc)
#define FLAGS (&h->fcsr)
#define WRITE(v) (h->r[rd] = (v))
#define WRITE_S(v) WRITE(fp_box(v))
#define WRITE_H(v) WRITE(fp_box16(v))
#define TRAP(t) return (t)
#define ADDRESS(a) (a)
#define ACCESS(n) \
	(out->size = (n), out->addr = ADDRESS(RS1 + IMM))
#define ALIGNED(n, t) \
	do { \
		if (out->addr & ((n) - 1)) \
			TRAP(t); \
	} while (0)
#define LOAD(n) \
	uint64_t loaded; \
	ACCESS(n); \
	if (!mem_load(mem, out->addr, n, &loaded)) \
		TRAP(TRAP_LOAD_FAULT)
#define STORE(n, v)                                                                                \
	ACCESS(n);                                                                                 \
	if (!exec_store_value(mem, out->addr, n, v, out))                                          \
	TRAP(TRAP_STORE_FAULT)
#define AMO(n, v)                                                                                  \
	uint64_t loaded;                                                                           \
	ACCESS(n);                                                                                 \
	ALIGNED(n, TRAP_STORE_ALIGN);                                                              \
	if (!mem_load(mem, out->addr, n, &loaded) || !exec_store_value(mem, out->addr, n, v, out)) \
	TRAP(TRAP_STORE_FAULT)
#define LOAD_RESERVED(n) \
	ACCESS(n); \
	ALIGNED(n, TRAP_LOAD_ALIGN); \
	uint64_t loaded; \
	if (!mem_load(mem, out->addr, n, &loaded)) \
		TRAP(TRAP_LOAD_FAULT); \
	h->reserved = out->addr
#define STORE_CONDITIONAL(n)                                                                       \
	ACCESS(n);                                                                                 \
	ALIGNED(n, TRAP_STORE_ALIGN);                                                              \
	bool held = h->reserved == out->addr;                                                      \
	if (held && !exec_store_value(mem, out->addr, n, RS2, out))                                \
		TRAP(TRAP_STORE_FAULT);                                                            \
	h->reserved = RESERVED_NONE;                                                               \
	WRITE(!held)
#define BRANCH(condition) \
	out->taken = (condition); \
	if (out->taken) \
		GO_NEAR()
#define GO_NEAR() (out->next_pc = h->pc + IMM)
#define GO(address) (out->next_pc = (address))
#define ROUND \
	unsigned rm = in->rm == FRM_DYN ? (unsigned)(h->fcsr >> 5) & 7 : in->rm; \
	if (rm > FRM_RMM) \
		TRAP(TRAP_ILLEGAL)
#define CSR(written, value)                                                                        \
	uint64_t old;                                                                              \
	if (!csr_read(h, (unsigned)in->imm, &old) ||                                               \
	    ((written) && !csr_write(h, (unsigned)in->imm, value)))                                \
		TRAP(TRAP_ILLEGAL);                                                                \
	WRITE(old)

/* ---- cache blocks; a block lies in one page ---- */
#define BLOCK() \
	out->addr = RS1; \
	if (!(mem_prot_at(mem, RS1) & (PROT_R | PROT_W))) \
		TRAP(TRAP_STORE_FAULT)
#define ZERO_BLOCK() \
	out->addr = RS1 & ~(uint64_t)(BLOCK_BYTES - 1); \
	TRAP(may_zero(h, mem, out->addr) ? TRAP_ZERO : TRAP_STORE_FAULT)

/* ---- Xprof; firmware has none ---- */
#define XPROF (h->xprof && h->mode == MODE_U)
#define PROFILE_TYPES profile_types(in)
#define CONTROL() ((void)0)
#define MARK() \
	if (XPROF) \
		h->marked = NEXT
#define SET_FLAGS(flags) \
	if (XPROF) \
		h->pflags = (flags)
#define PUSH_FLAGS()                                                                               \
	if (XPROF && !exec_push_profile_flags(h, mem, in, out))                                    \
	TRAP(TRAP_STORE_FAULT)
#define POP_FLAGS() \
	if (XPROF) \
		pop_flags(h, mem, in, out)
/* Callers fuse a prefix with its instruction; executed alone, it has no effect. */
#define PREFIX() CONTROL()

/* A store may free the decoded page that holds `in`: read fields needed later before the body. */
#define EXEC(id, ...)                                                                              \
	static enum trap exec_##id(struct hart *h, struct mem *mem, const struct inst *in,         \
	                           struct exec *out)                                               \
	{                                                                                          \
		unsigned rd = in->rd;                                                              \
		(void)rd, (void)mem, (void)h, (void)out;                                           \
		__VA_ARGS__;                                                                       \
		return TRAP_NONE;                                                                  \
	}
#define OP(id, mnemonic, match, format, unit, flags, bytes, ...) EXEC(id, __VA_ARGS__)
#include "core/isa/rv64.def"

#undef ADDRESS
#define ADDRESS(a) ((uint32_t)(a))
#define OP32(id, mnemonic, unit, flags, bytes, ...) EXEC(RV32_##id, __VA_ARGS__)
#include "core/isa/rv32.def"

static enum trap exec_illegal(struct hart *h, struct mem *mem, const struct inst *in,
                              struct exec *out)
{
	(void)h, (void)mem, (void)in, (void)out;
	return TRAP_ILLEGAL;
}

exec_fn *const exec_table[OP_ALL] = {
	[OP_ILLEGAL] = exec_illegal,
#define OP(id, ...) [OP_##id] = exec_##id,
#include "core/isa/rv64.def"
#define OP32(id, ...) [OP_RV32_##id] = exec_RV32_##id,
#include "core/isa/rv32.def"
};

static const struct {
	int signal;
	const char *name;
} traps[TRAP_COUNT] = {
	[TRAP_NONE] = { 0, "none" },
	[TRAP_ILLEGAL] = { 4, "illegal instruction" },
	[TRAP_FETCH_FAULT] = { 11, "fetch from an address that is not mapped or not executable" },
	[TRAP_FETCH_ALIGN] = { 7, "jump to an odd address" },
	[TRAP_LOAD_FAULT] = { 11, "load from a bad address" },
	[TRAP_STORE_FAULT] = { 11, "store to a bad address" },
	[TRAP_LOAD_ALIGN] = { 7, "load-reserved from a misaligned address" },
	[TRAP_STORE_ALIGN] = { 7, "atomic store to a misaligned address" },
	[TRAP_EBREAK] = { 5, "breakpoint instruction" },
	[TRAP_ECALL_M] = { 4, "system call in firmware" },
	[TRAP_NO_INTERRUPT] = { 6, "wait for an interrupt that nothing can raise" },
	[TRAP_ECALL] = { 0, "system call" },
	[TRAP_MRET] = { 0, "return from machine mode" },
	[TRAP_ZERO] = { 0, "zeros for a block of memory" },
	[TRAP_WFI] = { 0, "wait for an interrupt" },
	[TRAP_DEVICE] = { 0, "access to a device" },
};

int trap_signal(enum trap trap)
{
	return traps[trap].signal;
}

const char *trap_name(enum trap trap)
{
	return traps[trap].name;
}

bool trap_of_data(enum trap trap)
{
	return trap >= TRAP_LOAD_FAULT && trap <= TRAP_STORE_ALIGN;
}
