/* The two machines in step and what is kept of both (twin.h says what they do). */
#ifndef CYCLOPS_HWVIEWS_TWIN_TWIN_STATE_H
#define CYCLOPS_HWVIEWS_TWIN_TWIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum { TWIN_A, TWIN_B, TWIN_MACHINES };

/* Where both are. Numbers are of each machine. */
struct twin_place {
	/* committed: of the session's program, what was put into the twin's is not counted */
	uint64_t insts[TWIN_MACHINES];
	uint64_t cycle[TWIN_MACHINES];  /* done */
	uint64_t common;                /* instructions that both have committed */
	/* in step by instruction: the cycles it took until the last of them had committed; else as
	 * cycle */
	uint64_t at[TWIN_MACHINES];
	bool by_cycle;                  /* in step by cycle */
};

struct twin {
	struct session *session; /* owned: B */
	struct gap *gap;         /* owned; hwviews/twin/gap.h */
	struct twin_code *code;  /* owned; NULL: B's program is A's */
	struct pairing *pairing;     /* owned: with code, hwviews/twin/pairing.h; else NULL */
	bool by_cycle;           /* in step by cycle, not by instruction */
	uint64_t aim;            /* what B was brought to last: its number of instructions; */
	uint64_t arrived;        /* in this cycle, and then it had committed */
	uint64_t insts;          /* so many, without what was put in, as A numbers them */
	char what[160];          /* how B differs, as a person said it */
	/* what twin_bring() said last, and how far B was behind at the place before; [known] */
	struct twin_place place;
	int64_t behind_before;
	unsigned known;          /* places said so far, 2 at most */
};

#endif
