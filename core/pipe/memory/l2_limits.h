/* Limits of L2: ports, each of which begins one access per cycle, and miss registers, each of which
 * holds a line in flight from memory.
 *
 * Both are booked ahead in time, as the bus is: an access gets its first cycle. Part of the arena,
 * if there is a limit. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_L2_LIMITS_H
#define CYCLOPS_CORE_PIPE_MEMORY_L2_LIMITS_H

#include <stdint.h>

enum { L2_PORT_CYCLES = 4096, L2_MSHR_MAX = 64 };

struct l2_port_cycle {
	uint64_t cycle; /* the cycle of `used` */
	uint64_t used;
};

/* A register is held in since <= cycle < until; all 0: never used. */
struct l2_miss {
	uint64_t line; /* byte address */
	uint64_t since, until;
};

struct l2_limits {
	struct l2_port_cycle port[L2_PORT_CYCLES]; /* by cycle & (L2_PORT_CYCLES - 1) */
	struct l2_miss miss[L2_MSHR_MAX];
};

/* Books a port; returns the cycle in which the access begins, `at` or later. */
static inline uint64_t l2_book_port(struct l2_limits *l, uint64_t ports, uint64_t at, uint64_t now)
{
	for (;; at++) {
		struct l2_port_cycle *c = &l->port[at & (L2_PORT_CYCLES - 1)];
		if (c->cycle != at && c->cycle >= now && c->used)
			continue; /* booked for another, distant cycle: treat it as full */
		if (c->cycle != at)
			*c = (struct l2_port_cycle){.cycle = at};
		if (c->used == ports)
			continue;
		c->used++;
		return at;
	}
}

/* Accesses that begin in this cycle. */
static inline uint64_t l2_ports_used(const struct l2_limits *l, uint64_t cycle)
{
	const struct l2_port_cycle *c = &l->port[cycle & (L2_PORT_CYCLES - 1)];
	return c->cycle == cycle ? c->used : 0;
}

/* The register that becomes free first. */
static inline struct l2_miss *l2_first_register(struct l2_limits *l, uint32_t registers)
{
	struct l2_miss *first = l->miss;
	for (uint32_t i = 1; i < registers; i++)
		if (l->miss[i].until < first->until)
			first = &l->miss[i];
	return first;
}

#endif
