/* What is impossible between fields that are each within their range: one damage for each rule that
 * pipeline and system check (core/pipe/invariants.c, core/os/checkpoint_check.c).
 * test_checkpoint_device_rules.c has those of devices, test_checkpoint_hostile.c those of single
 * fields. */
#include "tests/reverse/hostile.h"


#include "core/os/os.h"
#include "core/pipe/window.h"
#include "core/prof/common/prof.h"
#include "core/run/run.h"

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
static bool wanted(const struct uop *u) { return !done(u) && u->users != NO_LINK; }
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
DAMAGE(no_looks, state_of(h)->held_pools ^= 1)
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
BREAK(no_data, no_access, u->src.pending |= 1 << SOURCE_LATER)
BREAK(nobody, waiting, u->src.slot[0] = NO_SLOT)
BREAK(nothing_comes, waiting, u->src.seq[0] ^= UINT64_C(1) << 40)
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
		hostile_turn(h, pipe_of(h)->unknown, u->at.lsq);
	return u;
}

static bool again(struct hostile *h)
{
	struct uop *u = one(h, any);
	if (u)
		hostile_turn(h, pipe_of(h)->retry, u->at.rob);
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
	{no_queue, "an access is not in the load/store queue"},
	{in_memory, "what is no access is in the memory system"},
	{address_known, "a store's address is known and not known"},
	{no_address, "enters memory without an address"},
	{goes_nowhere, "an access with an address goes nowhere"},
	{data, "a store's data is there and not there"},
	{looked_for, "a store of no bytes is looked for"},
	{not_in_flight, "what is in the window is not in flight"},
	{no_looks, "is held, and nobody looks"},
	{no_data, "for an operand that it has not"},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_the_pipeline),
		cmocka_unit_test(rules_of_a_machine_without_tables_and_profile_flags),
		cmocka_unit_test(rules_of_a_large_window),
		cmocka_unit_test(rules_of_the_system),
	};
	return cmocka_run_group_tests(tests, rig_enter, rig_leave);
}
