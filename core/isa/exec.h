/* Executes one instruction: one definition of the semantics for every mode.
 *
 * The same bodies in rv64.def are expanded into isa_exec() (detailed mode: one instruction, and
 * everything needed to undo it) and into the functional loop (core/isa/functional.h). */
#ifndef CYCLOPS_CORE_ISA_EXEC_H
#define CYCLOPS_CORE_ISA_EXEC_H

#include <stdint.h>

#include "core/isa/inst.h"
#include "core/mem/mem.h"

enum trap {
	TRAP_NONE,
	TRAP_ILLEGAL,       /* SIGILL */
	TRAP_FETCH_FAULT,   /* SIGSEGV: pc not executable */
	TRAP_FETCH_ALIGN,   /* SIGBUS: odd jump target */
	TRAP_LOAD_FAULT,    /* SIGSEGV */
	TRAP_STORE_FAULT,   /* SIGSEGV */
	TRAP_LOAD_ALIGN,    /* SIGBUS: LR from an address that is not a multiple of its size */
	TRAP_STORE_ALIGN,   /* SIGBUS: SC or AMO at such an address */
	TRAP_EBREAK,        /* SIGTRAP */
	TRAP_ECALL_M,       /* a system call in M-mode, where none is served */
	TRAP_NO_INTERRUPT,  /* wfi, and no interrupt can ever come */
	/* Not faults: nothing is executed, the caller serves them between two instructions. */
	TRAP_ECALL,         /* a system call; a bare-metal program's mret */
	TRAP_MRET,          /* return from M-mode */
	TRAP_WFI,           /* wait for an interrupt */
	TRAP_ZERO,          /* a block of memory becomes zeros, from `addr` on */
	/* an access to a device's registers; set by callers of isa_exec(), never by isa_exec() */
	TRAP_DEVICE,
	TRAP_COUNT
};

/* Effects of one instruction besides writing hart->r[rd]. Fields that do not apply are zero. */
struct exec {
	uint64_t next_pc;   /* address of the next instruction */
	/* effective byte address of a memory access; faulting address of a trap */
	uint64_t addr;
	uint64_t store_old; /* the bytes a store (or SC/AMO) replaced, little-endian; for undo */
	uint64_t store_new; /* the bytes that it wrote */
	uint8_t size;       /* bytes accessed */
	bool stored;        /* memory was written (false for a failed SC) */
	bool taken;         /* a conditional branch was taken */
	/* pushpf, poppf: the byte does not exist; nothing was saved, or the flag reads as 0 */
	bool unreached;
};

/* Executes `in` at h->pc: writes h->r[rd], h->pc, h->fcsr, h->reserved and memory, and fills *out.
 * On a trap nothing is changed except *out (addr, next_pc = pc) and the trap is returned.
 * An address is wrapped to 64 bits; misaligned accesses work; atomics must be naturally aligned. */
static inline enum trap isa_exec(struct hart *h, struct mem *mem, const struct inst *in,
                                 struct exec *out);

/* The bodies, by operation, for a caller that updates h->pc itself: *out must be {.next_pc = pc +
 * len}; on a trap only out->addr is valid, and h and memory are unchanged. */
typedef enum trap exec_fn(struct hart *h, struct mem *mem, const struct inst *in, struct exec *out);
extern exec_fn *const exec_table[]; /* [op_count] */

static inline enum trap isa_exec(struct hart *h, struct mem *mem, const struct inst *in,
                                 struct exec *out)
{
	*out = (struct exec){ .next_pc = h->pc + in->len };
	enum trap trap = exec_table[in->op](h, mem, in, out);
	if (trap == TRAP_NONE)
		h->pc = out->next_pc;
	else
		*out = (struct exec){ .next_pc = h->pc, .addr = out->addr };
	return trap;
}

enum { BLOCK_BYTES = 64 }; /* of cbo.* (Zic64b), independent of the caches' line size */

/* Serves TRAP_ZERO of cbo.zero. False: host memory is out, or the host fails; it may be
 * repeated. */
static inline bool zero_block(struct mem *mem, uint64_t addr)
{
	for (unsigned i = 0; i < BLOCK_BYTES; i += 8)
		if (!mem_store(mem, addr + i, 8, 0))
			return false;
	return true;
}

/* Linux signal number of a trap (4, 11, 7, 5) and its words ("illegal instruction"). */
int trap_signal(enum trap trap);
const char *trap_name(enum trap trap);
/* True if the trap is due to the address of a memory access, `addr`, not to pc. */
bool trap_of_data(enum trap trap);

#endif
