/* Code of a program that builds a calling context tree (loader/instrument/cct.h): its routines, and
 * their interface to code in procedures. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_CODE_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_CODE_H

#include "loader/edit/edit.h"
#include "loader/edit/writer.h"

/* Registers of the routine that finds a callee's record. It preserves all others. */
enum {
	CCT_LINK = 5,    /* t0: return address */
	CCT_SLOT = 28,   /* t3: address of the slot */
	CCT_RECORD_REG = 29, /* t4: result, the record */
	CCT_TABLE = 30,  /* t5: the procedure's table; lost */
	CCT_BASE = 31,   /* t6: lost */
};
#define CCT_REGISTERS                                                                              \
	(UINT32_C(1) << CCT_LINK | UINT32_C(1) << CCT_SLOT | UINT32_C(1) << CCT_RECORD_REG |       \
	 UINT32_C(1) << CCT_TABLE | UINT32_C(1) << CCT_BASE)

/* A procedure's table, read by the routine. */
struct cct_table {
	uint32_t id, bytes;    /* of its records */
	uint32_t callees, sites; /* offset of slots, their number */
	uint64_t spare;        /* address */
	/* [sites]: offset of a slot's list in a record; 0: none */
	const uint32_t *lists;
};

/* Addresses and sizes of a tree in the program. */
struct cct_memory {
	uint64_t state, heap, words; /* addresses (struct cct_head) */
	uint64_t heap_bytes;
	unsigned metrics;
	/* in the original program, where the first procedure of a context made by makecontext()
	 * returns to; 0: nowhere */
	uint64_t context_end;
};

/* Adds the routine that finds records. Returns its name for struct edit_code; 0 with *err. */
uint64_t cct_put_find(struct edit *e, const struct cct_memory *m, struct err *err);
/* at = address of the thread's words. Changes `scratch`. */
void cct_put_thread(struct writer *w, uint64_t words, unsigned at, unsigned scratch);
uint64_t cct_put_table(struct edit *e, const struct cct_table *t, struct err *err);
/* Writes the code to be executed once before all other: makes the root record in an empty heap.
 * Uses CCT_REGISTERS. */
void cct_put_begin(struct writer *w, const struct cct_memory *m);

#endif
