/* The calling context tree that a program instrumented with a kind cct builds in its memory. It is
 * that of Ammons, Ball and Larus (section 4.2, Figs 6 and 7), in words of 64 bits:
 *
 *   call record:  ID, parent, metrics[], callees[]      list element:  record, next
 *
 *   ID       the procedure's first instruction, an address in the program as it was
 *   parent   the record of who called it in this context; the root's is 0
 *   metrics  how often it was called here; then what two statistics have added (cct+hw)
 *   callees  a slot for each call site (or one for all: sites merged), by its two low bits
 *     0  the record of the only procedure that was called from here
 *     1  nobody was: how many bytes the slot is from its record, which so is found again
 *     2  a list of records, the last called first; at its end is the same distance, with tag 1.
 * Slots of indirect calls, and of calls of procedures that go on to others by tail calls or are not
 * instrumented, have one from the beginning
 *
 * The root stands for no procedure: who called the program's first one. A procedure that is active
 * already in the context goes back to its record. What a tail call leads to is a callee of its
 * caller's caller, in the same slot; what a procedure that is left alone calls, too. gCSP, the slot
 * that the next callee is to look into, is a word in memory; the present record, and the gCSP to
 * put back, lie in a region as large as a stack, where the stack pointer says that a procedure was
 * entered with: so each activation has a place of its own, and it is found again however a call
 * returns. A signal's handler finds another procedure's record in its slot: it becomes a callee of
 * the root. One that comes while a list is being changed may change it, too: then a record may get
 * lost, and so its counts. While the program itself changes one, between any two instructions, all
 * of the tree is found.
 *
 * Records come from a heap. When it is full, each procedure has one record more, to be used
 * whatever the context. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_H

#include "loader/context_tree.h"
#include "loader/program.h"

#define CCT_SECTION ".cyclops.cct"
/* its name, with a zero behind it: where the program writes one */
#define CCT_FILE_SECTION ".cyclops.cct.file"

enum cct_tag { CCT_RECORD, CCT_OFFSET, CCT_LIST, CCT_TAGS = 3 };

/* Distances in a record; byte addresses. */
enum { CCT_ID = 0, CCT_PARENT = 8, CCT_METRICS = 16 };

/* The program's words, at `state`: also what the section says of each procedure, below. */
enum {
	CCT_CSP = 0, /* gCSP */
	CCT_HEAP_NEXT = 8,
	CCT_HEAP_END = 16,
	CCT_ROOT_SLOT = 24, /* address of the root's slot */
	/* the place of the program's first procedure, which moves its stack pointer as it likes */
	CCT_FIXED = 32,
	/* of who writes a file: writes the tree under its name as it is; forked ones add their
	   number */
	CCT_PROCESS = 48,
	/* of the same: where the stack began; CCT_STACK_WAS_DEEP: it has been deeper than there are
	   places */
	CCT_STACK = 56,
	/* bytes of stack: 32 times Linux's limit, of which no page is there before a stack has been
	   as deep. Deeper ones share places */
	CCT_STACK_LOG2 = 28,
	CCT_STACK_WAS_DEEP = 1,
	/* the record that a list's first element had before another one moved there */
	CCT_MOVED = 64,
	CCT_PLACES = 80, /* places by stack pointers: gCSP to put back, record */
};

struct cct_head {
	uint64_t magic;
	uint64_t state, heap, heap_bytes; /* addresses */
	uint64_t metrics;     /* words */
	uint64_t merged;      /* call sites are */
	uint64_t spares, spare_bytes; /* where records for a full heap are */
	/* that many of these follow, and then addresses of call sites */
	uint64_t procedures, sites;
};

struct cct_procedure {
	uint64_t at;          /* first instruction, in the program as it was */
	uint64_t size;        /* bytes of its records, with the lists that they begin with */
	uint64_t callees;     /* where its slots begin in a record */
	uint64_t first, sites; /* its slots: of the call sites; by address */
	uint64_t spare;       /* address of its record for a full heap */
	/* of procedures that share code: the upper half of path_function.first, whose lower half is
	 * where the table is in a record */
	uint64_t group;
};

struct cct {
	struct cct_head head;
	/* [head.procedures], borrowed from the program's file: by address */
	const struct cct_procedure *procedures;
	/* [head.sites], borrowed: 0 where sites are merged */
	const uint64_t *sites;
};

/* False if p builds no tree, or the section is damaged. */
bool program_cct(const struct program *p, struct cct *out);

/* Where a tree is read from: guest memory, or a file of it. False if there is no such memory. */
struct cct_source {
	bool (*read)(const void *ctx, uint64_t addr, void *buf, uint64_t n);
	const void *ctx;
	/* where the program is, 0: not known. The present record then is that of its procedure */
	uint64_t pc;
};

/* The tree that p has built so far. False with *err, which says what is wrong with the memory: *out
 * is empty. */
bool cct_tree(const struct program *p, const struct cct_source *from, struct context_tree *out,
              struct err *err);

#endif
