/* The profile that a handler of the co-processor keeps in its memory: the symbol `cop_profile`; the
 * Lua modules cyclops.values and cyclops.counts read it. All fields have natural alignment: a
 * reader needs only this file. */
#ifndef CYCLOPS_FIRMWARE_COP_PROFILE_H
#define CYCLOPS_FIRMWARE_COP_PROFILE_H

#include <stdint.h>

#define COP_PROFILE_MAGIC UINT64_C(0x706f632e637963) /* "cyc.cop" */
#define COP_PROFILE_VALUES 1  /* entries are struct value_entry */
#define COP_PROFILE_SAMPLES 2 /* struct value_sample */
#define COP_PROFILE_COUNTS 3  /* struct count_entry */

#ifndef VALUES
#define VALUES 7 /* values in an entry: it fills two cache lines */
#endif

/* Why a load is masked. */
enum value_masked { VALUE_UNMASKED, VALUE_HIGH, VALUE_LOW, VALUE_OFTEN };

struct cop_profile {
	uint64_t magic, kind;
	uint64_t entries, capacity, entry_bytes; /* entries in use, room for entries, bytes of an entry */
	uint64_t table;       /* address of [capacity] entries, used and free ones in any order */
	uint64_t interrupts;  /* of the co-processor */
	uint64_t samples;     /* samples counted in entries, or dropped */
	uint64_t dropped;     /* samples that found no room */
	/* Of value profiles: */
	uint64_t seen;        /* samples that the co-processor has processed, including those lost with replaced slots */
	uint64_t slots;       /* slots read in all turns */
	uint64_t clocks;      /* turns ended by the clock */
	uint64_t thrashes, splits, merges;
	uint64_t regions;     /* regions into which the program is divided now */
	uint64_t masked[4];   /* by enum value_masked: number of times that a load was masked */
	uint64_t slots_in_array;
	uint64_t fault;       /* status of the co-processor at its fault, 0: none */
	uint64_t resamples;   /* number of times that all masks were forgotten */
};

struct value_count {
	uint32_t value; /* lowest 32 bits */
	uint32_t hits;  /* 0: not in use */
	uint32_t misses;
	uint32_t spare;
};

struct value_entry {
	uint32_t pc; /* 0: not in use */
	uint16_t turns;
	uint16_t masked; /* enum value_masked */
	uint64_t total;  /* samples, including those of values without an entry */
	struct value_count values[VALUES];
};

struct value_sample {
	uint32_t pc; /* 0: not in use */
	uint32_t value;
	uint64_t count;
};

/* Counts of one or two places; a place is a pc unless noted. */
enum count_kind {
	COUNT_NONE,       /* not in use */
	COUNT_BRANCH,     /* of a conditional branch: not taken, taken */
	COUNT_TARGET,     /* of an indirect jump and its target */
	COUNT_PAIR,       /* of two branches sampled in sequence (0: before the first sample): taken none, second, first, both */
	COUNT_CONTEXT,    /* of a call and the first instruction of the procedure: mispredictions in
	                   * it; both 0: the profile's beginning */
	COUNT_DEPENDENCE, /* of a store and a load that read the stored value */
	COUNT_SET,        /* of a set (its address bits), and 0: conflicts */
	COUNT_ACCESS,     /* of a set and a load: accesses, misses */
	/* of a calling context's key and its parent's (0: none). n[0]: mispredictions; n[1] and
	 * n[2] are addresses: the procedure, and the call that entered it */
	COUNT_NODE
};
enum { COUNTS = 4 };

struct count_entry { /* 32 bytes: a line of most first levels */
	uint32_t kind, spare;
	uint32_t from, to;
	uint32_t n[COUNTS];
};
#endif
