/* The calling context tree that a program instrumented with a kind cct builds in its memory. It is
 * that of Ammons, Ball and Larus (section 4.2, Figs 6 and 7), in words of 64 bits:
 *
 *   call record:  ID, parent, metrics[], callees[]      list element:  record, next
 *
 *   ID       the procedure's first instruction, an address in the original program
 *   parent   the caller's record in this context; 0 in the root's
 *   metrics  calls in this context; then the sums of two statistics (cct+hw)
 *   callees  a slot for each call site (or one for all: sites merged), by its two low bits
 *     0  the record of the only callee so far
 *     1  no callee yet: the slot's distance in bytes from its record, to find that again
 *     2  a list of records, the last called first; it ends with the same distance, with tag 1.
 * Slots have a list from the beginning for indirect calls, and for calls of procedures that make
 * tail calls or are not instrumented.
 *
 * The root is no procedure: it calls the program's first one. A recursive call returns to the
 * procedure's existing record in the context. The target of a tail call is a callee of its caller's
 * caller, in the same slot; so is a callee of a procedure that is left alone. gCSP, the address of
 * the slot for the next callee, is a word in memory. The current record, and the gCSP to restore,
 * lie in a region as large as a stack, at the stack pointer of the procedure's entry: each
 * activation has its own place, which is found again however a call returns. A signal's handler
 * sees another procedure's record in its slot, and becomes a callee of the root. A handler may
 * change a list while the program changes it: then a record and its counts may get lost. Between
 * any two instructions of the program's own changes, the whole tree can be found.
 *
 * With `atomic` each stream of instructions has a tree of its own, below a root record that ends
 * with its ORACLE_ROOT() and the next stream's root: threads don't change each other's records.
 * gCSP is then a word of the thread, found by its thread pointer: 0 as the thread begins, and the
 * next callee belongs to the thread's root. A procedure entered with a return address above 2 GB is
 * called by the system, and belongs to the root of its signal; a procedure that makecontext() lets
 * begin, that a return leads to, or that its direct call site does not call, belongs to the
 * thread's root of coroutines. Lists keep their order.
 *
 * Records are allocated from a heap. When it is full, each procedure has one spare record, for all
 * contexts. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_CCT_H
#define CYCLOPS_LOADER_INSTRUMENT_CCT_H

#include "loader/context_tree.h"
#include "loader/program.h"

#define CCT_SECTION ".cyclops.cct"
/* name of the file that the program writes, zero-terminated */
#define CCT_FILE_SECTION ".cyclops.cct.file"

enum cct_tag { CCT_RECORD, CCT_OFFSET, CCT_LIST, CCT_TAGS = 3 };

/* Offsets in a record, in bytes. */
enum { CCT_ID = 0, CCT_PARENT = 8, CCT_METRICS = 16 };

/* Offsets of the program's words at `state`, and bytes of stack in the region. */
enum {
	CCT_CSP = 0, /* gCSP */
	CCT_HEAP_NEXT = 8,
	CCT_HEAP_END = 16,
	CCT_ROOT_SLOT = 24, /* address of the root's slot */
	/* place of the program's first procedure, which may move its stack pointer freely */
	CCT_FIXED = 32,
	/* if it writes a file: the process that writes the tree under the plain name; forked ones
	 * append their number */
	CCT_PROCESS = 48,
	/* of the same: where the stack began; CCT_STACK_WAS_DEEP: it was deeper than there are
	 * places */
	CCT_STACK = 56,
	/* bytes of stack: 32 times Linux's limit; pages are allocated only as the stack gets that
	 * deep. Deeper stacks share places */
	CCT_STACK_LOG2 = 28,
	CCT_STACK_WAS_DEEP = 1,
	/* the former record of a list's first element while another one moves there */
	CCT_MOVED = 64,
	CCT_STREAMS = 72, /* the last stream's root; 0: none */
	CCT_PLACES = 80, /* places by stack pointer: gCSP to restore, record */
};

/* A thread's words with `atomic`, in bytes, and the size of their table. Thread pointers whose
 * distance is a multiple of this size have words of their own. */
enum { CCT_THREAD_CSP = 0, CCT_THREAD_NUMBER = 8, CCT_THREAD_LOG2 = 4, CCT_WORDS_LOG2 = 23 };
static inline uint64_t cct_thread_offset(uint64_t tp)
{
	return (tp ^ tp >> (CCT_WORDS_LOG2 - CCT_THREAD_LOG2)) & ((1 << CCT_WORDS_LOG2) - 16);
}

/* Offsets in a stream's root record: of its slot, key, and next stream's root; its size. */
struct cct_root {
	int32_t slot, list, key, next, bytes;
};
static inline struct cct_root cct_root_of(uint64_t metrics)
{
	const int32_t slot = CCT_METRICS + 8 * (int32_t)metrics, list = (slot + 8 + 15) / 16 * 16;
	return (struct cct_root){slot, list, list + 16, list + 24, list + 32};
}

struct cct_head {
	uint64_t magic;
	uint64_t state, heap, heap_bytes; /* addresses */
	uint64_t words;       /* address of threads' words; 0: there is one stream */
	uint64_t metrics;     /* words */
	uint64_t merged;      /* call sites are merged */
	uint64_t spares, spare_bytes; /* records for a full heap */
	/* number of cct_procedures that follow, then of call site addresses */
	uint64_t procedures, sites;
};

struct cct_procedure {
	uint64_t at;          /* first instruction, in the original program */
	uint64_t size;        /* bytes of its records, including initial lists */
	uint64_t callees;     /* offset of its slots in a record */
	uint64_t first, sites; /* its slots: index of the first call site; number */
	uint64_t spare;       /* address of its spare record */
	/* of procedures that share code: the upper half of path_function.first, whose lower half is
	 * the table's offset in a record */
	uint64_t group;
};

struct cct {
	struct cct_head head;
	/* [head.procedures], borrowed from the program's file: by address */
	const struct cct_procedure *procedures;
	/* [head.sites], borrowed: 0 where sites are merged */
	const uint64_t *sites;
};

/* Reads the section. False if p builds no tree, or the section is damaged. */
bool program_cct(const struct program *p, struct cct *out);

/* A source of a tree: guest memory, or a file of it. read returns false for memory that is not
 * there. */
struct cct_source {
	bool (*read)(const void *ctx, uint64_t addr, void *buf, uint64_t n);
	const void *ctx;
	/* the current pc, 0: not known, and thread pointer. They select the current record */
	uint64_t pc, tp;
};

/* Reads the tree that p has built so far. False with *err, the damage found in memory: *out is
 * empty. */
bool cct_tree(const struct program *p, const struct cct_source *from, struct context_tree *out,
              struct err *err);

#endif
