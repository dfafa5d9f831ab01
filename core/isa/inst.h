/* A decoded instruction and its properties.
 *
 * `core/isa/rv64.def` is the one table: it generates enum op, decoding, execution, operand and
 * functional-unit classes and disassembly. Compressed instructions decode to the operation that
 * they expand to, with len = 2.
 *
 * Operations are numbers here. A file that names them (OP_ADDI) includes `core/isa/op.h`, and is
 * recompiled for each new row of the table. */
#ifndef CYCLOPS_CORE_ISA_INST_H
#define CYCLOPS_CORE_ISA_INST_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/isa/regs.h"

/* Extensions for a compiler's -march beyond rv64gc. */
#define INST_BEYOND "_zba_zbb_zbs_zbc_zbkb_zicond_zfh_zcb"

/* Timing class: which pool of functional units and which latency parameters an operation uses. */
enum op_class {
	CLASS_NOP,    /* needs no unit: fence, nop-like; completes in one cycle */
	CLASS_INT,    /* integer ALU, branches and jumps */
	CLASS_IMUL,
	CLASS_IDIV,
	CLASS_FADD,   /* FP add, subtract, compare, min/max, sign injection, moves, conversions */
	CLASS_FMUL,
	CLASS_FMA,
	CLASS_FDIV,
	CLASS_FSQRT,
	CLASS_LOAD,
	CLASS_STORE,
	/* LR, SC and AMOs: a load and a store in one, performed at the head of the ROB */
	CLASS_AMO,
	/* ecall, ebreak, CSR accesses, fence.i: dispatched only into an empty window */
	CLASS_SYSTEM,
	CLASS_COUNT
};

enum op_flag {
	OPF_LOAD = 1 << 0,   /* reads memory */
	OPF_STORE = 1 << 1,  /* writes memory */
	OPF_BRANCH = 1 << 2, /* conditional branch */
	OPF_JUMP = 1 << 3,   /* jal, jalr */
	OPF_INDIRECT = 1 << 4, /* target from a register: jalr */
	/* dispatched only when the window is empty, blocks dispatch until commit */
	OPF_SERIAL = 1 << 5,
	OPF_FP = 1 << 6,     /* may set fflags */
	/* encodings in the custom HINT space (c.slli x0, slti x0); executes as nop */
	OPF_HINT = 1 << 7,
	/* LR, SC and AMOs: class AMO; this flag and the next are not in rv64.def, only in
	 * op_info */
	OPF_ATOMIC = 1 << 8,
	/* control flow: it is predicted, and may be mispredicted */
	OPF_REDIRECT = 1 << 9,
	OPF_CSR = 1 << 10,   /* reads and may write a control and status register */
	OPF_XPROF = 1 << 11, /* Xprof: prefix, control; in a fused instruction: it has a prefix */
	OPF_MEMORY = OPF_LOAD | OPF_STORE,
	OPF_CONTROL = OPF_BRANCH | OPF_JUMP
};

/* The operation of anything undefined; executing it traps. */
#define OP_ILLEGAL 0

enum { OP_BITS = 10, OP_ROOM = 1 << OP_BITS, OP_MASK = OP_ROOM - 1 };

struct inst {
	union {
		struct {
			uint16_t op : OP_BITS;       /* enum op */
			uint16_t len : 16 - OP_BITS; /* bytes: 2 or 4; 0: not decoded */
		};
		uint16_t form; /* op and len in one word, for the functional loop */
	};
	uint8_t klass;  /* enum op_class, as in op_info */
	uint8_t rd;     /* destination, REG_SINK if none */
	uint8_t rs1;    /* sources, REG_ZERO if absent */
	uint8_t rs2;
	uint8_t rs3;
	uint8_t rm;     /* FP rounding field; aq<<1|rl of atomics; immediate of csrr?i */
	int32_t imm;    /* sign-extended; shift amount; CSR number for Zicsr */
	uint32_t raw;   /* the parcel(s) as fetched */
};
static_assert(sizeof(struct inst) == 16, "decoded pages rely on 16-byte records");

struct op_info {
	/* without "c.": compressed forms print as the operation that they expand to */
	const char *mnemonic;
	uint8_t klass;        /* enum op_class */
	uint16_t flags;       /* enum op_flag */
	uint8_t mem_bytes;    /* access size of loads, stores and atomics; else 0 */
};

extern const struct op_info op_info[]; /* [op_count] */
extern const unsigned op_count;

static inline enum op_class inst_class(const struct inst *in)
{
	return (enum op_class)in->klass;
}

/* op_info[].flags by struct inst.form, so that a look-up needs neither op nor len alone. */
extern const uint16_t form_flags[];

static inline unsigned inst_flags(const struct inst *in)
{
	return form_flags[in->form];
}

/* A set of operations. */
struct op_set {
	uint64_t bits[OP_ROOM / 64]; /* by enum op */
};

static inline bool op_set_has(const struct op_set *s, unsigned op)
{
	return s->bits[op / 64] >> op % 64 & 1;
}

static inline bool op_set_is_empty(const struct op_set *s)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < OP_ROOM / 64; i++)
		any |= s->bits[i];
	return !any;
}

static inline void op_set_add(struct op_set *s, unsigned op)
{
	s->bits[op / 64] |= UINT64_C(1) << op % 64;
}

/* True for registers of RISC-V's return-stack hints (unprivileged ISA, table 2.1): rd or rs1 in
 * {x1, x5}. */
static inline bool reg_is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/* True for Xprof's own instructions, which take no prefix. */
static inline bool inst_is_xprof(const struct inst *in)
{
	return inst_flags(in) & OPF_XPROF;
}

static inline bool inst_is_control(const struct inst *in)
{
	return inst_flags(in) & OPF_CONTROL;
}

static inline bool inst_pushes_ras(const struct inst *in)
{
	return (inst_flags(in) & OPF_JUMP) && reg_is_link(in->rd);
}

static inline bool inst_pops_ras(const struct inst *in)
{
	return (inst_flags(in) & OPF_INDIRECT) && reg_is_link(in->rs1) &&
	       !(reg_is_link(in->rd) && in->rd == in->rs1);
}

/* missing.c: the extension ("v") of an instruction that inst_decode() doesn't support, or that
 * names an unsupported CSR; NULL if its bits don't determine it. */
const char *inst_missing_extension(const struct inst *in);

/* Decodes the instruction whose first parcel is in the low half of `raw`. Undefined encodings give
 * OP_ILLEGAL with the length that their low bits encode. Never fails. */
void inst_decode(uint32_t raw, struct inst *out);
/* The same for RV64GC alone: instructions of extensions are illegal, except hints. */
void inst_decode_rv64gc(uint32_t raw, struct inst *out);

/* The same for RV32GC: operations that compute otherwise than RV64's are OP_RV32_ADDI and so on. */
void inst_decode_rv32(uint32_t raw, struct inst *out);
/* By the machine's parameter `isa`. */
void inst_decode_as(unsigned isa, uint32_t raw, struct inst *out);
/* Whether RV32GC has an instruction with the name of this RV64 operation. */
bool inst_rv32_has(unsigned op);
/* The operation of the same name in RV64: OP_ADDI of OP_RV32_ADDI. Others are returned
 * unchanged. */
unsigned inst_rv64_op(unsigned op);

/* Writes "addi a0,sp,16" to buf (NUL-terminated, truncated to n). Branch and jump targets are
 * absolute, computed from pc, as 0x... Returns buf. Aliases (li, mv, ret, j, beqz, nop, ...) as GNU
 * as prints. */
char *inst_disasm(const struct inst *in, uint64_t pc, char *buf, unsigned n);

#endif
