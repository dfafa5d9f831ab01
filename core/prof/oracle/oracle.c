#include "core/prof/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/inst.h"
#include "core/isa/op.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/uop.h"
#include "core/prof/common/prof.h"

static_assert((int)LEVEL_COUNT <= (int)LOAD_CYCLES, "a word for each level");

/* An instruction that has committed, with timing or without. */
struct seen {
	uint64_t pc, next_pc, result, addr;
	const struct inst *in;
	unsigned flags;   /* enum op_flag */
	uint8_t size;     /* bytes accessed */
	uint8_t len;      /* bytes in memory, its prefix included */
	bool taken;       /* a branch was taken */
	unsigned level;   /* enum mem_level; LEVEL_NONE without timing */
	bool delayed;     /* its line was on its way */
	uint32_t latency; /* cycles */
};

bool oracle_noted(struct oracle *o, unsigned id, enum oracle_outcome outcome)
{
	o->head.told[id]++;
	if (__builtin_expect(outcome <= ORACLE_NEW, 1))
		return true;
	o->head.lost[id]++;
	o->head.lost_all++;
	if (outcome == ORACLE_NO_MEMORY) {
		o->head.starved++;
		alloc_note_failure(); /* the counts are not exact: no report is a success */
	}
	return false;
}

static struct oracle_entry *oracle_count_key(struct oracle *o, enum oracle_table_id id, uint64_t a,
                                             uint64_t b, uint32_t aux)
{
	struct oracle_entry *e;
	if (!oracle_noted(o, id, oracle_table_at(&o->table[id], a, b, aux, &e)))
		return NULL;
	e->count++;
	return e;
}

static enum oracle_edge oracle_edge_kind(const struct seen *s)
{
	if (s->flags & OPF_BRANCH)
		return s->taken ? EDGE_TAKEN : EDGE_NOT_TAKEN;
	if (inst_pushes_ras(s->in))
		return EDGE_CALL;
	if (inst_pops_ras(s->in))
		return EDGE_RETURN;
	return s->flags & OPF_INDIRECT ? EDGE_INDIRECT : EDGE_JUMP;
}

static void oracle_count_control(struct oracle *o, const struct seen *s)
{
	enum oracle_edge kind = oracle_edge_kind(s);
	if (o->edges)
		oracle_count_key(o, ORACLE_EDGES, s->pc, s->next_pc, kind);
	if (o->contexts && kind == EDGE_CALL)
		oracle_call(o, s->pc, s->next_pc, s->pc + s->len);
	else if (o->contexts && kind == EDGE_RETURN)
		oracle_return(o, s->next_pc);
	else if (o->head.left && kind == EDGE_INDIRECT && oracle_leaves_stack(o, s->next_pc))
		return;
	if (kind != EDGE_CALL && oracle_may_begin(o, s->next_pc))
		oracle_go_on(o, s->pc, s->next_pc, s->flags & OPF_INDIRECT);
}

static void oracle_count_load(struct oracle *o, const struct seen *s)
{
	struct oracle_entry *e = oracle_count_key(o, ORACLE_LOADS, s->pc, 0, 0);
	if (!e)
		return;
	e->more[s->level]++;
	e->more[LOAD_CYCLES] += s->latency;
	e->more[LOAD_DELAYED] += s->delayed;
	if (s->latency > e->more[LOAD_MOST])
		e->more[LOAD_MOST] = s->latency;
}

static inline bool wants_value(const struct oracle *o, const struct seen *s)
{
	return o->values && s->in->rd != REG_SINK &&
	       (o->values == VALUES_ALL || (s->flags & OPF_LOAD)) && s->pc >= o->values_from &&
	       s->pc < o->values_to;
}

static inline void oracle_count_inst(struct oracle *o, const struct seen *s)
{
	uint32_t aux = s->len | (s->flags & OPF_CONTROL ? ORACLE_ENDS_BLOCK : 0);
	if (o->contexts) {
		if (__builtin_expect(!o->head.nodes, 0))
			oracle_begin(o, s->pc);
		o->head.pending++;
		if (s->in->rd == REG_SP) {
			if ((s->flags & OPF_LOAD) || s->in->rs1 != REG_SP)
				oracle_sets_sp(o, s->result, s->flags & OPF_LOAD);
			o->head.sp = s->result;
		}
	}
	oracle_count_key(o, ORACLE_INSTS, s->pc, 0, aux);
	if ((s->flags & OPF_CONTROL) && (o->edges || o->contexts))
		oracle_count_control(o, s);
	else if (oracle_may_begin(o, s->next_pc) &&
	         (s->in->op != OP_ECALL || s->next_pc == s->pc + s->len)) /* not to a handler */
		oracle_go_on(o, s->pc, s->next_pc, false);
	if (wants_value(o, s))
		oracle_count_key(o, ORACLE_VALUES, s->pc, s->result, 0);
	if (!s->size)
		return;
	if (o->addresses)
		oracle_count_key(o, ORACLE_ADDRESSES, s->pc, s->addr, 0);
	if (o->loads && (s->flags & OPF_LOAD))
		oracle_count_load(o, s);
}

/* ---- taps ---- */
/* Statistics are part of the machine's state, so they leave out losses that the host's memory
 * caused. */
static void oracle_update_stats(struct prof *d, uint64_t insts)
{
	struct oracle_head *h = &d->oracle->head;
	h->insts += insts;
	d->stats->oracle_insts += insts;
	d->stats->oracle_lost = h->lost_all - h->starved;
}

static void oracle_on_retired(struct prof *d, const struct retired *bundle, unsigned n)
{
	struct oracle *o = d->oracle;
	uint64_t insts = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct uop *u = bundle[i].u;
		if (bundle[i].machine) {
			o->head.firmware++;
			continue;
		}
		insts++;
		const struct seen s = {
			.pc = u->pc,
			.next_pc = u->exec.next_pc,
			.result = u->result,
			.addr = u->exec.addr,
			.in = &u->inst,
			.flags = u->op_flags,
			.size = u->exec.size,
			.len = (uint8_t)uop_len(u),
			.taken = u->exec.taken,
			.level = u->mem.level,
			.delayed = u->mem.delayed,
			.latency = bundle[i].latency,
		};
		oracle_count_inst(o, &s);
	}
	oracle_update_stats(d, insts);
}

/* Bytes of an instruction with its prefix, from its successor, or from its link if it is a call.
 * Other jumps and taken branches are assumed to have no prefix. */
static uint8_t oracle_executed_length(const struct executed *e, unsigned flags)
{
	uint64_t behind = e->done->next_pc;
	if (inst_pushes_ras(e->in))
		behind = e->result;
	else if ((flags & OPF_CONTROL) && !((flags & OPF_BRANCH) && !e->done->taken))
		behind = e->pc + e->in->len;
	uint64_t bytes = behind - e->pc;
	return bytes > 0 && bytes <= 8 ? (uint8_t)bytes : e->in->len;
}

static bool oracle_on_executed(struct prof *d, const struct executed *e)
{
	struct oracle *o = d->oracle;
	if (e->machine) {
		o->head.firmware++;
		return false;
	}
	const struct seen s = {
		.pc = e->pc,
		.next_pc = e->done->next_pc,
		.result = e->result,
		.addr = e->done->addr,
		.in = e->in,
		.flags = inst_flags(e->in),
		.size = e->done->size,
		.len = oracle_executed_length(e, inst_flags(e->in)),
		.taken = e->done->taken,
	};
	o->head.functional++;
	oracle_count_inst(o, &s);
	oracle_update_stats(d, 1);
	return false;
}

static struct oracle_entry *oracle_count_speculation(struct prof *d, const struct uop *u,
                                                     bool counts)
{
	struct oracle_entry *e;
	struct oracle *o = d->oracle;
	if (u->flags & UF_MACHINE)
		return NULL;
	if (!oracle_noted(o, ORACLE_SPECULATION,
	                  oracle_table_at(&o->table[ORACLE_SPECULATION], u->pc, 0, 0, &e)))
		e = NULL;
	else
		e->count += counts;
	oracle_update_stats(d, 0);
	return e;
}

static void oracle_on_decoded(struct prof *d, const struct uop *u)
{
	struct oracle_entry *e = oracle_count_speculation(d, u, true);
	if (e && (u->flags & UF_WRONG_PATH))
		e->more[SPEC_WRONG_PATH]++;
}

/* Counts a replay trap when it squashes its load. */
static void oracle_count_replay(struct prof *d, const struct uop *u)
{
	const struct squash_cause *why = &d->squash;
	if (why->fate != PROFILEME_FATE_REPLAY || why->replayed != u->seq ||
	    (u->flags & UF_MACHINE))
		return;
	struct oracle_entry *e =
		oracle_count_key(d->oracle, ORACLE_REPLAYS, u->pc,
	                         why->partner | (uint64_t)why->trap << ORACLE_TRAP_SHIFT, 0);
	if (e)
		e->more[0] += why->count;
	oracle_update_stats(d, 0);
}

static void oracle_on_squashed(struct prof *d, const struct uop *u)
{
	if (d->oracle->replays)
		oracle_count_replay(d, u);
	if (!d->oracle->speculative)
		return;
	struct oracle_entry *e = oracle_count_speculation(d, u, false);
	if (e)
		e->more[SPEC_SQUASHED]++;
}

static void oracle_on_accessed(struct prof *d, const struct uop *u)
{
	struct oracle_entry *e = oracle_count_speculation(d, u, false);
	if (!e)
		return;
	e->more[SPEC_ACCESSED]++;
	e->more[SPEC_ACCESSED_WRONG] += (u->flags & UF_WRONG_PATH) != 0;
}

/* ---- reading ---- */
const struct oracle *oracle_of(const struct prof *d)
{
	return d->oracle;
}

uint64_t oracle_total(const struct prof *d)
{
	return d->oracle ? d->oracle->head.insts : 0;
}

uint64_t oracle_count(const struct prof *d, uint64_t pc)
{
	const struct oracle_entry *e =
		d->oracle ? oracle_table_find(&d->oracle->table[ORACLE_INSTS], pc, 0) : NULL;
	return e ? e->count : 0;
}

bool oracle_has(const struct oracle *o, enum oracle_table_id id)
{
	return o->table[id].capacity != 0;
}

uint32_t oracle_entries(const struct oracle *o, enum oracle_table_id id)
{
	return o->head.count[id];
}

const struct oracle_entry *oracle_entry(const struct oracle *o, enum oracle_table_id id, uint32_t i)
{
	return oracle_table_entry(&o->table[id], i);
}

const char *oracle_table_name(unsigned id)
{
	static const char *const names[ORACLE_LOST_COUNT] = {
#define T(id, more, name) name,
		ORACLE_TABLES(T)
#undef T
		"contexts", "active procedures",
	};
	return names[id];
}

uint64_t oracle_hash(const struct oracle *o)
{
	return oracle_store_hash(&o->store);
}

/* ---- invariants ---- */
static const char *oracle_check_table(const struct oracle *o, unsigned id)
{
	const struct oracle_head *h = &o->head;
	const struct oracle_table *t = &o->table[id];
	uint64_t sum = 0;
	const char *wrong = oracle_table_check(t);
	for (uint32_t i = 0; !wrong && i < h->count[id]; i++) {
		const struct oracle_entry *e = oracle_table_entry(t, i);
		sum += e->count;
		if (id == ORACLE_SPECULATION)
			sum += e->more[SPEC_SQUASHED] + e->more[SPEC_ACCESSED];
	}
	if (!wrong && sum + h->lost[id] != h->told[id])
		wrong = "the oracle's counts don't add up to its events";
	return wrong;
}

const char *oracle_check(const struct oracle *o)
{
	const struct oracle_head *h = &o->head;
	const char *wrong = h->told[ORACLE_INSTS] != h->insts
	                            ? "the oracle has seen other instructions than it counted"
	                            : NULL;
	for (unsigned id = 0; !wrong && id < ORACLE_TABLE_COUNT; id++)
		wrong = oracle_check_table(o, id);
	return wrong ? wrong : oracle_contexts_check(o);
}

/* Cheap in each cycle, complete (`all`) now and then. */
static const char *oracle_check_device(const struct prof *d, bool all)
{
	const struct oracle *o = d->oracle;
	if (d->stats->oracle_insts != o->head.insts)
		return "the oracle is not of this machine's cycle";
	return all ? oracle_check(o) : NULL;
}

/* ---- life ---- */
static unsigned oracle_device_taps(const struct config *cfg)
{
	return TAP_RETIRED | TAP_OPERANDS | TAP_EXECUTED |
	       (cfg->oracle_speculative ? TAP_DECODED | TAP_ACCESSED | TAP_SQUASHED : 0u) |
	       (cfg->oracle_replays ? TAP_SQUASHED : 0u);
}

static void oracle_configure_tables(struct oracle *o, const struct config *cfg)
{
	o->edges = cfg->oracle_blocks;
	o->contexts = cfg->oracle_contexts;
	o->values = (unsigned)cfg->oracle_values;
	o->values_from = (uint64_t)cfg->oracle_values_from;
	o->values_to = (uint64_t)cfg->oracle_values_to;
	o->addresses = cfg->oracle_addresses;
	o->loads = cfg->oracle_loads;
	o->replays = cfg->oracle_replays;
	o->speculative = cfg->oracle_speculative;
}

/* Divides the chunks among the tables in use. */
static void oracle_divide_memory(struct oracle *o, uint32_t chunks)
{
	static const unsigned more[] = {
#define T(id, words, name) words,
		ORACLE_TABLES(T)
#undef T
	};
	/* Parts of the memory: most for values and addresses, which are many. */
	const unsigned weight[ORACLE_LOST_COUNT] = {
		[ORACLE_INSTS] = 1,
		[ORACLE_EDGES] = o->edges,
		[ORACLE_ARCS] = o->contexts,
		[ORACLE_VALUES] = o->values ? 8 : 0,
		[ORACLE_ADDRESSES] = o->addresses ? 8 : 0,
		[ORACLE_LOADS] = o->loads,
		[ORACLE_REPLAYS] = o->replays,
		[ORACLE_SPECULATION] = o->speculative,
		[ORACLE_NODES] = o->contexts,
		[ORACLE_FRAMES] = o->contexts,
	};
	uint32_t parts = 0, next = 0;
	for (unsigned id = 0; id < ORACLE_LOST_COUNT; id++)
		parts += weight[id];
	for (unsigned id = 0; id < ORACLE_TABLE_COUNT; id++) {
		o->table[id].count = &o->head.count[id];
		o->table[id].hits = o->store.hits + (size_t)id * ORACLE_HITS;
		if (weight[id])
			next = oracle_table_init(&o->table[id], o->store.cow, next,
			                         chunks / parts * weight[id], more[id]);
	}
	if (!o->contexts)
		return;
	o->nodes_first = next;
	o->frames_first = next + chunks / parts;
	o->nodes_max = chunks / parts * (uint32_t)(ORACLE_CHUNK / sizeof(struct oracle_node));
	/* An eighth of the frames' part is for stacks. */
	const uint32_t stacks = (chunks / parts + 7) / 8, frames = chunks / parts - stacks;
	o->frames_max = frames * (uint32_t)(ORACLE_CHUNK / sizeof(struct oracle_frame));
	o->stacks_first = o->frames_first + frames;
	o->stacks_max =
		stacks * (uint32_t)(ORACLE_CHUNK / sizeof(struct oracle_stack));
	if (o->nodes_max > ORACLE_NODES_MAX)
		o->nodes_max = ORACLE_NODES_MAX;
}

static const struct oracle_head blank = {
	.sp = UINT64_MAX,
	.start = UINT64_MAX,
	.top = ORACLE_NONE,
	.thread = 1,
	.parked = ORACLE_NONE,
	.free_stack = ORACLE_NONE,
	.free_frame = ORACLE_NONE,
};
static_assert(offsetof(struct oracle, store) == 0,
              "an attachment's functions get the oracle, and find its store");

static const char *check_counts(const void *owner)
{
	return oracle_check(owner);
}

static bool oracle_init_device(struct prof *d, struct err *err)
{
	struct oracle *o = d->oracle = alloc_zeroed(1, sizeof *o);
	uint32_t chunks = (uint32_t)(d->cfg->oracle_memory / ORACLE_CHUNK);
	if (!o)
		return err_set(err, "out of memory for the oracle");
	o->store = (struct oracle_store){.tables = ORACLE_TABLE_COUNT,
	                                 .head = &o->head,
	                                 .blank = &blank,
	                                 .head_bytes = sizeof o->head,
	                                 .what = "the oracle",
	                                 .memory = "oracle.memory",
	                                 .check = check_counts};
	if (!oracle_store_init(&o->store, chunks, err))
		return false;
	oracle_configure_tables(o, d->cfg);
	oracle_divide_memory(o, chunks);
	return true;
}

static void oracle_deinit_device(struct prof *d)
{
	if (!d->oracle)
		return;
	oracle_store_deinit(&d->oracle->store);
	free(d->oracle->procedures);
	free(d->oracle->begins);
	free(d->oracle);
	d->oracle = NULL;
}

static void *oracle_device_attachment(struct prof *d)
{
	return d->oracle;
}

/* In snapshots and checkpoints. */
static const struct attachment_ops oracle_attachment = ORACLE_STORE_ATTACHMENT("oracle");

const struct device device_oracle = {
	.taps = oracle_device_taps,
	.init = oracle_init_device,
	.deinit = oracle_deinit_device,
	.attachment = &oracle_attachment,
	.attachment_ctx = oracle_device_attachment,
	.decoded = oracle_on_decoded,
	.accessed = oracle_on_accessed,
	.squashed = oracle_on_squashed,
	.retired = oracle_on_retired,
	.executed = oracle_on_executed,
	.stream = oracle_stream,
	.check = oracle_check_device,
};
