/* A component of a stream compressor: one const descriptor and its functions, in
 * compress_NAME.c, and a row of COMPONENT_ROWS (core/defs/kinds.h).
 *
 * A component is a state machine with at most one message out for each one in. Its functions take
 * the compressor and the component's stage: parameters are spec.stage[stage], its state is
 * state[stage], the hash function of H, or of a tagged table, is hasher[stage]. Functions that have
 * no state take the parameters alone. Views, Lua and expressions show a component by its
 * functions only. A new one follows compress_periodic.c, if it is a sampler, or
 * compress_associative.c. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_COMPONENT_H
#define CYCLOPS_CORE_PROF_SAMPLER_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/state_ranges.h"
#include "core/base/textbuf.h"
#include "core/pipe/message.h"

struct component_ops;
struct compress_reader;
struct compressor;
struct plugin_bank;
struct sampler_rule;

/*   id, name, what it does with a tuple <pc, w> */
#define TUPLE_HASHES(H)                                                                            \
	H(RANDOM, "random",                                                                        \
	  "bytes of pc and w through a random table, those of pc reversed, xored, folded (3.5)")   \
	H(FOLD, "fold", "pc xor w, folded")                                                        \
	H(MODULO, "modulo", "pc xor w, modulo the number of entries")

enum tuple_hash {
#define H(id, name, help) HASH_##id,
	TUPLE_HASHES(H)
#undef H
		TUPLE_HASHES_COUNT
};

extern const char *const tuple_hash_name[TUPLE_HASHES_COUNT];

/* The steps of HASH_RANDOM. */
struct tuple_hash_steps {
	uint64_t pc_random, pc_flipped, value_random, mixed;
	uint32_t index;
};

/* The parameters of one component. */
struct component {
	uint32_t kind;                   /* enum component_kind; of H: its sampler's */
	const struct component_ops *ops; /* its descriptor */
	bool split;                      /* H */
	bool counted;                    /* C: of samplers */
	uint32_t hash;                   /* enum tuple_hash: of H and T */
	uint32_t rate;                   /* of samplers: tuples per message */
	/* substreams of H, counters of T, tuples of A, entries of a plug-in's table `counts`; else
	 * 1 */
	uint32_t entries;
	uint32_t unit;     /* tuples that each input stands for; 0: it has a count of its own */
	uint32_t ways;     /* entries of a set; 1 but for tagged ones */
	uint32_t tag_bits; /* of tagged ones */
	union {
		struct { /* T(n, ways=2, tag=2, hit=8, miss=3, evict=32, replace=8, hash=random) */
			uint32_t hit_bits, miss_bits;
			uint32_t evict; /* ShouldEvict: hits for it */
			/* ShouldReplace: misses for it; at least 2, because the first miss is E4 */
			uint32_t replace;
		};
		uint32_t count_bits;          /* of A's counters */
		struct {                      /* external */
			uint32_t plugin;      /* plug-ins before it in the chain */
			uint64_t plugin_bits; /* bits of the plug-in's tables */
		};
		uint32_t own[6]; /* for others */
	};
};

/* States of a tagged entry (figure 6). */
enum tag_state { TAG_EMPTY, TAG_VALID, TAG_EVICT };

/* Transitions of a tagged entry, by their names in figure 6. */
#define TAG_TRANSITIONS(T)                                                                         \
	T(E1, "E1", "an empty entry is allocated")                                                 \
	T(E2, "E2", "the hit counter is full: a message, and the entry is empty")                  \
	T(E3, "E3", "a hit")                                                                       \
	T(E4, "E4", "a miss: the entry is to be evicted when its tuple comes again")               \
	T(E5, "E5", "too many misses: the entry is the new tuple's, with all counts")              \
	T(E5A, "E5a", "a miss while the entry waits to be evicted")                                \
	T(E6, "E6", "enough hits: a message, and the entry is empty but for its misses")           \
	T(E6A, "E6a", "a hit while the entry waits to be evicted")

/* A component's action on its input; of samplers, T, A, and plug-ins. */
#define COMPONENT_ACTS(T)                                                                          \
	T(NONE, "none", "nothing came in")                                                         \
	T(COUNTED, "counted", "not selected")                                                      \
	T(SAMPLED, "sampled", "selected: a message")                                               \
	TAG_TRANSITIONS(T)                                                                         \
	T(HIT, "hit", "counted in its entry")                                                      \
	T(PLACED, "placed", "a free entry is its own now")                                         \
	T(REPLACED, "replaced",                                                                    \
	  "the entry that was used longest ago is its own now, and was sent")                      \
	T(FULL, "full", "its counter can hold no more, and was sent")                              \
	T(KEPT, "kept", "the plug-in keeps it")                                                    \
	T(PASSED, "passed", "the plug-in lets it go on as it came")                                \
	T(CHANGED, "changed", "the plug-in sends another in its place")

enum component_act {
#define T(id, name, help) ACT_##id,
	COMPONENT_ACTS(T)
#undef T
		ACT_COUNT
};

/* "E5a", "sampled"; and in words. */
extern const char *const component_act_name[ACT_COUNT], *const component_act_help[ACT_COUNT];

/* The entry of a component that an input touched. */
struct component_touch {
	uint32_t act;   /* enum component_act */
	uint32_t entry; /* which; of plain samplers: 0 */
	/* its counter: tuples of samplers in this round, hits of T, units of A; of a plug-in the
	 * counts of its input and output */
	uint64_t before, after;
	uint64_t misses; /* of T's entry, afterwards */
};

/* A counter of an entry, as in the hardware. */
struct component_counter {
	bool known;  /* false: it has none */
	bool used;   /* not empty */
	bool evicts; /* it waits to be evicted */
	/* progress towards a message: tuples of samplers, hits of T, units of A */
	uint64_t at, of;
};

/* A field of an entry, for Lua and expressions. */
struct entry_field {
	const char *name; /* "misses" */
	uint64_t value;
	const char *word; /* of a state, in lower case: "valid"; else NULL */
};

/* A row about an entry, for views. A row keeps its place: one that is missing has no `what`. */
struct entry_row {
	const char *what; /* "misses" */
	enum {
		ENTRY_TEXT,
		ENTRY_NUMBER,
		ENTRY_SIGNED,
		ENTRY_HEX,
		ENTRY_COUNTER,
		ENTRY_TUPLE
	} shows;
	uint64_t number;    /* unless it shows a text or tuple; ENTRY_SIGNED: an int64_t */
	struct tuple tuple; /* of ENTRY_TUPLE */
	enum { ENTRY_DIM, ENTRY_PLAIN, ENTRY_DONE, ENTRY_WAITING, ENTRY_HOT } tone;
	char says[112]; /* unless it shows a counter or a tuple */
};
enum { ENTRY_FIELDS_MAX = 8, ENTRY_ROWS_MAX = 16 };

struct component_ops {
	bool takes_any; /* its inputs may stand for different numbers of tuples */
	bool counts;    /* its messages have counts of their own; else only C can add them */
	bool tagged;    /* it hashes tuples to sets of entries with tags; else only H hashes */
	bool lossless;  /* component_lossless(); with C every sampler is */
	bool plugin;    /* a plug-in: it does not report the entries that it touches */
	const struct sampler_rule *rule; /* of samplers, which C and H take; else NULL */
	/* Reads its parameters, after its letters. Entries and ways are 1 before, other fields 0.
	 * NULL: it has none. */
	bool (*parse)(struct compress_reader *r, struct component *c);
	/* Sets what depends on the input's unit; and what does on the plug-ins. May be NULL. */
	void (*link)(struct component *c);
	void (*adopt)(struct component *c, const struct plugin_bank *plugins);
	/* Adds its parameters, as parse() takes them: "(64)"; and options as "ways=2, tag=2".
	 * Either may be NULL: it has none. */
	void (*format)(const struct component *c, struct textbuf *t);
	void (*options)(const struct component *c, struct textbuf *t);

	/* Bytes of its state, which is zero before reset(). NULL, of both: it has none. */
	size_t (*bytes)(const struct component *c);
	void (*reset)(const struct compressor *c, unsigned stage, uint64_t seed);
	uint64_t (*bits)(const struct component *c);
	bool (*in)(struct compressor *c, unsigned stage, const struct message *in,
	           struct message *out, struct component_touch *touch);
	/* The same for tuples in order, up to the first that produces a message (*sent, in *out) or
	 * the last of n. Returns how many were taken. Long streams spend their time here. NULL:
	 * they go through in(). */
	size_t (*feed)(struct compressor *c, unsigned stage, const struct tuple *t, size_t n,
	               struct message *out, bool *sent);
	/* Takes the next message out of its entries, after `drained` others in a row. NULL: its
	 * entries do not hold their tuples. */
	bool (*drain)(struct compressor *c, unsigned stage, struct message *out, unsigned drained);
	/* Tuples that it has taken and that are in no message yet. NULL: not known. */
	uint64_t (*held)(const struct compressor *c, unsigned stage);
	/* Checkpoints: lists the valid ranges of its entries' words, under this name; their table
	 * for display; the invariant that is broken, or NULL. All three NULL: it has no state. */
	void (*ranges)(const struct compressor *c, unsigned stage, const char *name,
	               struct ranges *rs);
	struct state_part (*table)(const struct compressor *c, unsigned stage, const char *name);
	const char *(*check)(const struct compressor *c, unsigned stage);

	/* Display, entry < stage.entries. */
	struct component_counter (*counter)(const struct compressor *c, unsigned stage,
	                                    uint32_t entry);
	/* Adds a counter that is known in words. NULL: "131 of 256". */
	void (*say_counter)(const struct component_counter *n, struct textbuf *t);
	/* Lists an entry's fields, at most ENTRY_FIELDS_MAX, and rows; returns how many. */
	unsigned (*fields)(const struct compressor *c, unsigned stage, uint32_t entry,
	                   struct entry_field *out);
	unsigned (*rows)(const struct compressor *c, unsigned stage, uint32_t entry,
	                 struct entry_row *out);
	/* The tuple of an entry; false: it is free. NULL: entries do not have their tuples. */
	bool (*tuple)(const struct compressor *c, unsigned stage, uint32_t entry,
	              struct tuple *out);
	/* Adds a step in words. */
	void (*say_touch)(const struct component *c, const struct component_touch *touch,
	                  struct textbuf *t);
	const char *fullest; /* heading of the entries with the most; NULL: "fullest" */
};

/* By enum component_kind: letters, and help, which begins with parameters: "(r) ...". */
extern const char *const component_letters[];
extern const char *const component_help[];

/* A component as text that compressor_parse() takes, and without its options: "T(64)". Both return
 * buf. */
char *component_format(const struct component *c, char *buf, size_t n);
char *component_format_short(const struct component *c, char *buf, size_t n);
/* Bits of storage that it needs in hardware. */
uint64_t component_bits(const struct component *c);
/* True if it loses no tuples: at any time, each input tuple is either in a message that it sent or
 * held. */
bool component_lossless(const struct component *c);
/* Buckets that its hash distributes tuples to; 0: it hashes nothing. */
uint32_t component_buckets(const struct component *c);
/* Adds a counter, or its absence, in words. */
void component_say_counter(const struct component *c, const struct component_counter *n,
                           struct textbuf *t);

#endif
