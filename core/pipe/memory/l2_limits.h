/* What limits L2: ports, through which so many accesses begin in a cycle, and miss registers, which
 * hold a line on its way from memory.
 *
 * Both are booked in time, as the bus is: an access is told when it begins. Part of the arena,
 * where there is a limit. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_L2_LIMITS_H
#define CYCLOPS_CORE_PIPE_MEMORY_L2_LIMITS_H

#include <stdint.h>

enum { L2_PORT_CYCLES = 4096, L2_MSHR_MAX = 64 };

struct l2_port_cycle {
	uint64_t cycle; /* whom `used` is about */
	uint64_t used;
};

/* A register is held in since <= cycle < until; all 0: never. */
struct l2_miss {
	uint64_t line; /* byte address */
	uint64_t since, until;
};

struct l2_limits {
	struct l2_port_cycle port[L2_PORT_CYCLES]; /* by cycle & (L2_PORT_CYCLES - 1) */
	struct l2_miss miss[L2_MSHR_MAX];
};

/* Books a port; the cycle in which the access begins, `at` or later. */
static inline uint64_t l2_book_port(struct l2_limits *l, uint64_t ports, uint64_t at, uint64_t now)
{
	for (;; at++) {
		struct l2_port_cycle *c = &l->port[at & (L2_PORT_CYCLES - 1)];
		if (c->cycle != at && c->cycle >= now && c->used)
			continue; /* booked for another cycle, far from this one: as if it were full
			           */
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

/* The register that is free first. */
static inline struct l2_miss *l2_first_register(struct l2_limits *l, uint32_t registers)
{
	struct l2_miss *first = l->miss;
	for (uint32_t i = 1; i < registers; i++)
		if (l->miss[i].until < first->until)
			first = &l->miss[i];
	return first;
}

#endif
