/* Stream compressors: samplers, splitters, tagged and associative tables, put together (Sastry,
 * Bodik, Smith, "Rapid profiling via stratified sampling", sections 3 and 4).
 *
 * A compressor is a chain of components. A tuple goes in at its head; each component passes on none
 * or one message for what comes in, and what leaves the last one goes to software. Written as text:
 *
 *   R(r)         one tuple in r, each independently of the others (3.1)
 *   Rc(r)        the next one after a countdown from a random number of 1 to 2r - 1 (3.1, of
 *                others' work)
 *   P(r)         every r-th tuple (3.1)
 *   C(X)         X is R, Rc or P: its messages say how many tuples came since the last one, not r
 *                (3.1)
 *   H(X, n)      n strata, by a hash of the tuple, each with a sampler X of its own (3.2);
 *                H(X, n, HASH), enum tuple_hash
 *   T(n, ...)    a table of n counters with partial tags (4); see struct component for what may
 *                follow
 *   A(k, bits)   an associative table of k tuples with counters of so many bits (3.4); loses
 *                nothing
 *   external     a plug-in (core/pipe/plugin.h); the first in the chain is the first of those that
 *                there are, and so on
 *
 * as in "H(P(256), 2048), A(16)". A message that a sampler without C sends stands for as many
 * tuples as its rate says; C, T and A write the count into it, and a plug-in writes any. Samplers
 * and T count tuples, so what comes in must all stand for equally many: only A and a plug-in may be
 * behind C, T, A or a plug-in.
 *
 * State lies in memory that the caller gives, all of it, and holds no pointers. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_COMPRESSOR_H
#define CYCLOPS_CORE_PROF_SAMPLER_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/state_ranges.h"
#include "core/pipe/message.h"

#define COMPRESSOR_EXTERNAL "external"

/*   id, letters, what it is */
#define COMPONENTS(C) \
	C(RANDOM, "R", "random sampler") \
	C(COUNTDOWN, "Rc", "random countdown sampler") \
	C(PERIODIC, "P", "periodic sampler") \
	C(TAGGED, "T", "tagged counters") \
	C(ASSOCIATIVE, "A", "associative counters") \
	C(EXTERNAL, COMPRESSOR_EXTERNAL, "plug-in")

enum component_kind {
#define C(id, letters, help) COMPONENT_##id,
	COMPONENTS(C)
#undef C
	COMPONENT_KINDS
};

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

/* One component, as it was asked for. */
struct component {
	uint32_t kind;       /* enum component_kind; of H: its sampler's */
	bool split;          /* H */
	bool counted;        /* C: of samplers */
	uint32_t hash;       /* enum tuple_hash: of H and T */
	uint32_t rate;       /* of samplers: tuples per message */
	/* substreams of H, counters of T, tuples of A, entries of a plug-in's table `counts`; else
	 * 1 */
	uint32_t entries;
	uint32_t unit;       /* tuples that each thing coming in stands for; 0: it says so itself */
	/* T(n, ways=2, tag=2, hit=8, miss=3, evict=32, replace=8, hash=random) */
	uint32_t ways;
	uint32_t tag_bits, hit_bits, miss_bits;
	uint32_t evict;      /* ShouldEvict: so many hits */
	/* ShouldReplace: so many misses; 2 at least, for the first one is E4 */
	uint32_t replace;
	uint32_t count_bits; /* of A's counters */
	uint32_t plugin;     /* of external: how many come before it in the chain */
	uint64_t plugin_bits; /* what the plug-in's tables take; of who has one */
};

enum { COMPRESSOR_STAGES_MAX = 4, COMPRESSOR_TEXT_MAX = 256 };

struct compressor_spec {
	unsigned count;
	/* [count], in the order in which tuples meet them */
	struct component stage[COMPRESSOR_STAGES_MAX];
};

/* False with *err, which says where the text is wrong and what would be right. */
bool compressor_parse(const char *text, struct compressor_spec *out, struct err *err);
/* Plug-ins that are part of it; 0 of what is no compressor. */
unsigned compressor_externals(const char *text);
/* A component, and the whole chain, as text that compressor_parse() takes. Both return buf. */
char *component_format(const struct component *c, char *buf, size_t n);
char *compressor_format(const struct compressor_spec *s, char *buf, size_t n);
/* Storage that it needs in hardware. */
uint64_t component_bits(const struct component *c);
uint64_t compressor_bits(const struct compressor_spec *s);
/* Whether the lengths of streams survive it: what came in is, at every moment, what messages stand
 * for and what is held. */
bool component_lossless(const struct component *c);

/* What a tagged entry is doing (figure 6). */
enum tag_state { TAG_EMPTY, TAG_VALID, TAG_EVICT };

/* Transitions of a tagged entry, by their names in figure 6. */
#define TAG_TRANSITIONS(T) \
	T(E1, "E1", "an empty entry is allocated") \
	T(E2, "E2", "the hit counter is full: a message, and the entry is empty") \
	T(E3, "E3", "a hit") \
	T(E4, "E4", "a miss: the entry is to be evicted when its tuple comes again") \
	T(E5, "E5", "too many misses: the entry is the new tuple's, with all counts") \
	T(E5A, "E5a", "a miss while the entry waits to be evicted") \
	T(E6, "E6", "enough hits: a message, and the entry is empty but for its misses") \
	T(E6A, "E6a", "a hit while the entry waits to be evicted")

/* What a component did with what came in. */
enum component_act {
	ACT_NONE,     /* nothing came in */
	ACT_COUNTED,  /* sampler: not this one */
	ACT_SAMPLED,  /* sampler: a message */
#define T(id, name, help) ACT_##id,
	TAG_TRANSITIONS(T)
#undef T
	ACT_HIT,      /* associative: counted in its entry */
	ACT_PLACED,   /* associative: a free entry is its own now */
	ACT_REPLACED, /* associative: the least recently used one is its own now, and was sent */
	ACT_FULL,     /* associative: its counter is full, and was sent */
	ACT_KEPT,     /* plug-in: nothing goes on */
	ACT_PASSED,   /* plug-in: it goes on as it came */
	ACT_CHANGED,  /* plug-in: another message goes on */
	ACT_COUNT
};

/* "E5a", "sampled"; and in words. */
extern const char *const component_act_name[ACT_COUNT], *const component_act_help[ACT_COUNT];

/* Where something went in a component. */
struct component_touch {
	uint32_t act;    /* enum component_act */
	uint32_t entry;  /* which; of plain samplers: 0 */
	uint64_t before,
		after;   /* its counter: tuples of samplers in this round, hits of T, count of A in
	                    units; of a plug-in the counts of what   came, and of what goes on */
	uint64_t misses; /* of T's entry, afterwards */
};

struct component_flow {
	uint64_t in, out;         /* tuples or messages */
	uint64_t weight_in, weight_out; /* tuples that they stand for */
};

struct plugin_bank;

struct compressor {
	struct compressor_spec spec;
	/* owned; NULL where a stage doesn't hash */
	struct tuple_hasher *hasher[COMPRESSOR_STAGES_MAX];
	void *state[COMPRESSOR_STAGES_MAX];                 /* in the caller's memory */
	struct component_flow *flow;                        /* [count], in the caller's memory */
	/* borrowed; set by whoever has `external` in the chain, before anything is taken. Its
	 * tables are not in `state` */
	struct plugin_bank *plugins;
};

/* Bytes of its state, and of what compressor_init() allocates beside it. */
size_t compressor_bytes(const struct compressor_spec *s);
size_t compressor_own_bytes(const struct compressor_spec *s);
/* state: so many zeroed bytes, 64-byte aligned, which the compressor uses until
 * compressor_deinit(); they may be copied and put back in between. False with *err if memory is
 * out. */
bool compressor_init(struct compressor *c, const struct compressor_spec *s, void *state,
                     struct err *err);
void compressor_deinit(struct compressor *c);
/* The first half of compressor_init(), which can't fail: whose state may be reset, but that takes
 * no tuples yet. */
void compressor_place(struct compressor *c, const struct compressor_spec *s, void *state);
/* As at its beginning. Equal seeds give equal samples. */
void compressor_reset(struct compressor *c, uint64_t seed);

/* One component: what comes in, *out if it returns true, and where it went (may be NULL). */
bool compressor_stage(struct compressor *c, unsigned stage, const struct message *in,
                      struct message *out, struct component_touch *touch);
/* The first component alone: tuples, each once, up to the first of which a message comes (*sent:
 * *out) or the last of n. How many. */
size_t compressor_feed_first(struct compressor *c, const struct tuple *t, size_t n,
                             struct message *out, bool *sent);
/* A tuple through all of them. True with *out: a message for software. */
bool compressor_take(struct compressor *c, struct tuple t, struct message *out);
/* Tuples one after another, until all n are taken or `room` messages came of them; *taken says how
 * many were. Returns the number of messages. */
size_t compressor_feed(struct compressor *c, const struct tuple *t, size_t n, struct message *out,
                       size_t room, size_t *taken);
/* The next message that can still be made of what is held; false: there is none left. Strata and
 * tagged counters don't know their tuples: what they hold stays. */
bool compressor_drain(struct compressor *c, struct message *out);
/* Tuples that came into a stage, or into all of them, and that no message has told of yet; of
 * lossless ones only. */
uint64_t component_held(const struct compressor *c, unsigned stage);
uint64_t compressor_held(const struct compressor *c);
bool compressor_lossless(const struct compressor *c);
/* For checkpoints: what each word of its state may be; and NULL, or what is impossible although all
 * are within these ranges. */
void compressor_ranges(const struct compressor *c, struct ranges *rs);
const char *compressor_check(const struct compressor *c);
/* The entries of its components, for people: a table for each that has some; how many. */
unsigned compressor_tables(const struct compressor *c,
                           struct state_part out[COMPRESSOR_STAGES_MAX]);

/* ---- the hash, for views and reference models ---- */
/* The steps of HASH_RANDOM. */
struct tuple_hash_steps {
	uint64_t pc_random, pc_flipped, value_random, mixed;
	uint32_t index;
};
/* Entry, or set of entries, that a stage keeps this tuple in; 0 for plain samplers and A. */
uint32_t compressor_index(const struct compressor *c, unsigned stage, struct tuple t);
/* Its tag in T. */
uint32_t compressor_tag(const struct compressor *c, unsigned stage, struct tuple t);
/* Only of stages with HASH_RANDOM. */
struct tuple_hash_steps compressor_hash_steps(const struct compressor *c, unsigned stage,
                                              struct tuple t);

/* ---- reading tables; entry < stage.entries ---- */
/* A stratum's, or plain sampler's, tuples in this round. */
struct sampler_view {
	uint32_t at;     /* P: tuples since the last message; Rc: still to come */
	uint64_t since;  /* C: tuples since the last message */
};
struct tagged_view {
	enum tag_state state;
	uint32_t tag, hits, misses;
};
struct associative_view {
	struct tuple tuple;
	uint64_t count; /* in units; 0: free */
	uint64_t used;  /* when; larger is later */
};
/* Of `external`: what the table `counts` of the plug-in holds, of which it has as many entries as
 * the stage; 0 of 0 if it has none. */
struct external_view {
	uint64_t count, most;
};
struct sampler_view compressor_sampler(const struct compressor *c, unsigned stage, uint32_t entry);
struct tagged_view compressor_tagged(const struct compressor *c, unsigned stage, uint32_t entry);
struct associative_view compressor_associative(const struct compressor *c, unsigned stage,
                                               uint32_t entry);
struct external_view compressor_external(const struct compressor *c, unsigned stage,
                                         uint32_t entry);
/* What its plug-in takes as a component of a chain: its tables' bits, and as many entries as its
 * table `counts` has. */
void component_be_external(struct component *c, const struct plugin_bank *plugins);

#endif
