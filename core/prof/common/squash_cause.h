/* Events that can happen to an instruction, and causes of squashes: the pipeline sets them,
 * ProfileMe and the oracle record them. */
#ifndef CYCLOPS_CORE_PROF_COMMON_SQUASH_CAUSE_H
#define CYCLOPS_CORE_PROF_COMMON_SQUASH_CAUSE_H

#include <stdint.h>

/*   id, name, what happened to the instruction */
#define PROFILEME_EVENTS(E) \
	E(ICACHE_MISS, icache_miss, "its fetch missed the L1I") \
	E(ITLB_MISS, itlb_miss, "its fetch missed the ITLB") \
	E(DCACHE_MISS, dcache_miss, "its load missed the L1D") \
	E(DCACHE_DELAYED, dcache_delayed, "its load's line was on its way: a delayed hit") \
	E(L2_MISS, l2_miss, "its load missed the L2 too") \
	E(DTLB_MISS, dtlb_miss, "its load missed the DTLB") \
	E(FORWARDED, forwarded, "its load took the data of stores that had not reached the L1D") \
	E(MISPREDICTED, mispredicted, "it went elsewhere than fetch had gone on") \
	E(REPLAY_ORDER, replay_order, "replayed: it had overtaken a store to the same bytes") \
	E(REPLAY_SIZE, replay_size, "replayed: a narrower store wrote some of its bytes") \
	E(REPLAY_SYNONYM, replay_synonym, "replayed: its line would have displaced another's")

enum profileme_event {
#define E(id, name, help) PROFILEME_##id,
	PROFILEME_EVENTS(E)
#undef E
	PROFILEME_EVENT_COUNT
};

/*   id, name, why a tagged instruction left */
#define PROFILEME_FATES(F) \
	F(RETIRED, retired, "it retired") \
	F(BRANCH, wrong_path, "an older branch went elsewhere") \
	F(REPLAY, replay, "it, or an older instruction, was replayed") \
	F(INTERRUPT, interrupt, "an interrupt came") \
	F(OTHER, other, "the machine was changed by hand")

enum profileme_fate {
#define F(id, name, help) PROFILEME_FATE_##id,
	PROFILEME_FATES(F)
#undef F
	PROFILEME_FATE_COUNT
};

/* The cause of the next squash, and the replayed instruction, 0: none. Valid for one squash. */
struct squash_cause {
	uint64_t replayed; /* struct uop's seq */
	uint16_t fate;     /* enum profileme_fate */
	uint16_t event;    /* enum profileme_event of `replayed` */
	uint16_t trap;     /* enum replay of it */
	uint32_t count;    /* instructions squashed */
	uint64_t partner;  /* pc of the access that it conflicts with; 0: no instruction's */
};

#endif
