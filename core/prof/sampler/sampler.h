/* The stream sampler: selector, tuple queue, compressor, message queue (Sastry, Bodik, Smith,
 * figure 1 and section 2).
 *
 * In a cycle, tuples of selected instructions that committed enter the tuple queue; tuples without
 * room are dropped. From the next cycle on the first component takes the oldest tuple, one in each
 * cycle; each other component takes its predecessor's output of the previous cycle. Outputs of the
 * last one are messages. Without timing a tuple passes all of them at once.
 *
 * Software reads messages in one of two ways (2.2, sampler.reader):
 *   interrupt   sampler.threshold messages request interrupt 17; firmware reads them from the
 *               registers below
 *   service     a service thread on a processor of its own takes one every sampler.service cycles
 * Messages without room in the message queue are dropped.
 *
 * Registers, 64 bits each, in the device's page (struct device):
 *
 *   0x000  control    bit 0: select; 1 at the beginning
 *   0x008  waiting    read only: messages in the queue
 *   0x010  threshold  interrupt 17 is pending while at least so many wait; 0: never
 *   0x018  pc         read only: of the oldest message, without its tag; this and what follows up
 *          to take are 0 if there is none
 *   0x020  value
 *   0x028  tag
 *   0x030  take       its count; reading it takes the message out of the queue
 *   0x038  drain      write: drains the compressor into messages, as many as there is room for
 *   0x040  tagged pc  read only: pc, with the tag in its uppermost byte; 0 if there is none
 *   0x100 + 0x80 * i  stream i < 8, as struct sampler_stream: kind, kinds, tag, marked, ranges,
 *                     then pairs lo, hi from 0x30 on
 *
 * Firmware's own instructions are never selected. */
#ifndef CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_H
#define CYCLOPS_CORE_PROF_SAMPLER_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/state_ranges.h"
#include "core/isa/inst.h"
#include "core/prof/sampler/compressor.h"

/* Also written by changes (JOURNAL_DEVICE), not only by firmware. */
enum { SAMPLER_REGISTER_THRESHOLD = 0x10, SAMPLER_REGISTER_DRAIN = 0x38 };

struct arena;
struct config;
struct err;
struct prof;
struct sampler_exact;
struct uop;

/*   id, name, what the tuple of an instruction at pc is */
#define TUPLE_KINDS(K)                                                                             \
	K(VALUE, "value", "<pc, what it wrote to its register>")                                   \
	K(ADDRESS, "address", "<pc, byte address it accessed>")                                    \
	K(EDGE, "edge", "<pc, where it went>, of branches and indirect jumps that are no calls")   \
	K(CALL, "call", "<pc, what it called>")                                                    \
	K(TYPE, "type",                                                                            \
	  "<pc, method table>, of indirect calls: the first word loaded through the receiver, a0") \
	K(MISPREDICT, "mispredict",                                                                \
	  "<pc, where it went>, of mispredicted branches and jumps; only with timing")             \
	K(MISS, "miss",                                                                            \
	  "<pc, level that served it: enum mem_level>, of loads that missed the first; only with " \
	  "timing")

enum tuple_kind {
#define K(id, name, help) TUPLE_##id,
	TUPLE_KINDS(K)
#undef K
	TUPLE_KIND_COUNT
};

extern const char *const tuple_kind_name[TUPLE_KIND_COUNT];

enum { SAMPLER_STREAMS_MAX = 8, SAMPLER_RANGES_MAX = 5 };

/* A stream of the selector, all words, as firmware writes it. */
struct sampler_stream {
	uint64_t kind;   /* 1 + enum tuple_kind; 0: nothing */
	uint64_t kinds;  /* of instructions: 1 << enum inst_kind; 0: any that have such a tuple */
	uint64_t tag;    /* up to TUPLE_TAG_MAX */
	uint64_t marked; /* 1: only instructions after a `mark` */
	uint64_t ranges; /* how many follow; 0: any pc */
	uint64_t spare;
	uint64_t range[SAMPLER_RANGES_MAX][2]; /* bytes, [lo, hi) */
};

struct sampler_select {
	unsigned count;
	struct sampler_stream stream[SAMPLER_STREAMS_MAX];
};

/* "value of load|store in 0x10000-0x12000, edge tag 1, value marked": streams, separated by commas.
 * Each is the kind of its tuples, then, in any order: of KIND|KIND (enum inst_kind), in
 * LO-HI|LO-HI, marked, tag N. False with *err. */
bool sampler_parse_select(const char *text, struct sampler_select *out, struct err *err);
/* A stream as text that sampler_parse_select() takes. Returns buf. */
char *sampler_format_stream(const struct sampler_stream *s, char *buf, size_t n);
/* Checks for texts of params.def. */
bool sampler_check_select(const char *text, struct err *err);
bool sampler_check_compressor(const char *text, struct err *err);

/* Words recently loaded through a pointer without an offset: each may be a method table's address.
 */
enum { FIRST_WORDS = 8 };
struct first_word {
	uint64_t addr, value;
};

/* The last step of a component. */
struct sampler_step {
	uint64_t cycle;         /* guest's; 0: never */
	struct message in, out; /* out.count 0: nothing came out */
	struct component_touch touch;
};

/* A message that waits for software. */
struct sampler_waiting {
	struct message message;
	uint64_t arrived; /* guest cycle */
};

enum { GAP_BUCKETS = 32 };
enum {
	WANTED_BY_STREAM = (1 << SAMPLER_STREAMS_MAX) - 1,
	WANTED_FIRST_WORD = 1 << SAMPLER_STREAMS_MAX
};

struct sampler_state {
#define STATE STATE_FIELD
#include "core/prof/sampler/sampler_state.def"
#undef STATE
};

/* Tuples picked while work is deferred (sampler_later.c). */
enum { SAMPLER_BATCH = 512 };
struct sampler_batch {
	size_t count;
	struct tuple tuple[SAMPLER_BATCH];
	uint64_t now[SAMPLER_BATCH]; /* guest cycles, which never go down */
};

struct sampler {
	struct sampler_state *st;    /* in the arena */
	struct tuple *tuples;        /* in the arena; [sampler.tuple_queue] */
	struct sampler_waiting *messages; /* in the arena; [sampler.message_queue] */
	void *memory;                /* in the arena: the compressor's */
	struct sampler_select select; /* as configured */
	struct compressor compressor; /* owned */
	struct sampler_batch batch;   /* empty whenever the machine's state may be read */
	struct sampler_exact *exact;  /* owned; NULL: sampler.exact is off */
	/* Called for each selected tuple, for the caller that runs the machine forwards; borrowed;
	 * NULL: none. */
	void (*sink)(void *ctx, struct tuple t);
	void *sink_ctx;
};

/* NULL if the machine has none. d is machine_pipe(m)->prof. */
const struct sampler *sampler_of(const struct prof *d);
/* NULL if the machine has no sampler or no exact counts beside it (sampler.exact). */
const struct sampler_exact *sampler_exact_of(const struct prof *d);
/* Message i < message_count, oldest first; tuple i < tuple_count likewise. */
const struct sampler_waiting *sampler_message(const struct prof *d, uint64_t i);
struct tuple sampler_tuple(const struct prof *d, uint64_t i);
/* Tuples in the sampler, or in messages that wait: taken and not yet read. Of lossless compressors
 * only. */
uint64_t sampler_held(const struct prof *d);

/* True if the streams, as they are now, select a retired instruction; except streams of types,
 * which depend on earlier loads. */
bool sampler_takes(const struct sampler_state *st, const struct uop *u);

/* ---- for the sampler's own files ---- */
struct executed;
struct retired;
/* Picks the tuple of an instruction that has one at most, its result, as most do: *n is 0 or 1.
 * False: call one of the next two. */
static inline bool sampler_pick_plain(const struct sampler_state *st, const struct inst *in,
                                      uint64_t pc, uint64_t result, struct tuple *out,
                                      uint8_t *kind, unsigned *n)
{
	const unsigned wanted = st->wanted[in->op];
	if ((wanted & ~st->plain) || (wanted & (wanted - 1)))
		return false;
	*kind = TUPLE_VALUE;
	*out = (struct tuple){pc | st->stream[__builtin_ctz(wanted)].tag << TUPLE_TAG_SHIFT,
	                      result};
	*n = in->rd != REG_SINK;
	return true;
}

/* sampler_select.c: writes the tuples of this instruction, and their enum tuple_kind, to arrays of
 * SAMPLER_STREAMS_MAX. Returns how many. */
unsigned sampler_pick_retired(struct sampler_state *st, const struct retired *r, struct tuple *out,
                              uint8_t *kind);
unsigned sampler_pick_executed(struct sampler_state *st, const struct executed *e,
                               struct tuple *out, uint8_t *kind);
/* Recomputes kinds, plain and wanted[]. Call it when stream[] or control has changed. */
void sampler_streams_changed(struct sampler_state *st);

#endif
