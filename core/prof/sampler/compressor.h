/* Stream compressors: samplers, splitters, tagged and associative tables, combined (Sastry, Bodik,
 * Smith, "Rapid profiling via stratified sampling", sections 3 and 4).
 *
 * A compressor is a chain of components. Tuples enter at its head; each component passes on at most
 * one message for each input, and the output of the last one goes to software. As text:
 *
 *   R(r)         one tuple in r, each independently of the others (3.1)
 *   Rc(r)        the next one after a countdown from a random number of 1 to 2r - 1 (3.1, of
 *                others' work)
 *   P(r)         every r-th tuple (3.1)
 *   C(X)         X is R, Rc or P: its messages have the number of tuples since the last one, not r
 *                (3.1)
 *   H(X, n)      n strata, by a hash of the tuple, each with a sampler X of its own (3.2);
 *                H(X, n, HASH), enum tuple_hash
 *   T(n, ...)    a table of n counters with partial tags (4); for its options see struct component
 *   A(k, bits)   an associative table of k tuples with counters of so many bits (3.4); loses
 *                nothing
 *   external     a plug-in (core/pipe/plugin.h): the n-th one in the chain is the n-th plug-in
 *
 * as in "H(P(256), 2048), A(16)". A message of a sampler without C stands for as many tuples as its
 * rate; C, T and A write the count into it, and a plug-in writes any count. Samplers and T count
 * inputs, which must all stand for equally many tuples: only A and a plug-in may follow C, T, A or
 * a plug-in.
 *
 * All state lies in memory that the caller provides, and holds no pointers. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_COMPRESSOR_H
#define CYCLOPS_CORE_PROF_SAMPLER_COMPRESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/state_ranges.h"
#include "core/pipe/message.h"

#define COMPRESSOR_EXTERNAL "external"

/*   id, letters, component_NAME (struct component_ops), what it is */
#define COMPONENTS(C) \
	C(RANDOM, "R", sampler, "random sampler") \
	C(COUNTDOWN, "Rc", sampler, "random countdown sampler") \
	C(PERIODIC, "P", sampler, "periodic sampler") \
	C(TAGGED, "T", tagged, "tagged counters") \
	C(ASSOCIATIVE, "A", associative, "associative counters") \
	C(EXTERNAL, COMPRESSOR_EXTERNAL, external, "plug-in")

enum component_kind {
#define C(id, ...) COMPONENT_##id,
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

/* The parameters of one component. */
struct component {
	uint32_t kind;       /* enum component_kind; of H: its sampler's */
	bool split;          /* H */
	bool counted;        /* C: of samplers */
	uint32_t hash;       /* enum tuple_hash: of H and T */
	uint32_t rate;       /* of samplers: tuples per message */
	/* substreams of H, counters of T, tuples of A, entries of a plug-in's table `counts`; else
	 * 1 */
	uint32_t entries;
	uint32_t unit;       /* tuples that each input stands for; 0: it has a count of its own */
	/* T(n, ways=2, tag=2, hit=8, miss=3, evict=32, replace=8, hash=random) */
	uint32_t ways;
	uint32_t tag_bits, hit_bits, miss_bits;
	uint32_t evict;      /* ShouldEvict: so many hits */
	/* ShouldReplace: so many misses; at least 2, for the first one is E4 */
	uint32_t replace;
	uint32_t count_bits; /* of A's counters */
	uint32_t plugin;     /* of external: how many come before it in the chain */
	uint64_t plugin_bits; /* bits of the plug-in's tables; of external */
};

enum { COMPRESSOR_STAGES_MAX = 4, COMPRESSOR_TEXT_MAX = 256 };

struct compressor_spec {
	unsigned count;
	/* [count], in the order in which tuples pass them */
	struct component stage[COMPRESSOR_STAGES_MAX];
};

/* False with *err: the place in the text, and what is expected there. */
bool compressor_parse(const char *text, struct compressor_spec *out, struct err *err);
/* The number of plug-ins in the chain; 0 if text is no compressor. */
unsigned compressor_externals(const char *text);
/* A component, and the whole chain, as text that compressor_parse() takes. Both return buf. */
char *component_format(const struct component *c, char *buf, size_t n);
char *compressor_format(const struct compressor_spec *s, char *buf, size_t n);
/* Bits of storage that it needs in hardware. */
uint64_t component_bits(const struct component *c);
uint64_t compressor_bits(const struct compressor_spec *s);
/* True if it loses no tuples: at any time, its inputs are the tuples that its messages stand for
 * and those that it holds. */
bool component_lossless(const struct component *c);

/* States of a tagged entry (figure 6). */
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

/* A component's action on its input: ACT_NONE if there was none. */
enum component_act {
	ACT_NONE,     /* nothing came in */
	ACT_COUNTED,  /* sampler: counted, no message */
	ACT_SAMPLED,  /* sampler: a message */
#define T(id, name, help) ACT_##id,
	TAG_TRANSITIONS(T)
#undef T
	ACT_HIT,      /* associative: counted in its entry */
	ACT_PLACED,   /* associative: it got a free entry */
	ACT_REPLACED, /* associative: it got the least recently used entry, which was sent */
	ACT_FULL,     /* associative: its counter is full, and was sent */
	ACT_KEPT,     /* plug-in: no output */
	ACT_PASSED,   /* plug-in: passed on unchanged */
	ACT_CHANGED,  /* plug-in: passed on another message */
	ACT_COUNT
};

/* "E5a", "sampled"; and in words. */
extern const char *const component_act_name[ACT_COUNT], *const component_act_help[ACT_COUNT];

/* The entry of a component that an input touched. */
struct component_touch {
	uint32_t act;    /* enum component_act */
	uint32_t entry;  /* which; of plain samplers: 0 */
	/* its counter: tuples of samplers in this round, hits of T, units of A; of a plug-in the
	 * counts of its input and output */
	uint64_t before, after;
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
	/* borrowed; set by the owner of a chain with `external`, before the first tuple. Plug-ins'
	 * tables are not in `state` */
	struct plugin_bank *plugins;
};

/* Bytes of its state, and bytes that compressor_init() allocates beside it. */
size_t compressor_bytes(const struct compressor_spec *s);
size_t compressor_own_bytes(const struct compressor_spec *s);
/* state: compressor_bytes() zeroed bytes, 64-byte aligned, which the compressor uses until
 * compressor_deinit(); they may be saved and restored meanwhile. False with *err if memory is out.
 */
bool compressor_init(struct compressor *c, const struct compressor_spec *s, void *state,
                     struct err *err);
void compressor_deinit(struct compressor *c);
/* The first half of compressor_init(), which can't fail. After it the state may be reset, but no
 * tuples can be taken yet. */
void compressor_place(struct compressor *c, const struct compressor_spec *s, void *state);
/* Resets its state. Equal seeds give equal samples. */
void compressor_reset(struct compressor *c, uint64_t seed);

/* Passes an input to one component. True with its output in *out. *touch, unless NULL, gets the
 * entry that was touched. */
bool compressor_stage(struct compressor *c, unsigned stage, const struct message *in,
                      struct message *out, struct component_touch *touch);
/* Feeds the first component alone, up to the first tuple that produces a message (*sent, in *out)
 * or the last of n. Returns the number of tuples taken. */
size_t compressor_feed_first(struct compressor *c, const struct tuple *t, size_t n,
                             struct message *out, bool *sent);
/* Feeds a tuple to the chain. True with a message for software in *out. */
bool compressor_take(struct compressor *c, struct tuple t, struct message *out);
/* Feeds tuples to the chain, until all n are taken or they have produced `room` messages; *taken:
 * how many were taken. Returns the number of messages. */
size_t compressor_feed(struct compressor *c, const struct tuple *t, size_t n, struct message *out,
                       size_t room, size_t *taken);
/* Takes the next message out of the components' entries; false: there is none left. Strata and
 * tagged counters do not have their tuples: their counts stay. */
bool compressor_drain(struct compressor *c, struct message *out);
/* Tuples that a stage, or the chain, has taken and that are in no message yet; of lossless ones
 * only. */
uint64_t component_held(const struct compressor *c, unsigned stage);
uint64_t compressor_held(const struct compressor *c);
bool compressor_lossless(const struct compressor *c);
/* For checkpoints: lists the valid ranges of its state's words; NULL, or the invariant that is
 * broken although all are within these ranges. */
void compressor_ranges(const struct compressor *c, struct ranges *rs);
const char *compressor_check(const struct compressor *c);
/* Lists its components' entries for display, a table for each component that has some; returns the
 * number of tables. */
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
	uint64_t used;  /* last use; larger is later */
};
/* Of `external`: an entry of the plug-in's table `counts`, and the most that it can hold; both 0 if
 * there is no such table. */
struct external_view {
	uint64_t count, most;
};
struct sampler_view compressor_sampler(const struct compressor *c, unsigned stage, uint32_t entry);
struct tagged_view compressor_tagged(const struct compressor *c, unsigned stage, uint32_t entry);
struct associative_view compressor_associative(const struct compressor *c, unsigned stage,
                                               uint32_t entry);
struct external_view compressor_external(const struct compressor *c, unsigned stage,
                                         uint32_t entry);
/* Sets an external component's plugin_bits to the bits of the plug-in's tables, and its entries to
 * those of the table `counts` (1 if there is none). */
void component_be_external(struct component *c, const struct plugin_bank *plugins);

#endif
