/* Code of a program that builds a calling context tree (loader/instrument/cct.h): its routines, and
 * what they agree on with code in procedures. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_CODE_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_CODE_H

#include "loader/edit/edit.h"
#include "loader/edit/writer.h"

/* What the routine that finds a callee's record takes and gives. All other registers are as before.
 */
enum {
	CCT_LINK = 5,    /* t0: where it returns to */
	CCT_SLOT = 28,   /* t3: address of the slot */
	CCT_RECORD_REG = 29, /* t4: the record that it gives */
	CCT_TABLE = 30,  /* t5: the procedure's table; lost */
	CCT_BASE = 31,   /* t6: lost */
};
#define CCT_REGISTERS                                                                              \
	(UINT32_C(1) << CCT_LINK | UINT32_C(1) << CCT_SLOT | UINT32_C(1) << CCT_RECORD_REG |       \
	 UINT32_C(1) << CCT_TABLE | UINT32_C(1) << CCT_BASE)

/* A procedure's table, as the routine reads it. */
struct cct_table {
	uint32_t id, bytes;    /* of its records */
	uint32_t callees, sites; /* where slots begin, their number */
	uint64_t spare;        /* address */
	/* [sites]: where in a record the list of a slot begins; 0: it has none */
	const uint32_t *lists;
};

/* Names for struct edit_code; 0 with *err. */
uint64_t cct_put_find(struct edit *e, uint64_t state, struct err *err);
uint64_t cct_put_table(struct edit *e, const struct cct_table *t, struct err *err);
/* To be executed once before all other: the root, of so many metrics, becomes a record in an empty
 * heap. Uses CCT_REGISTERS. */
void cct_put_begin(struct writer *w, uint64_t state, uint64_t heap, uint64_t heap_bytes,
                   unsigned metrics);

#endif
