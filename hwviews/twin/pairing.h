/* Pairs instructions of the twin with those of the session's machine, if the twin's program has
 * inserted code.
 *
 * Both machines mostly execute the same, but a program that reads itself (its headers, addresses)
 * takes another path for a while. Instructions of that path have no counterpart; after it, pairs
 * continue.
 *
 * Instructions are numbered in commit order from 1, without inserted code. A is the session's
 * machine, B the twin. */
#ifndef CYCLOPS_HWVIEWS_TWIN_PAIRING_H
#define CYCLOPS_HWVIEWS_TWIN_PAIRING_H

#include "hwviews/twin/twin_code.h"
#include "hwviews/twin/twin_state.h"

struct session;

/* ---- commits of one machine, in order, in pieces, by re-execution ---- */
/* Inserted code has no records: its cycles count for the next instruction of the program. */
enum { COMMITS_CARRY = 256 /* most commits of a cycle beyond the number wanted */ };

struct committed {
	uint64_t pc, seq, cycles;      /* pc: in the session's program; cycles: since the previous
	                                * one */
	uint64_t put_in, put_in_insts; /* part of cycles, until the last inserted instruction;
	                                * number of those */
};

struct commits {
	const struct twin_code *code; /* borrowed; NULL: no inserted code */
	struct committed *all;   /* [count], with room for wanted + COMMITS_CARRY; owned by the
	                          * caller */
	size_t count, wanted;
	uint64_t from;           /* the next cycle to go through */
	uint64_t last;           /* cycles done at the commit of the last record */
	uint64_t put_in, put_in_insts; /* inserted, since the last other instruction */
};

/* Reads commits of r's machine until there are `wanted`. False with *err: interrupted, or the
 * record ends before. */
bool commits_read(struct commits *c, struct run *r, size_t wanted, struct err *err);
/* Removes the first n. */
void commits_drop(struct commits *c, size_t n);

/* ---- pairs ---- */
/* A's instruction a pairs with B's b, a + 1 with b + 1, and so on. The alone_a and alone_b
 * instructions directly before are unpaired. */
struct pairing_split {
	uint64_t a, b;
	uint32_t alone_a, alone_b;
};

struct pairing {
	struct pairing_split *splits; /* [count], owned; the first is {1, 1} */
	size_t count, room;
	uint64_t passed[TWIN_MACHINES]; /* numbers compared so far */
	/* A's number from which the programs differ for good, and equal numbers are paired; 0: none
	 */
	uint64_t parted;
	uint64_t cuts;              /* count of cuts in A's history at the start */
	struct commits commits[TWIN_MACHINES];
	struct committed *buffers;  /* owned: of both */
};

/* A pairing for twins with this code, which must outlive the pairing. NULL if memory is out. */
struct pairing *pairing_new(const struct twin_code *code);
void pairing_free(struct pairing *l);

/* Compares up to A's number, if not done; moves the twin's machine. False with *err. */
bool pairing_take(struct pairing *l, const struct session *s, uint64_t number, struct err *err);
/* B's number paired with A's; if A's is unpaired (*alone), the last one before it. */
uint64_t pairing_b(const struct pairing *l, uint64_t a, bool *alone);
/* A's number paired with B's; likewise. */
uint64_t pairing_a(const struct pairing *l, uint64_t b, bool *alone);

#endif
