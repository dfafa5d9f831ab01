/* Register numbering used everywhere: x0..x31 are 0..31, f0..f31 are 32..63.
 *
 * Index 64 (REG_SINK) takes writes that are discarded: decoding maps a destination x0, and the
 * absent destination of stores and branches, to it, so that execution never tests for x0. An absent
 * source is x0, which has no producer and reads zero. */
#ifndef CYCLOPS_CORE_ISA_REGS_H
#define CYCLOPS_CORE_ISA_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/defs/choices.h"

enum {
	REG_ZERO = 0,
	REG_RA = 1,
	REG_SP = 2,
	REG_GP = 3,
	REG_TP = 4,
	REG_T0 = 5,
	REG_FP = 8,
	REG_A0 = 10,
	REG_A7 = 17,
	REG_F0 = 32,
	REG_SINK = 64,
	REG_COUNT = 65
};

/* True for x0, as a source and as a destination. */
static inline bool reg_is_zero(unsigned reg)
{
	return reg == REG_ZERO || reg == REG_SINK;
}

/* hpmcounter3 to hpmcounter31. */
enum { HPM_FIRST = 3, HPM_COUNT = 29 };

/* Architectural state at dispatch, as the oldest not yet dispatched instruction sees it. Part of
 * the arena. */
struct hart {
	uint64_t r[REG_COUNT]; /* x0..x31, f0..f31 (NaN-boxed), sink */
	uint64_t pc;           /* byte address of the next instruction */
	uint64_t fcsr;         /* bits 4:0 fflags (NV DZ OF UF NX), bits 7:5 frm */
	uint64_t reserved;     /* byte address reserved by LR, or RESERVED_NONE */
	/* Values of the counter CSRs; the executing loop or stage keeps them current. */
	uint64_t cycle;
	uint64_t instret;
	uint64_t time;
	/* cycles skipped while all threads of the program slept: only `time` advances in them */
	uint64_t slept;
	/* instructions executed without timing that cycle and instret don't include yet */
	uint64_t ahead;
	uint64_t hpm_value; /* value of the hpmcounter about to be read */
	uint32_t hpm_select[HPM_COUNT]; /* number of the statistic of each hpmcounter, 0: none */
	/* The two counters of pic: the statistics' values as the register is about to be accessed,
	 * their values when the counters were 0, and the statistics' numbers. */
	uint64_t pic_now[2], pic_base[2];
	uint32_t pic_select[2];
	/* Xprof */
	uint64_t xprof;  /* 1 if this machine has Xprof, else its instructions are no-ops */
	uint64_t pflags; /* profile flags, bit k: type k */
	/* without timing: address of the instruction that the last `mark` marked, until it is
	 * reached; 0: none */
	uint64_t marked;
	/* byte address of the shadow of the stack at address 0: where pushpf saves flags; a
	 * multiple of 8 */
	uint64_t pfbase;
	/* 1: code may have changed since the last pipe_new_code() (fence.i, a system call) */
	uint64_t new_code;
	uint64_t isa;    /* ISA_ALL, or without extensions ISA_RV64GC, ISA_RV32GC; shown in misa */
	/* M-mode; see csrs.def */
	uint64_t mode;      /* enum hart_mode; the program's is MODE_U, firmware's MODE_M */
	/* enum hart_mode of a bare-metal program, which has M-mode's registers; else MODE_U */
	uint64_t privilege;
	uint64_t tohost;    /* byte address, a multiple of 8, where stores fault; 0: none */
	uint64_t mstatus, mtvec, mepc, mcause, mtval, mscratch, mie, mip;
};

enum hart_mode { MODE_U, MODE_M = 3 };

#define RESERVED_NONE (~UINT64_C(0))

/* The instructions around the ebreak of a semihosting call: slli x0,x0,31 and srai x0,x0,7. */
enum { SEMIHOSTING_BEFORE = 0x01f01013, SEMIHOSTING_AFTER = 0x40705013 };

enum { FFLAG_NX = 1, FFLAG_UF = 2, FFLAG_OF = 4, FFLAG_DZ = 8, FFLAG_NV = 16 };
enum { FRM_RNE, FRM_RTZ, FRM_RDN, FRM_RUP, FRM_RMM, FRM_DYN = 7 };

/* A register's value for display: RV32's integer registers have 32 bits, and are kept
 * sign-extended. */
static inline uint64_t reg_shown(unsigned isa, unsigned reg, uint64_t value)
{
	return isa == ISA_RV32GC && reg < REG_F0 ? (uint32_t)value : value;
}

static inline int reg_hex_digits(unsigned isa, unsigned reg)
{
	return isa == ISA_RV32GC && reg < REG_F0 ? 8 : 16;
}

/* ABI name ("a0", "ft3") of register 0..63; "-" for REG_SINK. */
const char *reg_name(unsigned reg);

/* Register number of an ABI or architectural name ("a0", "x10", "fp", "f3", "fa0"), or -1. */
int reg_from_name(const char *name);

#endif
