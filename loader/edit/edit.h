/* The executable editor: code put anywhere into a finished program (Ammons, Ball and Larus, section
 * 5: what EEL is to them).
 *
 * It reads a whole static RV64GC executable that was linked with -Wl,--emit-relocs, lays its code
 * out again behind the program's image, with what the caller inserts, and gives a new ELF file.
 * Data stays where it is; every reference to code follows it: branches, address pairs, words in
 * data, jump tables, unwind tables, symbols, line tables. The old code stays in its place, so that
 * what nobody told of a move still finds it.
 *
 *   struct edit *e = edit_open(program, &err);
 *   edit_before(e, i, code, n) ...            whoever comes to instruction i executes it first
 *   struct program *q = edit_finish(e, &err); the new program
 *   edit_free(e);
 *
 * What is trusted: the segments that the program runs from, and its instructions. Sections, symbols
 * and the relocations that the linker kept are held against them before anything moves, for a
 * program runs as well with wrong ones (check_image.c, check_code.c). Relocations say which numbers
 * are addresses of code; each also says what the linked bytes are, and if they are not, its
 * function is left alone and moves as its bytes say, or the file is refused. What can't be checked:
 * a relocation that is missing, where nothing else tells (what it would have moved then leads to
 * the old code, which works); one that names another symbol of the same address; names.
 *
 * Instructions are named by their place in the list of all, by rising address. */
#ifndef CYCLOPS_LOADER_EDIT_EDIT_H
#define CYCLOPS_LOADER_EDIT_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/isa/inst.h"
#include "loader/program.h"

struct edit;

/* How an instruction names a place. */
enum edit_ref {
	REF_NONE,
	REF_NEAR,    /* branches and jal: pc-relative, in its immediate */
	REF_HIGH,    /* auipc: the high part of a pc-relative address */
	REF_LOW,     /* the low part, of the REF_HIGH before it */
	REF_ABS_HIGH, /* lui: the high part of an absolute address */
	REF_ABS_LOW,
	REF_FIXED,   /* auipc: what it gave in the program as it was, whatever that is for */
	/* of code that is put in only: a branch or jal to place `target` of the same code */
	REF_LABEL,
};

#define EDIT_NONE UINT32_MAX

enum edit_inst_flags {
	EDIT_DATA = 1 << 0,   /* no instruction: bytes between code, kept as they are */
	EDIT_ENTRY = 1 << 1,  /* a function begins here */
	EDIT_TARGET = 1 << 2, /* a branch or jump leads here, or data or code knows its address */
	/* data or code knows its address: jump tables, pointers, landing pads */
	EDIT_TAKEN = 1 << 3,
};

struct edit_inst {
	uint64_t addr;   /* in the program as it was */
	struct inst in;
	uint64_t target; /* of its reference: an address in the program as it was */
	uint32_t high;   /* of REF_LOW: its REF_HIGH */
	uint8_t ref;     /* enum edit_ref */
	uint8_t flags;   /* enum edit_inst_flags */
	bool of_code;    /* its target is a place in code, or behind it: a relocation says so */
	uint32_t function;
};

struct edit_function {
	const char *name; /* borrowed from the program */
	uint32_t first, count; /* instructions */
	uint64_t end;          /* address behind it, as its symbol says; 0: that doesn't */
	/* a relocation or a symbol says something of it that its bytes deny: it is moved as its
	 * bytes say */
	bool denied;
	/* it puts an address together of which nobody knows what it is for: that is what it was,
	 * and may lead to the old code */
	bool fixed;
};

/* NULL with *err: says what is wrong with the program, or how to link it. p is borrowed until
 * edit_free(). */
struct edit *edit_open(const struct program *p, struct err *err);
void edit_free(struct edit *e);

const struct edit_inst *edit_insts(const struct edit *e, uint32_t *count);
const struct edit_function *edit_functions(const struct edit *e, uint32_t *count);
/* The instruction at an address of the program as it was; EDIT_NONE. */
uint32_t edit_inst_at(const struct edit *e, uint64_t addr);
uint64_t edit_entry(const struct edit *e);
/* Whether a basic block begins with it, by what leads to it and what stands before it. */
bool edit_is_leader(const struct edit *e, uint32_t i);

/* An instruction to put in. in.imm of one with a reference is not read. */
struct edit_code {
	/* op, rd, rs1, rs2, imm of 4 bytes; or raw of 2 bytes, without a reference */
	struct inst in;
	/* of its reference: an address in the program as it was, edit_memory()'s or
	 * edit_routine()'s; or a place */
	uint64_t target;
	/* enum edit_ref; REF_LOW is of the last REF_HIGH before it in the same code */
	uint8_t ref;
};

/* Memory for what is put in: zero at the beginning, 16-byte aligned; its address in the new
 * program. */
uint64_t edit_memory(struct edit *e, size_t bytes);
/* The address that it would give now. */
uint64_t edit_memory_here(const struct edit *e);
/* A section of the new file that is not loaded: for who reads the file. bytes are copied; name is
 * borrowed. */
bool edit_section(struct edit *e, const char *name, const void *bytes, size_t n, struct err *err);

/* Before instruction i: for all who come to it, but by branches of the function's own and jumps
 * that don't link, and, if no function begins with it, without a jump: who comes by its address.
 * Stands before what edit_before() puts there. */
bool edit_enter(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                struct err *err);
/* Before instruction i: for all who come to it. Several are executed in the order in which they
 * were put in. */
bool edit_before(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                 struct err *err);
/* Behind instruction i: only for who comes from it without a jump. */
bool edit_behind(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                 struct err *err);
/* Where the branch or jump i leads when it is taken. */
bool edit_taken(struct edit *e, uint32_t i, const struct edit_code *code, unsigned n,
                struct err *err);

/* Code of its own, behind all other code, at a multiple of 8: a routine that code which is put in
 * calls. Its name, for REF_NEAR and REF_HIGH; 0 with *err. */
uint64_t edit_routine(struct edit *e, const struct edit_code *code, unsigned n, struct err *err);

/* The new program. NULL with *err. Once. */
struct program *edit_finish(struct edit *e, struct err *err);
/* Address in the new program of what was at addr, with what was put before it; addr itself if it is
 * no code. Behind edit_finish(). */
uint64_t edit_new_address(const struct edit *e, uint64_t addr);
/* Bytes of the new code. Behind edit_finish(). */
uint64_t edit_code_bytes(const struct edit *e);
/* Bytes of the new program's file. Behind edit_finish(). */
const void *edit_file(const struct edit *e, size_t *n);

#endif
