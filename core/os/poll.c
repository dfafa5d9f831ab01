/* The calls that wait for one of several descriptors. */
#include "core/os/descriptors.h"
#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"

/* Writes the time left of a call's limit to `at`, if it can be written. */
static void poll_write_time_left(struct call *c, uint64_t at, uint64_t deadline)
{
	const uint64_t now = hart_ticks(c->h);
	const struct lx_timespec left =
		ticks_to_time(c->os, deadline > now ? deadline - now : 0);
	if (at)
		mem_write(c->mem, at, &left, sizeof left);
}

/* Waits, with nothing ready, until the time is over, or a signal comes that the call's own mask
 * lets through. */
static int64_t poll_in_vain(struct call *c, bool masked, uint64_t mask, uint64_t at,
                            uint64_t deadline, uint64_t fds)
{
	if (deadline <= hart_ticks(c->h))
		return 0;
	if (masked)
		signal_mask_for_call(c, mask);
	return fds ? thread_wait_again(c, OS_WAIT_FDS, fds, at, deadline)
	           : thread_wait_again(c, OS_WAIT_SIGNAL, 0, 0, deadline);
}

int64_t sys_ppoll(struct call *c)
{
	uint64_t n = (uint32_t)c->a[1], mask = 0, watched = 0, deadline;
	int64_t limit = wait_limit(c, c->a[2], WAIT_FOR, &deadline), count = 0;
	if (limit < 0)
		return limit;
	if (c->a[3] && c->a[4] != sizeof mask)
		return -EINVAL;
	if (c->a[3] && !mem_read(c->mem, c->a[3], &mask, sizeof mask))
		return -EFAULT;
	if (n > OS_FDS)
		return -EINVAL;
	struct lx_pollfd p[OS_FDS];
	if (!mem_read(c->mem, c->a[0], p, n * sizeof *p))
		return -EFAULT;
	for (uint64_t i = 0; i < n; i++) {
		const struct os_file *f = fd_file(c->st, p[i].fd);
		p[i].revents = 0;
		if (p[i].fd < 0)
			continue;
		watched++;
		if (!f)
			p[i].revents = LX_POLLNVAL;
		else
			p[i].revents = (int16_t)(file_ready(c, f) &
			                         (p[i].events | LX_POLLERR | LX_POLLHUP));
		count += p[i].revents != 0;
	}
	if (!mem_write(c->mem, c->a[0], p, n * sizeof *p))
		return -EFAULT;
	if (!count)
		count = poll_in_vain(c, c->a[3] != 0, mask, c->a[2], deadline, watched);
	if (thread_now(c->st)->state == THREAD_READY)
		poll_write_time_left(c, c->a[2], deadline);
	return count;
}

/* Reads the sixth argument, a pointer to the mask and its size; false on a fault. */
static bool select_mask(struct call *c, bool *masked, uint64_t *mask)
{
	uint64_t where[2] = {0};
	const uint64_t word = c->h->isa == ISA_RV32GC ? 4 : 8;
	if (c->a[5] &&
	    (!guest_word(c, c->a[5], &where[0]) || !guest_word(c, c->a[5] + word, &where[1])))
		return false;
	*masked = where[0] != 0;
	return !*masked || mem_read(c->mem, where[0], mask, sizeof *mask);
}

int64_t sys_pselect6(struct call *c)
{
	static const int wants[3] = {LX_POLLIN | LX_POLLHUP | LX_POLLERR, LX_POLLOUT | LX_POLLERR,
	                             LX_POLLPRI};
	uint64_t sets[3] = {0}, found[3] = {0}, mask = 0, watched = 0, deadline;
	int64_t limit = wait_limit(c, c->a[4], WAIT_FOR, &deadline), count = 0;
	bool masked;
	static_assert(OS_FDS == 64, "a set is one word");
	if ((int)c->a[0] < 0)
		return -EINVAL;
	if (limit < 0)
		return limit;
	uint64_t n = (uint32_t)c->a[0] < OS_FDS ? (uint32_t)c->a[0] : OS_FDS;
	for (unsigned k = 0; k < 3; k++)
		if (c->a[1 + k] && !mem_read(c->mem, c->a[1 + k], &sets[k], (n + 7) / 8))
			return -EFAULT;
	if (!select_mask(c, &masked, &mask))
		return -EFAULT;
	for (unsigned fd = 0; fd < n; fd++) {
		const struct os_file *f = fd_file(c->st, (int)fd);
		for (unsigned k = 0; k < 3; k++) {
			uint64_t bit = UINT64_C(1) << fd;
			if (!(sets[k] & bit))
				continue;
			if (!f)
				return -EBADF;
			watched++;
			found[k] |= file_ready(c, f) & wants[k] ? bit : 0;
			count += (found[k] & bit) != 0;
		}
	}
	int64_t ret = count ? count
	                    : poll_in_vain(c, masked, mask, c->a[4], deadline, watched);
	if (thread_now(c->st)->state == THREAD_READY)
		poll_write_time_left(c, c->a[4], deadline);
	for (unsigned k = 0; k < 3 && ret >= 0 && thread_now(c->st)->state == THREAD_READY; k++)
		if (c->a[1 + k] && !mem_write(c->mem, c->a[1 + k], &found[k], (n + 7) / 8))
			return -EFAULT;
	return ret;
}
