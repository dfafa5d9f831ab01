/* Policies, priorities and processors of threads: there is one of each, which may be read and set.
 * Also barriers between processors: with one they do nothing. */
#include "core/os/os_priv.h"
#include "core/os/thread.h"

enum { SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE = 5, SCHED_DEADLINE };

/* Whether the first argument is a thread, or 0 for the caller. */
static bool names_thread(const struct call *c)
{
	return !(int)c->a[0] || os_thread_find(c->os, (uint32_t)c->a[0]) >= 0;
}

int64_t sys_sched_getaffinity(struct call *c)
{
	static const uint64_t first_cpu = 1;
	if (c->a[1] < sizeof first_cpu || c->a[1] % sizeof first_cpu)
		return -EINVAL;
	if (!names_thread(c))
		return -ESRCH;
	return mem_write(c->mem, c->a[2], &first_cpu, sizeof first_cpu) ? (int64_t)sizeof first_cpu
	                                                                : -EFAULT;
}

int64_t sys_sched_setaffinity(struct call *c)
{
	uint64_t set = 0;
	if (c->a[1] && !mem_read(c->mem, c->a[2], &set, c->a[1] < 8 ? c->a[1] : 8))
		return -EFAULT;
	if (!names_thread(c))
		return -ESRCH;
	return set & 1 ? 0 : -EINVAL;
}

int64_t sys_sched_getscheduler(struct call *c)
{
	return (int)c->a[0] < 0 ? -EINVAL : names_thread(c) ? SCHED_OTHER : -ESRCH;
}

int64_t sys_sched_getparam(struct call *c)
{
	static const uint32_t priority = 0;
	if (!c->a[1] || (int)c->a[0] < 0)
		return -EINVAL;
	if (!names_thread(c))
		return -ESRCH;
	return mem_write(c->mem, c->a[1], &priority, sizeof priority) ? 0 : -EFAULT;
}

/* Real-time policies need a privilege that the guest lacks. */
static int64_t set_policy(struct call *c, int policy, uint64_t param)
{
	int32_t priority;
	if (!param || (int)c->a[0] < 0 || policy < 0)
		return -EINVAL;
	if (!mem_read(c->mem, param, &priority, sizeof priority))
		return -EFAULT;
	if (!names_thread(c))
		return -ESRCH;
	switch (policy) {
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return priority ? -EINVAL : 0;
	case SCHED_FIFO:
	case SCHED_RR:
		return priority < 1 || priority > 99 ? -EINVAL : -EPERM;
	default:
		return -EINVAL;
	}
}

int64_t sys_sched_setscheduler(struct call *c)
{
	return set_policy(c, (int)c->a[1], c->a[2]);
}

int64_t sys_sched_setparam(struct call *c)
{
	return set_policy(c, SCHED_OTHER, c->a[1]);
}

static int64_t sched_policy_priority(uint64_t policy, int64_t of_real_time)
{
	switch ((int)policy) {
	case SCHED_FIFO:
	case SCHED_RR:
		return of_real_time;
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
	case SCHED_DEADLINE:
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t sys_sched_get_priority_max(struct call *c)
{
	return sched_policy_priority(c->a[0], 99);
}

int64_t sys_sched_get_priority_min(struct call *c)
{
	return sched_policy_priority(c->a[0], 1);
}

/* Does nothing: one hart sees its own memory in order. */
int64_t sys_membarrier(struct call *c)
{
	enum { QUERY = 0, GLOBAL = 1, REGISTER_GLOBAL = 4, REGISTER_PRIVATE = 16 };
	enum { ALL = 31 }; /* with those to register for */
	const int command = (int)c->a[0];
	if (c->a[1])
		return -EINVAL;
	if (command == QUERY)
		return ALL;
	if (command & (command - 1) || command & ~ALL)
		return -EINVAL;
	if (command == REGISTER_PRIVATE || command == REGISTER_GLOBAL)
		c->st->barriers |= (uint8_t)command;
	/* only registered processes may use the private one */
	return command == REGISTER_PRIVATE >> 1 && !(c->st->barriers & REGISTER_PRIVATE) ? -EPERM
	                                                                                 : 0;
}
