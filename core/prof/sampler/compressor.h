/* Stream compressors: samplers, splitters, tagged and associative tables, combined (Sastry, Bodik,
 * Smith, "Rapid profiling via stratified sampling", sections 3 and 4).
 *
 * A compressor is a chain of components. Tuples enter at its head; each component passes on at most
 * one message for each input, and the output of the last one goes to software. As text:
 *
 *   R(r), Rc(r), P(r), T(n, ...), A(k, bits), external
 *                a component of COMPONENT_ROWS (core/defs/kinds.h); the n-th `external` is the
 *                n-th plug-in (core/pipe/plugin.h)
 *   C(X)         X is a sampler: its messages have the number of tuples since the last one, not r
 *                (3.1)
 *   H(X, n)      n strata, by a hash of the tuple, each with a sampler X of its own (3.2);
 *                H(X, n, HASH), enum tuple_hash
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
#include "core/prof/sampler/component.h"

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
/* The chain as text that compressor_parse() takes. Returns buf. */
char *compressor_format(const struct compressor_spec *s, char *buf, size_t n);
/* Bits of storage that it needs in hardware. */
uint64_t compressor_bits(const struct compressor_spec *s);
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
/* Entry, or set of entries, that a stage keeps this tuple in; 0 for plain samplers and A. */
uint32_t compressor_index(const struct compressor *c, unsigned stage, struct tuple t);
/* Its tag in T. */
uint32_t compressor_tag(const struct compressor *c, unsigned stage, struct tuple t);
/* Only of stages with HASH_RANDOM. */
struct tuple_hash_steps compressor_hash_steps(const struct compressor *c, unsigned stage,
                                              struct tuple t);

/* Sets the fields of the chain's plug-ins: bits of the plug-in's tables, and entries of the table
 * `counts` (1 if there is none). */
void compressor_be_external(struct compressor_spec *s, const struct plugin_bank *plugins);

#endif
