/* Impossible relations between fields, each within its range: a damage for each rule checked by
 * pipeline and system (core/pipe/invariants.c, core/os/checkpoint_check.c).
 * test_checkpoint_device_rules.c has those of devices, test_checkpoint_hostile.c those of single
 * fields. */
#include "tests/reverse/hostile.h"


#include "core/os/os.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/run/run.h"

/* ---- the pipeline ---- */
static const struct pipe *checkpoint_rules_pipe(const struct hostile *h)
{
	return machine_pipe(h->g->s->machine);
}

static struct pipe_state *checkpoint_rules_pipe_state(const struct hostile *h)
{
	return hostile_copy(h, checkpoint_rules_pipe(h)->st);
}

static struct uop *checkpoint_rules_uop(const struct hostile *h, const struct uop *u)
{
	return hostile_copy(h, u);
}

/* The oldest in the window for which this holds, in the copy; NULL: there is none. */
static struct uop *checkpoint_rules_find_in_rob(const struct hostile *h,
                                                bool (*is)(const struct uop *u))
{
	const struct pipe *p = checkpoint_rules_pipe(h);
	for (uint32_t i = 0; i < p->st->rob_count; i++)
		if (is(pipe_rob_at(p, i)))
			return checkpoint_rules_uop(h, pipe_rob_at(p, i));
	return NULL;
}

static struct uop *in_pool(const struct hostile *h, bool (*is)(const struct uop *u))
{
	const struct pipe *p = checkpoint_rules_pipe(h);
	for (uint32_t i = 0; i < p->pool_size; i++)
		if (is(&p->pool[i]))
			return checkpoint_rules_uop(h, &p->pool[i]);
	return NULL;
}

static bool checkpoint_rules_uop_is_any(const struct uop *u)
{
	return u->seq != 0;
}
static bool checkpoint_rules_uop_is_retired(const struct uop *u)
{
	return u->state == UOP_RETIRED;
}
static bool checkpoint_rules_uop_is_done(const struct uop *u)
{
	return u->state == UOP_DONE;
}
static bool checkpoint_rules_uop_is_waiting(const struct uop *u)
{
	return u->state == UOP_WAITING && (u->src.pending & 1);
}
static bool checkpoint_rules_uop_is_executing(const struct uop *u)
{
	return u->state == UOP_EXECUTING && !uop_is_memory(u);
}
static bool checkpoint_rules_load_in_agen(const struct uop *u)
{
	return u->state == UOP_EXECUTING && is_load(u) && !(u->flags & UF_ADDR_KNOWN);
}
static bool checkpoint_rules_load_is_retrying(const struct uop *u)
{
	return u->state == UOP_ADDRESS && is_load(u);
}
static bool checkpoint_rules_uop_is_memory(const struct uop *u)
{
	return uop_is_memory(u);
}
static bool no_access(const struct uop *u)
{
	return !uop_is_memory(u);
}
static bool checkpoint_rules_uop_is_store(const struct uop *u)
{
	return uop_is_store(u) && uop_may_store(u);
}
static bool complete_store(const struct uop *u)
{
	return checkpoint_rules_uop_is_store(u) && checkpoint_rules_uop_is_done(u);
}
static bool known_store(const struct uop *u)
{
	return checkpoint_rules_uop_is_store(u) && (u->flags & UF_IN_FILTER);
}
static bool right_store(const struct uop *u)
{
	return checkpoint_rules_uop_is_store(u) && !(u->flags & UF_ADDR_KNOWN);
}
static bool checkpoint_rules_uop_has_consumers(const struct uop *u)
{
	return !checkpoint_rules_uop_is_done(u) && u->users != NO_LINK;
}
static bool checkpoint_rules_uop_redirects(const struct uop *u)
{
	return u->op_flags & OPF_REDIRECT;
}

#define BREAK(name, is, how)                                                                       \
	static bool name(struct hostile *h)                                                        \
	{                                                                                          \
		struct uop *u = checkpoint_rules_find_in_rob(h, is);                               \
		if (!u)                                                                            \
			return false;                                                              \
		how;                                                                               \
		return true;                                                                       \
	}

DAMAGE(young, checkpoint_rules_pipe_state(h)->next_seq = 1)
DAMAGE(no_looks, checkpoint_rules_pipe_state(h)->held_pools ^= 1)
DAMAGE(retries, checkpoint_rules_pipe_state(h)->mem_retries++)
DAMAGE(accesses, checkpoint_rules_pipe_state(h)->lsq_count++)
DAMAGE(unknowns, checkpoint_rules_pipe_state(h)->unknown_stores++)
DAMAGE_IF(path, checkpoint_rules_pipe_state(h)->rob_count,
          checkpoint_rules_pipe_state(h)->commit_pc += 4)
DAMAGE(line_level, checkpoint_rules_pipe_state(h)->fetched = LEVEL_COUNT)
BREAK(kind, checkpoint_rules_uop_is_any, u->op_flags ^= OPF_SERIAL)
BREAK(empty_store, no_access, u->exec.stored = 1; u->exec.size = 0)
BREAK(never_fetched, checkpoint_rules_uop_is_any, u->seq = 0)
BREAK(no_consumer, checkpoint_rules_uop_has_consumers,
      u->users = (uint16_t)(checkpoint_rules_pipe(h)->rob[checkpoint_rules_pipe(h)->st->rob_head]
                            << 2))
BREAK(nothing_awaited, checkpoint_rules_uop_is_waiting, u->src.pending = 0)
BREAK(no_data, no_access, u->src.pending |= 1 << SOURCE_LATER)
BREAK(nobody, checkpoint_rules_uop_is_waiting, u->src.slot[0] = NO_SLOT)
BREAK(nothing_comes, checkpoint_rules_uop_is_waiting, u->src.seq[0] ^= UINT64_C(1) << 40)
BREAK(no_queue, checkpoint_rules_uop_is_memory, u->at.lsq = NO_SLOT)
BREAK(in_memory, no_access, u->flags |= UF_IN_FILTER)
BREAK(no_address, checkpoint_rules_load_is_retrying, u->exec.size = 0)
BREAK(goes_nowhere, checkpoint_rules_load_in_agen, u->flags |= UF_ADDR_KNOWN; u->at.wheel = NO_SLOT)
BREAK(data, complete_store, u->flags ^= UF_DATA_READY)
BREAK(looked_for, known_store, u->exec.stored = 0; u->exec.size = 0)
BREAK(not_issued, checkpoint_rules_uop_is_done, u->when.issue = NO_CYCLE)
BREAK(never_due, checkpoint_rules_uop_is_executing, u->at.wheel = NO_SLOT)
BREAK(due_then, checkpoint_rules_uop_is_executing, u->at.wheel ^= 1)
BREAK(level, checkpoint_rules_uop_is_any, u->fetched = LEVEL_COUNT)

static bool unordered_users(struct hostile *h)
{
	struct uop *u = checkpoint_rules_find_in_rob(h, checkpoint_rules_uop_has_consumers);
	if (!u)
		return false;
	checkpoint_rules_uop(h, pipe_uop(checkpoint_rules_pipe(h), (uint16_t)(u->users >> 2)))
		->src.next[u->users & 3] = u->users;
	return true;
}

static bool checkpoint_rules_flip_unknown_bit(struct hostile *h)
{
	struct uop *u = checkpoint_rules_find_in_rob(h, right_store);
	if (u)
		hostile_turn(h, checkpoint_rules_pipe(h)->unknown, u->at.lsq);
	return u;
}

static bool checkpoint_rules_flip_retry_bit(struct hostile *h)
{
	struct uop *u = checkpoint_rules_find_in_rob(h, checkpoint_rules_uop_is_any);
	if (u)
		hostile_turn(h, checkpoint_rules_pipe(h)->retry, u->at.rob);
	return u;
}

static uint16_t a_gone_slot(const struct hostile *h)
{
	struct uop *u = in_pool(h, checkpoint_rules_uop_is_retired);
	return u ? (uint16_t)(u - checkpoint_rules_uop(h, checkpoint_rules_pipe(h)->pool))
	         : NO_SLOT;
}

static bool not_in_flight(struct hostile *h)
{
	const struct pipe *p = checkpoint_rules_pipe(h);
	if (!p->st->rob_count || a_gone_slot(h) == NO_SLOT)
		return false;
	uint16_t *head = hostile_copy(h, &p->rob[p->st->rob_head]);
	*head = a_gone_slot(h);
	return true;
}

static bool program_order(struct hostile *h)
{
	const struct pipe *p = checkpoint_rules_pipe(h);
	if (p->st->rob_count < 2)
		return false;
	checkpoint_rules_uop(h, pipe_rob_at(p, 1))->seq = pipe_rob_at(p, 0)->seq;
	return true;
}

static bool fetch_order(struct hostile *h)
{
	const struct pipe *p = checkpoint_rules_pipe(h);
	if (!p->st->fetchq_count || !p->st->rob_count)
		return false;
	checkpoint_rules_uop(h, pipe_fetchq_at(p, 0))->seq = 1;
	return true;
}

static bool no_misprediction(struct hostile *h)
{
	checkpoint_rules_pipe_state(h)->spec_slot = a_gone_slot(h);
	return a_gone_slot(h) != NO_SLOT;
}

static bool checkpoint_rules_change_register(struct hostile *h)
{
	const struct pipe *p = checkpoint_rules_pipe(h);
	for (unsigned reg = 1; reg < REG_SINK; reg++)
		if (p->st->rename[reg] == NO_SLOT) {
			((struct hart *)hostile_copy(h, p->hart))->r[reg] ^= 1;
			return true;
		}
	return false;
}

static bool waiting_misses(struct hostile *h)
{
	const struct pipe *p = checkpoint_rules_pipe(h);
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
	{kind, "of no valid kind"},
	{empty_store, "a store of no bytes"},
	{never_fetched, "in flight was never fetched"},
	{no_consumer, "consumer does not wait for it"},
	{unordered_users, "consumers are out of order"},
	{nothing_awaited, "pending operands are not those"},
	{nobody, "waits for no producer"},
	{nothing_comes, "a result without a producer"},
	{no_queue, "the load/store queue lacks an access"},
	{in_memory, "in the memory system is no access"},
	{checkpoint_rules_flip_unknown_bit, "a store's address is marked known in one place only"},
	{no_address, "enters memory without an address"},
	{goes_nowhere, "an access with an address is not under way"},
	{data, "a store's data is marked ready in one place only"},
	{looked_for, "filter has a store of no bytes"},
	{not_in_flight, "in the window is not in flight"},
	{no_looks, "is held, but its pool is not marked"},
	{no_data, "for an operand that it lacks"},
	{checkpoint_rules_flip_retry_bit, "marked for a retry in one place only"},
	{not_issued, "is marked issued in one place only"},
	{never_due, "is never due"},
	{due_then, "is due at a cycle other than its own"},
	{retries, "the count of accesses to retry"},
	{accesses, "different numbers of accesses"},
	{unknowns, "the count of stores without an address"},
	{program_order, "the window is not in program order"},
	{fetch_order, "the fetch queue is not in program order"},
	{no_misprediction, "a misprediction's instruction is not in the window"},
	{checkpoint_rules_change_register, "a register without a producer"},
	{waiting_misses, "a register without a store or load"},
	{level, "an instruction was fetched from an invalid level"},
	{line_level, "a line was fetched from an invalid level"},
};

TEST(rules_of_the_pipeline)
{
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "l1d.mshrs=1", 3003); /* so that accesses are refused */
	RULES(&h, pipeline);
	hostile_drop(&h);
}

BREAK(no_stack, checkpoint_rules_uop_redirects, u->mark.flags |= BPM_RAS)
BREAK(no_table, checkpoint_rules_uop_redirects, u->mark.flags |= BPM_BTB_LEARNT)

TEST(rules_of_a_machine_without_tables_and_profile_flags)
{
	static const struct rule rules[] = {
		{no_stack, "a return address came from an absent return stack"},
		{no_table, "a target was learnt by an absent target buffer"},
		/* profile instructions are skipped: undecidable */
		{path, "does not follow the one before it"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "ras.size=0 btb.sets=0 xprof.enable=0", 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

static bool is_ready(const struct uop *u) { return u->state == UOP_READY; }
static struct ready_summary *checkpoint_rules_ready_sum(const struct hostile *h)
{
	return hostile_copy(h, checkpoint_rules_pipe(h)->ready_sum);
}
BREAK(ready_elsewhere, is_ready, checkpoint_rules_ready_sum(h)->words = 0)
BREAK(ready_uncounted, is_ready, checkpoint_rules_ready_sum(h)->count[u->at.pool]--)
BREAK(due_elsewhere, uop_is_in_wheel,
      ((uint64_t *)hostile_copy(h, checkpoint_rules_pipe(h)->wheel_words))[u->at.wheel] = 0)

TEST(rules_of_a_large_window)
{
	static const struct rule rules[] = {
		{ready_elsewhere, "a word of ready instructions is noted wrongly"},
		{ready_uncounted, "the count of a pool's ready instructions is wrong"},
		{due_elsewhere, "a word of due instructions is noted wrongly"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL "pipe.rob_size=200", 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

/* ---- the system ---- */
static struct os_state *checkpoint_rules_os_state(const struct hostile *h)
{
	return hostile_copy(h, os_state_const(machine_os_const(h->g->s->machine)));
}

DAMAGE(file_number,
       checkpoint_rules_os_state(h)->file[1].serial = checkpoint_rules_os_state(h)->next_serial + 1)
DAMAGE(pipe_bytes, checkpoint_rules_os_state(h)->pipe[0].at = 8)
DAMAGE(no_device, strcpy(checkpoint_rules_os_state(h)->file[1].path, "etc");
       checkpoint_rules_os_state(h)->file[1].kind = OS_FILE_ZERO)

/* 9 is SIGKILL, 10 SIGUSR1, which would end the program. */
DAMAGE(signal_unsent, checkpoint_rules_os_state(h)->thread[0].signals.pending.count = 1)
DAMAGE(signal_blocked, checkpoint_rules_os_state(h)->thread[0].signals.mask |= 1u << (9 - 1))
DAMAGE(signal_missed, checkpoint_rules_os_state(h)->signals.pending.set = 1u << (10 - 1))
DAMAGE(timer_missed, checkpoint_rules_os_state(h)->signals.next = 4711)

TEST(rules_of_the_system)
{
	static const struct rule rules[] = {
		{file_number, "a number that was not given out yet"},
		{no_device, "an open device is none of ours"},
		{pipe_bytes, "a pipe's bytes do not begin on a page"},
		{signal_unsent, "a pending signal has no sender"},
		{signal_blocked, "a signal is blocked that can't be"},
		{signal_missed, "a signal is due, but its cycle is not watched"},
		{timer_missed, "a timer expires in another cycle than expected"},
	};
	struct hostile h;
	(void)state;
	hostile_save(&h, HOSTILE_SMALL, 3003);
	RULES(&h, rules);
	hostile_drop(&h);
}

TEST_GROUP(rig_enter, rig_leave)
