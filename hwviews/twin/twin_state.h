/* The two machines in step and the data kept of both (operations: twin.h). */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_STATE_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum { TWIN_A, TWIN_B, TWIN_MACHINES };

/* The places of both machines. */
struct twin_place {
	/* committed, of the session's program: without inserted ones */
	uint64_t insts[TWIN_MACHINES];
	uint64_t cycle[TWIN_MACHINES];  /* done */
	uint64_t common;                /* instructions that both have committed */
	/* in step by instruction: cycles until the last common one had committed; else like cycle
	 */
	uint64_t at[TWIN_MACHINES];
	bool by_cycle;                  /* in step by cycle */
};

struct twin {
	struct session *session; /* owned: B */
	struct gap *gap;         /* owned; hwviews/twin/gap.h */
	struct twin_code *code;  /* owned; NULL: B's program is A's */
	struct pairing *pairing;     /* owned: with code, hwviews/twin/pairing.h; else NULL */
	bool by_cycle;           /* in step by cycle, not by instruction */
	uint64_t aim;            /* B's last aim, a number of instructions */
	uint64_t arrived;        /* the cycle in which B reached the aim */
	uint64_t insts;          /* B's instructions, as A counts them: without inserted code */
	char what[160];          /* B's difference, in the user's words */
	/* the last result of twin_bring(), and B's distance behind A at the place before */
	struct twin_place place;
	int64_t behind_before;
	unsigned known;          /* places known, 2 at most */
};

#endif
