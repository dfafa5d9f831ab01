/* State of Xprof in the pipeline (xprof.h): profile flags as fetch and decode know them. */
#ifndef CYCLOPS_CORE_PIPE_XPROF_XPROF_STATE_H
#define CYCLOPS_CORE_PIPE_XPROF_XPROF_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/xprof/bdt.h"

enum { PROFILE_TYPES_MAX = 8 };

/* Fetch strategies for control instructions that are profile instructions (Vaswani III.B.2). */
enum xprof_bpred { XPROF_IGNORED_UPDATE, XPROF_FLAG, XPROF_PREDICTION_BIT };

/* In the arena. */
struct xprof_state {
	uint16_t known;          /* flags as decode has them, a bit for each type */
	uint16_t bits;           /* fetch's prediction bits */
	uint16_t pop_slot[PROFILE_TYPES_MAX]; /* the poppf that a flag waits for, NO_SLOT: none */
	uint64_t pop_seq[PROFILE_TYPES_MAX];
	/* of the oldest setpf or resetpf that has acted since that poppf, 0: none */
	uint64_t set_seq[PROFILE_TYPES_MAX];
	uint64_t bit_seq[PROFILE_TYPES_MAX];  /* of who set the prediction bit */
	/* leader address register: of the block that decode is in, 0: none */
	uint64_t leader;
	uint64_t leader_mark;    /* other instructions decoded, when it was last in it */
	uint32_t leader_type, leader_count; /* of that block: type, instructions so far */
	/* byte addresses of the block that the last pblen announced */
	uint64_t block_leader, block_follow;
	/* in which decode last dropped a profile instruction, or acted on control */
	uint64_t acted_cycle;
	uint64_t acted;          /* bit i: it did so in acted_cycle - i, too */
	/* in which decode last sent fetch back, or met a leader behind which fetch has skipped */
	uint64_t again_cycle;
	uint64_t again_seq;      /* of what is fetched after that */
};

struct plugin_bank;

struct xprof {
	bool enabled;
	enum xprof_bpred bpred;
	struct xprof_state *st;
	struct bdt bdt;
	struct plugin_bank *plugins; /* borrowed; set by the caller. NULL: prediction bits */
};

#endif
