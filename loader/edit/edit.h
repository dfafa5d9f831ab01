/* The executable editor: inserts code anywhere into a finished program (Ammons, Ball and Larus,
 * section 5: their EEL).
 *
 * It reads a whole static RV64GC executable linked with -Wl,--emit-relocs, lays its code out again
 * after the program's image, with the inserted code, and writes a new ELF file. Data stays where it
 * is; every reference to code is updated: branches, address pairs, words in data, jump tables,
 * unwind tables, symbols, line tables. The old code stays in its place, so that references that
 * were missed still work.
 *
 *   struct edit *e = edit_open(program, &err);
 *   edit_before(e, i, code, n) ...            executed first whenever control comes to i
 *   struct program *q = edit_finish(e, &err); the new program
 *   edit_free(e);
 *
 * The segments that the program runs from, and its instructions, are trusted. Sections, symbols and
 * the relocations that the linker kept are checked against them before anything moves, for a
 * program runs as well with wrong ones (check_image.c, check_code.c). A relocation marks a number
 * as an address of code and implies the linked bytes; if they differ, its function is left alone
 * and moves by its bytes, or the file is refused. Not checkable: a missing relocation, where
 * nothing else shows it (its target stays in the old code, which works); one that names another
 * symbol of the same address; names.
 *
 * Instructions are numbered by rising address. */
#ifndef CYCLOPS_LOADER_EDIT_EDIT_H
#define CYCLOPS_LOADER_EDIT_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/inst.h"
#include "loader/program.h"

struct edit;

/* How an instruction refers to a place. */
enum edit_ref {
	REF_NONE,
	REF_NEAR,    /* branches and jal: pc-relative, in its immediate */
	REF_HIGH,    /* auipc: the high part of a pc-relative address */
	REF_LOW,     /* the low part, of the REF_HIGH before it */
	REF_ABS_HIGH, /* lui: the high part of an absolute address */
	REF_ABS_LOW,
	REF_FIXED,   /* auipc: keeps the value that it had in the original program */
	/* inserted code only: a branch or jal to place `target` of the same code */
	REF_LABEL,
};

#define EDIT_NONE UINT32_MAX

enum edit_inst_flags {
	EDIT_DATA = 1 << 0,   /* not an instruction: bytes between code, kept unchanged */
	EDIT_ENTRY = 1 << 1,  /* a function begins here */
	EDIT_TARGET = 1 << 2, /* a branch or jump leads here, or its address is known */
	EDIT_TAKEN = 1 << 3,  /* data or code has its address: jump tables, pointers */
	EDIT_PAD = 1 << 5,    /* exceptions come here: a landing pad */
};

struct edit_inst {
	uint64_t addr;   /* in the original program */
	struct inst in;
	uint64_t target; /* of its reference: an address in the original program */
	uint32_t high;   /* of REF_LOW: its REF_HIGH */
	uint8_t ref;     /* enum edit_ref */
	uint8_t flags;   /* enum edit_inst_flags */
	bool of_code;    /* its target is in code, or at its end, by a relocation */
	uint32_t function;
};

struct edit_function {
	const char *name; /* borrowed from the program */
	uint32_t first, count; /* instructions */
	uint64_t end;          /* address after it, by its symbol; 0: the symbol is not reliable */
	/* a relocation or a symbol contradicts the bytes: it is moved by its bytes */
	bool denied;
	/* it computes an address of unknown use: that keeps its value, and may lead to the old
	 * code */
	bool fixed;
	/* control comes into the middle of a sequence of a load-reserved and its store-conditional,
	 * where no code may be put */
	bool entered;
};

/* Opens a program for editing; p is borrowed until edit_free(). NULL with *err: the fault, or how
 * to link the program. */
struct edit *edit_open(const struct program *p, struct err *err);
void edit_free(struct edit *e);

const struct edit_inst *edit_insts(const struct edit *e, uint32_t *count);
const struct edit_function *edit_functions(const struct edit *e, uint32_t *count);
/* The instruction at an address of the original program; EDIT_NONE. */
uint32_t edit_inst_at(const struct edit *e, uint64_t addr);
uint64_t edit_entry(const struct edit *e);
/* Whether a basic block begins with instruction i, by its predecessors and the instruction before
 * it. */
bool edit_is_leader(const struct edit *e, uint32_t i);

/* Whether a block to be counted begins there: a leader, but not in the middle of a load-reserved /
 * store-conditional sequence, which is one piece. */
bool edit_begins_block(const struct edit *e, uint32_t i);
/* Whether code may be inserted before and after instruction i, and on its taken edge: not within
 * such a sequence (loader/edit/atomic_sequences.c). */
bool edit_may_insert_before(const struct edit *e, uint32_t i);
bool edit_may_insert_behind(const struct edit *e, uint32_t i);
bool edit_may_insert_taken(const struct edit *e, uint32_t i);

/* An instruction to insert. in.imm is ignored if the instruction has a reference. */
struct edit_code {
	/* op, rd, rs1, rs2, imm of 4 bytes; or raw of 2 bytes, without a reference */
	struct inst in;
	/* of its reference: an address in the original program, from edit_memory() or from
	 * edit_routine(); or a place */
	uint64_t target;
	/* enum edit_ref; REF_LOW is of the last REF_HIGH before it in the same code */
	uint8_t ref;
};

/* Allocates memory for inserted code, initially zero, 16-byte aligned; returns its address in the
 * new program. */
uint64_t edit_memory(struct edit *e, size_t bytes);
/* The address that edit_memory() would return now. */
uint64_t edit_memory_here(const struct edit *e);
/* Adds a section to the new file that is not loaded, for readers of the file. bytes are copied;
 * name is borrowed. */
bool edit_section(struct edit *e, const char *name, const void *bytes, size_t n, struct err *err);

/* Inserts before instruction i, for control that arrives by the instruction's address: not by
 * branches or non-linking jumps of its own function, nor by falling through, unless a function
 * begins with it. Goes before the code of edit_before(). */
bool edit_enter(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                struct err *err);
/* Inserts before instruction i, for all control that comes to it. Several inserts are executed in
 * the order of the calls. */
bool edit_before(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                 struct err *err);
/* Inserts after instruction i, for control that falls through only. */
bool edit_behind(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                 struct err *err);
/* Inserts on the taken edge of branch or jump i. */
bool edit_taken(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                struct err *err);

/* Adds a routine after all other code, aligned to 8, that inserted code calls. Returns its name,
 * for REF_NEAR and REF_HIGH; 0 with *err. */
uint64_t edit_routine(struct edit *e, const struct edit_code *code, unsigned n, struct err *err);

/* Writes the new program; only once. NULL with *err. */
struct program *edit_finish(struct edit *e, struct err *err);
/* The address in the new program of the code that was at addr, including code inserted before it;
 * addr itself if it is no code. After edit_finish(). */
uint64_t edit_new_address(const struct edit *e, uint64_t addr);
/* Bytes of the new code. After edit_finish(). */
uint64_t edit_code_bytes(const struct edit *e);
/* Bytes of the new program's file. After edit_finish(). */
const void *edit_file(const struct edit *e, size_t *n);

#endif
