/* What is impossible between fields that are each within their range: one damage for each rule that
 * pipeline, system and devices check (core/pipe/invariants.c, core/os/checkpoint_check.c,
 * core/prof). test_checkpoint_hostile.c has those of single fields. */
#include "tests/reverse/hostile.h"

#include <stdlib.h>
#include <string.h>

#include "core/os/os.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/oracle/oracle.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/values/vsample.h"
#include "core/run/run.h"

struct rule {
	bool (*damage)(struct hostile *h); /* false: in this cycle there is nothing to damage */
	const char *what;                  /* that is said of it */
};

/* A damage that can be done in each cycle, and one that can if this holds. */
#define DAMAGE(name, how) DAMAGE_IF(name, true, how)
#define DAMAGE_IF(name, holds, how) \
	static bool name(struct hostile *h) \
	{ \
		if (!(holds)) \
			return false; \
		how; \
		return true; \
	}

/* Each in the first cycle from here on in which it can be broken; of later ones only some are
 * looked at. */
static void break_rules(struct hostile *h, const struct rule *rules, size_t n)
{
	enum { CYCLES = 1000 };
	bool *done = calloc(n, sizeof *done);
	size_t left = n;
	assert_non_null(done);
	for (unsigned tries = 0; left; tries++) {
		hostile_save_again(h);
		damage_copy(&h->f, &h->saved); /* whole until something was broken in it */
		for (size_t i = 0; i < n; i++) {
			if (done[i])
				continue;
			if (rules[i].damage(h)) {
				hostile_expect(h, rules[i].what);
				done[i] = true;
				left--;
				damage_free(&h->f);
				damage_copy(&h->f, &h->saved);
			} else if (tries == CYCLES) {
				fail_msg("nothing to break so that it says '%s' in %u cycles",
				         rules[i].what, tries);
			}
		}
		damage_free(&h->f);
		rig_cycles(h->g, tries < 80 ? 1 : 6);
	}
	free(done);
}

#define RULES(h, rules) break_rules(h, rules, sizeof(rules) / sizeof *(rules))

/* ---- the pipeline ---- */
static const struct pipe *pipe_of(const struct hostile *h)
{
	return machine_pipe(h->g->s->machine);
}

static struct pipe_state *state_of(const struct hostile *h)
{
	return hostile_copy(h, pipe_of(h)->st);
}

static struct uop *uop_of(const struct hostile *h, const struct uop *u)
{
	return hostile_copy(h, u);
}

/* Turns a bit of a bitmap of g's over. */
static void turn(const struct hostile *h, const uint64_t *bits, unsigned at)
{
	uint64_t *word = hostile_copy(h, &bits[at >> 6]);
	*word ^= UINT64_C(1) << (at & 63);
}

/* The oldest in the window of whom this holds, in the copy; NULL: there is none. */
static struct uop *one(const struct hostile *h, bool (*is)(const struct uop *u))
{
	const struct pipe *p = pipe_of(h);
	for (uint32_t i = 0; i < p->st->rob_count; i++)
		if (is(pipe_rob_at(p, i)))
			return uop_of(h, pipe_rob_at(p, i));
	return NULL;
}

static struct uop *in_pool(const struct hostile *h, bool (*is)(const struct uop *u))
{
	const struct pipe *p = pipe_of(h);
	for (uint32_t i = 0; i < p->pool_size; i++)
		if (is(&p->pool[i]))
			return uop_of(h, &p->pool[i]);
	return NULL;
}

static bool any(const struct uop *u) { return u->seq != 0; }
static bool gone(const struct uop *u) { return u->state == UOP_RETIRED; }
static bool done(const struct uop *u) { return u->state == UOP_DONE; }
static bool ready(const struct uop *u) { return u->state == UOP_READY; }
static bool waiting(const struct uop *u) { return u->state == UOP_WAITING && (u->src.pending & 1); }
static bool executing(const struct uop *u) { return u->state == UOP_EXECUTING && !is_memory(u); }
static bool addressing(const struct uop *u)
{
	return u->state == UOP_EXECUTING && is_load(u) && !(u->flags & UF_ADDR_KNOWN);
}
static bool retrying(const struct uop *u) { return u->state == UOP_ADDRESS && is_load(u); }
static bool accesses_memory(const struct uop *u) { return is_memory(u); }
static bool no_access(const struct uop *u) { return !is_memory(u); }
static bool store(const struct uop *u) { return is_store(u) && may_store(u); }
static bool complete_store(const struct uop *u) { return store(u) && done(u); }
static bool known_store(const struct uop *u) { return store(u) && (u->flags & UF_IN_FILTER); }
static bool right_store(const struct uop *u) { return store(u) && !(u->flags & UF_ADDR_KNOWN); }
static bool wanted(const struct uop *u) { return u->users != NO_LINK; }
static bool turns(const struct uop *u) { return u->op_flags & OPF_REDIRECT; }

#define BREAK(name, is, how) \
	static bool name(struct hostile *h) \
	{ \
		struct uop *u = one(h, is); \
		if (!u) \
			return false; \
		how; \
		return true; \
	}

DAMAGE(young, state_of(h)->next_seq = 1)
DAMAGE_IF(no_looks, one(h, ready), state_of(h)->ready_pools = 0)
DAMAGE(retries, state_of(h)->mem_retries++)
DAMAGE(accesses, state_of(h)->lsq_count++)
DAMAGE(unknowns, state_of(h)->unknown_stores++)
DAMAGE_IF(path, state_of(h)->rob_count, state_of(h)->commit_pc += 4)
DAMAGE(line_level, state_of(h)->fetched = LEVEL_COUNT)
BREAK(kind, any, u->op_flags ^= OPF_SERIAL)
BREAK(empty_store, no_access, u->exec.stored = 1; u->exec.size = 0)
BREAK(never_fetched, any, u->seq = 0)
BREAK(no_consumer, wanted, u->users = (uint16_t)(pipe_of(h)->rob[pipe_of(h)->st->rob_head] << 2))
BREAK(nothing_awaited, waiting, u->src.pending = 0)
BREAK(nobody, waiting, u->src.slot[0] = NO_SLOT)
BREAK(nothing_comes, waiting, u->src.seq[0] ^= UINT64_C(1) << 40)
BREAK(done_awaited, done, u->users = 0)
BREAK(no_queue, accesses_memory, u->at.lsq = NO_SLOT)
BREAK(in_memory, no_access, u->flags |= UF_IN_FILTER)
BREAK(no_address, retrying, u->exec.size = 0)
BREAK(goes_nowhere, addressing, u->flags |= UF_ADDR_KNOWN; u->at.wheel = NO_SLOT)
BREAK(data, complete_store, u->flags ^= UF_DATA_READY)
BREAK(looked_for, known_store, u->exec.stored = 0; u->exec.size = 0)
BREAK(not_issued, done, u->when.issue = NO_CYCLE)
BREAK(never_due, executing, u->at.wheel = NO_SLOT)
BREAK(due_then, executing, u->at.wheel ^= 1)
BREAK(level, any, u->fetched = LEVEL_COUNT)

static bool unordered_users(struct hostile *h)
{
	struct uop *u = one(h, wanted);
	if (!u)
		return false;
	uop_of(h, pipe_uop(pipe_of(h), (uint16_t)(u->users >> 2)))->src.next[u->users & 3] =
		u->users;
	return true;
}

static bool address_known(struct hostile *h)
{
	struct uop *u = one(h, right_store);
	if (u)
		turn(h, pipe_of(h)->unknown, u->at.lsq);
	return u;
}

static bool again(struct hostile *h)
{
	struct uop *u = one(h, any);
	if (u)
		turn(h, pipe_of(h)->retry, u->at.rob);
	return u;
}

static uint16_t a_gone_slot(const struct hostile *h)
{
	struct uop *u = in_pool(h, gone);
	return u ? (uint16_t)(u - uop_of(h, pipe_of(h)->pool)) : NO_SLOT;
}

static bool not_in_flight(struct hostile *h)
{
	const struct pipe *p = pipe_of(h);
	if (!p->st->rob_count || a_gone_slot(h) == NO_SLOT)
		return false;
	uint16_t *head = hostile_copy(h, &p->rob[p->st->rob_head]);
	*head = a_gone_slot(h);
	return true;
}

static bool program_order(struct hostile *h)
{
	const struct pipe *p = pipe_of(h);
	if (p->st->rob_count < 2)
		return false;
	uop_of(h, pipe_rob_at(p, 1))->seq = pipe_rob_at(p, 0)->seq;
	return true;
}

static bool fetch_order(struct hostile *h)
{
	const struct pipe *p = pipe_of(h);
	if (!p->st->fetchq_count || !p->st->rob_count)
		return false;
	uop_of(h, pipe_fetchq_at(p, 0))->seq = 1;
	return true;
}

static bool no_misprediction(struct hostile *h)
{
	state_of(h)->spec_slot = a_gone_slot(h);
	return a_gone_slot(h) != NO_SLOT;
}

static bool committed(struct hostile *h)
{
	const struct pipe *p = pipe_of(h);
	for (unsigned reg = 1; reg < REG_SINK; reg++)
		if (p->st->rename[reg] == NO_SLOT) {
			((struct hart *)hostile_copy(h, p->hart))->r[reg] ^= 1;
			return true;
		}
	return false;
}

static bool waiting_misses(struct hostile *h)
{
	const struct pipe *p = pipe_of(h);
	struct hierarchy_state *st = hostile_copy(h, p->mem.st);
	st->mshr_count = MSHR_ENTRIES;
	for (unsigned i = 0; i < MSHR_ENTRIES; i++)
		st->mshr[i] = (struct mshr){.line = i,
		                            .since = p->st->cycle + 5,
		                            .ready = p->st->cycle + 100,
		                            .level = LEVEL_MEMORY};
	return true;
}

static const struct rule pipeline[] = {
	{young, "younger than the youngest"},
	{kind, "of no kind that there is"},
	{empty_store, "a store of no bytes"},
	{never_fetched, "never fetched is in flight"},
	{no_consumer, "consumer does not wait for it"},
	{unordered_users, "consumers are not in their order"},
	{nothing_awaited, "waits for operands that are there"},
	{nobody, "waits for nobody"},
	{nothing_comes, "a result that nobody brings"},
	{done_awaited, "waits for what is done"},
	{no_queue, "an access is not in the load/store queue"},
	{in_memory, "what is no access is in the memory system"},
	{address_known, "a store's address is known and not known"},
	{no_address, "enters memory without an address"},
	{goes_nowhere, "an access with an address goes nowhere"},
	{data, "a store's data is there and not there"},
	{looked_for, "a store of no bytes is looked for"},
	{not_in_flight, "what is in the window is not in flight"},
	{no_looks, "is ready, and nobody looks"},
	{again, "an access tries again, or not"},
	{not_issued, "was issued and not issued"},
	{never_due, "is never due"},
	{due_then, "is due at another time than it says"},
	{retries, "another number of accesses tries again"},
	{accesses, "another number of accesses is in the window"},
	{unknowns, "another number of stores has no address"},
	{program_order, "the window is not in program order"},
	{fetch_order, "the fetch queue is not in program order"},
	{no_misprediction, "a misprediction is of no instruction in the window"},
	{committed, "a register that nobody writes"},
	{waiting_misses, "neither store nor load is behind it"},
	{level, "an instruction came from nowhere"},
	{line_level, "a line came from nowhere"},
};

static void rules_of_the_pipeline(void **state)
{
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "l1d.mshrs=1", 3003); /* so that accesses are turned away */
	RULES(&h, pipeline);
	hostile_drop(&h);
}

BREAK(no_stack, turns, u->mark.flags |= BPM_RAS)
BREAK(no_table, turns, u->mark.flags |= BPM_BTB_LEARNT)

static void rules_of_a_machine_without_tables_and_profile_flags(void **state)
{
	static const struct rule rules[] = {
		{no_stack, "a return address came from a stack that there is not"},
		{no_table, "a target was learnt by a table that there is not"},
		/* profile instructions are skipped, so nobody can tell */
		{path, "does not follow the one before it"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "ras.size=0 btb.sets=0 xprof.enable=0", 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

static bool is_ready(const struct uop *u) { return u->state == UOP_READY; }
static bool is_due(const struct uop *u) { return u->at.wheel != NO_SLOT; }
BREAK(ready_elsewhere, is_ready,
      ((uint32_t *)hostile_copy(h, pipe_of(h)->ready_words))[u->at.pool] = 0)
BREAK(due_elsewhere, is_due,
      ((uint64_t *)hostile_copy(h, pipe_of(h)->wheel_words))[u->at.wheel] = 0)

static void rules_of_a_large_window(void **state)
{
	static const struct rule rules[] = {
		{ready_elsewhere, "is ready, and nobody looks"},
		{due_elsewhere, "is due, and nobody looks"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "pipe.rob_size=200", 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* ---- the system ---- */
static struct os_state *os_of(const struct hostile *h)
{
	return hostile_copy(h, os_state_const(machine_os_const(h->g->s->machine)));
}

DAMAGE(file_number, os_of(h)->file[1].serial = os_of(h)->next_serial + 1)
DAMAGE(pipe_bytes, os_of(h)->pipe[0].at = 8)
DAMAGE(no_device, strcpy(os_of(h)->file[1].path, "etc"); os_of(h)->file[1].kind = OS_FILE_ZERO)

/* 9 is SIGKILL, 10 SIGUSR1, which would end the program. */
DAMAGE(signal_unsent, os_of(h)->thread[0].signals.pending.count = 1)
DAMAGE(signal_blocked, os_of(h)->thread[0].signals.mask |= 1u << (9 - 1))
DAMAGE(signal_missed, os_of(h)->signals.pending.set = 1u << (10 - 1))
DAMAGE(timer_missed, os_of(h)->signals.next = 4711)

static void rules_of_the_system(void **state)
{
	static const struct rule rules[] = {
		{file_number, "a number that was not given out yet"},
		{no_device, "an open device is none of ours"},
		{pipe_bytes, "a pipe's bytes do not begin on a page"},
		{signal_unsent, "a signal is on its way that nobody sent"},
		{signal_blocked, "a signal is blocked that can't be"},
		{signal_missed, "a signal is due that nobody looks for"},
		{timer_missed, "a timer expires in another cycle than is looked for"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL, 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* ---- devices ---- */
static const struct prof *prof_of(const struct hostile *h)
{
	return pipe_of(h)->prof;
}

static struct stats *stats_of(const struct hostile *h)
{
	return hostile_copy(h, pipe_of(h)->stats);
}

/* -- the co-processor -- */
static struct cop_state *cop(const struct hostile *h)
{
	return hostile_copy(h, prof_of(h)->cop->st);
}

static struct micro_state *engine(const struct hostile *h)
{
	return hostile_copy(h, prof_of(h)->cop->micro.st);
}

static struct cop_record *record(const struct hostile *h, const struct cop_record *r)
{
	return hostile_copy(h, r);
}

#define BUFFER ((uint64_t)prof_of(h)->cfg->cop_buffer)
#define TRANSPORT ((uint64_t)prof_of(h)->cfg->cop_transport)
DAMAGE_IF(cop_not_sent, cop(h)->sent, record(h, cop_way_at(prof_of(h), 0))->arrived += 1000)
DAMAGE_IF(cop_record_words, cop(h)->count, record(h, cop_record_at(prof_of(h), 0))->words ^= 1)
DAMAGE_IF(cop_way_words, cop(h)->sent, record(h, cop_way_at(prof_of(h), 0))->words ^= 1)
DAMAGE_IF(cop_buffer_words, cop(h)->buffer_words < BUFFER, cop(h)->buffer_words++)
DAMAGE_IF(cop_part, cop(h)->words < TRANSPORT, cop(h)->fresh = cop(h)->words + 1)
DAMAGE_IF(cop_queue_words, cop(h)->words < TRANSPORT, cop(h)->words++)
DAMAGE(cop_operations, *(uint8_t *)&cop(h)->ops ^= 1)
DAMAGE_IF(cop_room, cop(h)->way_count < prof_of(h)->cop->way_n,
          cop(h)->sent = cop(h)->way_count + 1)
DAMAGE_IF(cop_more_than_it_can, cop(h)->count, cop(h)->buffer_words = cop(h)->count - 1)
DAMAGE(cop_missing, stats_of(h)->cop_records++)
DAMAGE(engine_random, engine(h)->lfsr = 0)
DAMAGE(engine_entry, turn(h, prof_of(h)->cop->micro.valid, 50))
DAMAGE(engine_slot, engine(h)->decode = ((struct micro_slot){.kind = MICRO_SLOT_SKIP,
                                                             .predicted.goal = MICRO_GOAL_STOP}))
DAMAGE(engine_beyond,
       engine(h)->decode = ((struct micro_slot){.kind = MICRO_SLOT_CODE,
                                                .at = (uint16_t)prof_of(h)->cop->micro.code_n,
                                                .predicted.goal = MICRO_GOAL_AT}))
DAMAGE(engine_dones, engine(h)->ahead++)

/* Whatever its two stages hold, and however many `done`s these are. */
static void set_slots(struct hostile *h, struct micro_slot decode, struct micro_slot execute,
                      uint32_t dones)
{
	engine(h)->decode = decode;
	engine(h)->execute = execute;
	engine(h)->ahead = dones;
}

static const struct micro_slot nothing,
	goes_on = {.kind = MICRO_SLOT_CODE, .predicted.goal = MICRO_GOAL_AT},
	skips = {.kind = MICRO_SLOT_SKIP, .predicted.goal = MICRO_GOAL_RECORD};
DAMAGE(engine_halted, set_slots(h, goes_on, nothing, 0); engine(h)->halted = 1)
DAMAGE_IF(engine_no_record, cop(h)->count < 2, set_slots(h, skips, skips, 2))

static const char microcode[] = ".fields load: pc, result, addr\n.fields branch: pc, "
                                "target\n.const k0 = 1\n.on load: l\n.on branch: b\n"
				"l: add v0, v0, k0\n done\nb: sadd.32 v2, v2, k0\n done\n";

/* The microprogram is loaded into both machines where they stand. */
static void load_microcode(struct rig *g)
{
	struct micro_image image = {0};
	struct err err;
	size_t n;
	if (!micro_assemble(microcode, strlen(microcode), "text", NULL, 0, &image, &err))
		fail_msg("%s", err.msg);
	struct device_write *writes = cop_load(machine_config(g->s->machine), &image, &n, &err);
	assert_non_null(writes);
	const struct change c = {
		.kind = JOURNAL_DEVICE, .a = DEVICE_COP, .bytes = writes, .n = n * sizeof *writes};
	if (!run_change(g->r, &c, &err))
		fail_msg("%s", err.msg);
	free(writes);
	micro_image_free(&image);
}

static void rules_of_the_co_processor(void **state)
{
	static const struct subject how = {
		.program = "build/tests/reverse/guest",
		.stdin_fd = -1,
		.history = {.history = true},
		.settings = HOSTILE_SMALL
		"cop.enable=1 cop.cam=40 cop.data=64 cop.filter=64 cop.microcode=64 cop.divider=2 "
	        "cop.buffer=24 cop.transport=12"};
	static const struct rule rules[] = {
		{cop_not_sent, "arrive at the co-processor that were not sent"},
		{cop_record_words, "more words than fields, or fewer"},
		{cop_way_words, "more words than fields, or fewer"},
		{cop_buffer_words, "sample buffer holds other words"},
		{cop_part, "a part of a record has left that is not there"},
		{cop_operations, "tags other operations than it is told to"},
		{cop_room, "than there is room for"},
		{cop_more_than_it_can, "sample buffer holds more than it can"},
		{cop_queue_words, "transport queue holds other words"},
		{cop_missing, "records for the co-processor are missing"},
		{engine_random, "random number register is 0"},
		{engine_entry, "is valid that does not exist"},
		{engine_slot, "pipeline holds something that nothing is"},
		{engine_beyond, "from beyond its array"},
		{engine_dones, "counts other `done`s"},
		{engine_halted, "is halted, and goes on"},
		{engine_no_record, "works on no record"},
	};
	struct hostile h;
	(void)state;
	hostile_open(&h, &how);
	rig_goto(h.g, 3003);
	load_microcode(h.g);
	rig_cycles(h.g, 300);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* -- the stream sampler -- */
static struct sampler_state *sampler(const struct hostile *h)
{
	return hostile_copy(h, prof_of(h)->sampler->st);
}

/* State of a component, as words. */
static uint64_t *component(const struct hostile *h, unsigned stage)
{
	return hostile_copy(h, prof_of(h)->sampler->compressor.state[stage]);
}

/* As core/prof/compress_*.c lays them out. */
struct associative {
	struct tuple tuple;
	uint64_t count, used;
};
struct stratum {
	uint32_t at, since;
};
struct tagged {
	uint32_t tag;
	uint16_t state, misses;
	uint32_t hits;
};

static struct associative *associative(const struct hostile *h)
{
	return (void *)(component(h, 1) + 1);
}
static struct stratum *stratum(const struct hostile *h) { return (void *)(component(h, 0) + 1); }
static struct tagged *tagged(const struct hostile *h) { return (void *)component(h, 0); }

static struct component_flow *flow(const struct hostile *h)
{
	return hostile_copy(h, prof_of(h)->sampler->compressor.flow);
}

DAMAGE(sampler_fresh, sampler(h)->fresh = sampler(h)->tuple_count + 1)
DAMAGE(sampler_counts, stats_of(h)->sampler_selected++)
DAMAGE(sampler_selects, sampler(h)->kinds ^= UINT64_C(1) << 40)
DAMAGE(sampler_plain, sampler(h)->plain ^= UINT64_C(1) << 40)
DAMAGE(sampler_wanted, sampler(h)->wanted[3] ^= 1 << 7)
DAMAGE(sampler_future, associative(h)[0].used = component(h, 1)[0] + 1)
DAMAGE(sampler_holds, associative(h)[0].count = UINT64_C(1) << 60)
DAMAGE_IF(sampler_twice, associative(h)[0].count &&associative(h)[1].count,
          associative(h)[1].tuple = associative(h)[0].tuple)
DAMAGE(sampler_where, stratum(h)[0].at = 4)
DAMAGE(sampler_since, stratum(h)[0].since++)
DAMAGE(sampler_lost, flow(h)[1].weight_in++)
DAMAGE(tagged_state, tagged(h)[0].state = TAG_EVICT + 1)
DAMAGE(tagged_tag, tagged(h)[0].tag = 1 << 2)
DAMAGE(tagged_hits, tagged(h)[0].hits = 1 << 9)
DAMAGE(tagged_misses, tagged(h)[0].misses = 9)

static void rules_of_the_sampler(void **state)
{
	static const struct rule chained[] = {
		{sampler_fresh, "the sampler holds what it can't"},
		{sampler_counts, "exact counts are not of this machine's cycle"},
		{sampler_selects, "selects other instructions than its streams say"},
		{sampler_plain, "selects other instructions than its streams say"},
		{sampler_wanted, "selects other instructions than its streams say"},
		{sampler_future, "component 1: used of number 0 is"},
		{sampler_holds, "component 1: count of number 0 is"},
		{sampler_twice, "are of one tuple"},
		{sampler_where, "component 0: at of number 0 is 0x4, more than 0x3"},
		{sampler_since, "counted to where it can't"},
		{sampler_lost, "lost count of its stream"},
	};
	static const struct rule by_tag[] = {
		{tagged_state, "state of number 0 is 0x3, more than 0x2"},
		{tagged_tag, "tag of number 0 is 0x4, more than 0x3"},
		{tagged_hits, "hits of number 0 is 0x200, more than 0xff"},
		{tagged_misses, "misses of number 0 is 0x9, more than 0x7"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h,
	             HOSTILE_SMALL
	             "sampler.enable=1 sampler.exact=1 sampler.compressor=H(P(4),16),A(4)",
	             5000);
	RULES(&h, chained);
	hostile_drop(&h);
	hostile_save(&h, HOSTILE_SMALL "sampler.enable=1 sampler.compressor=T(16,tag=2,hit=8)",
	             5000);
	RULES(&h, by_tag);
	hostile_drop(&h);
}

/* -- the value sampler -- */
static struct vsample_state *vsample(const struct hostile *h)
{
	return hostile_copy(h, prof_of(h)->vsample->st);
}

static struct vsample_capture *capture(const struct hostile *h)
{
	return hostile_copy(h, prof_of(h)->vsample->capture);
}

DAMAGE_IF(vsample_block, vsample(h)->block.n < VSAMPLE_BLOCK_MAX,
          vsample(h)->block.executed = vsample(h)->block.n + 1)
DAMAGE_IF(vsample_armed, vsample(h)->at, vsample(h)->armed = 1)
DAMAGE(vsample_queue, vsample(h)->taken = vsample(h)->written + 1)
DAMAGE(vsample_sum, vsample(h)->serial++)
DAMAGE(vsample_register, capture(h)->extra[0] = ((struct vsample_extra){VSAMPLE_REG, REG_SINK}))
DAMAGE_IF(vsample_alone, vsample(h)->phase == VSAMPLE_AWAY && pipe_of(h)->st->rob_count,
          vsample(h)->phase = VSAMPLE_ENTERED)

static void rules_of_the_value_sampler(void **state)
{
	static const struct rule rules[] = {
		{vsample_block, "block is impossible"},
		{vsample_armed, "block is impossible"},
		{vsample_queue, "queue holds more than there is room for"},
		{vsample_sum, "tuples don't add up"},
		{vsample_register, "capture a register or a counter that there is not"},
		{vsample_alone, "handler runs beside the program"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h,
	             HOSTILE_SMALL
	             "vsample.enable=1 vsample.interval_min=20 vsample.interval_max=90",
	             3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* -- ProfileMe and the oracle -- */
DAMAGE(oracle_elsewhere, stats_of(h)->oracle_insts++)
DAMAGE(profileme_elsewhere, stats_of(h)->profileme_records++)

static bool profileme_nowhere(struct hostile *h)
{
	struct profileme_state *st = hostile_copy(h, prof_of(h)->profileme->st);
	st->left = 0;
	return st->phase == PROFILEME_COUNTS;
}

static void rules_of_what_counts_beside(void **state)
{
	static const struct rule rules[] = {
		{oracle_elsewhere, "the oracle is not of this machine's cycle"},
		{profileme_elsewhere, "ProfileMe's counts are not of this machine's cycle"},
		{profileme_nowhere, "ProfileMe's tag is nowhere"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "oracle.enable=1 profileme.enable=1", 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* -- tables beside the arena -- */
/* Each word of what attachments keep, a little more and far more: among them all is said. */
static void rules_of_tables(void **state)
{
	static const char *const rules[] = {
		"an entry is in another's chain",
		"the oracle's counts don't add up",
		"a chain leads nowhere",
		"instructions of all contexts are not those of the program",
		"a context is not below its caller's",
		"a call leads to no context",
		"the oracle is in no context",
		"the oracle has seen other instructions",
		"more entries than there is room for",
		"an entry is in no chain",
		"don't fit oracle.memory",
		"has something else where there should be: oracle",
		"has something else where there should be: profileme",
		"has something else where there should be: sampler",
		"ProfileMe's records don't add up",
		"the sampler's exact counts don't add up",
		"counts are cut off",
	};
	enum { RULES_COUNT = sizeof rules / sizeof *rules };
	bool said[RULES_COUNT] = {false};
	struct hostile h;
	(void)state;
	hostile_save(
		&h,
		HOSTILE_SMALL
		"oracle.enable=1 oracle.contexts=1 profileme.enable=1 profileme.interval_min=5 "
	        "profileme.interval_max=9 sampler.enable=1 sampler.exact=1",
		400);
	const size_t n = h.saved.section[SECTION_ATTACHMENTS].n;
	for (size_t at = 0; at + 8 <= n; at += 8)
		for (unsigned bit = 0; bit < 48; bit += 40) {
			struct err err = {""};
			uint64_t word;
			memcpy(&word, h.saved.section[SECTION_ATTACHMENTS].bytes + at, sizeof word);
			if (!word)
				continue;
			word += UINT64_C(1) << bit;
			damage_copy(&h.f, &h.saved);
			memcpy(h.f.section[SECTION_ATTACHMENTS].bytes + at, &word, sizeof word);
			struct machine *m = hostile_load(&h, &err);
			machine_free(m);
			for (size_t i = 0; i < RULES_COUNT; i++)
				said[i] |= strstr(err.msg, rules[i]) != NULL;
			damage_free(&h.f);
		}
	hostile_drop(&h);
	for (size_t i = 0; i < RULES_COUNT; i++)
		if (!said[i])
			fail_msg("no word says '%s' when it is wrong", rules[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_the_pipeline),
		cmocka_unit_test(rules_of_a_machine_without_tables_and_profile_flags),
		cmocka_unit_test(rules_of_a_large_window),
		cmocka_unit_test(rules_of_the_system),
		cmocka_unit_test(rules_of_the_co_processor),
		cmocka_unit_test(rules_of_the_sampler),
		cmocka_unit_test(rules_of_the_value_sampler),
		cmocka_unit_test(rules_of_what_counts_beside),
		cmocka_unit_test(rules_of_tables),
	};
	return cmocka_run_group_tests(tests, rig_enter, rig_leave);
}
