/*
 * linked: walks a linked list in memory order, then the same list in random order.
 *
 * Shows pointer chasing: each load's address is the previous load's result, so the loop runs at the
 * load-to-use latency of whichever cache level holds the nodes, however wide the machine is. In
 * memory order, neighbours share cache lines of 64 bytes (l1d.line); in random order each step is a miss.
 * Usage: linked [NODES], default 8192 nodes of 32 bytes. Both walks print the same sum.
 *
 * Tour, two minutes: `build/cyclops build/demos/linked`, then type (or run demos/tours/linked.cyc):
 *     tbreak linked.c:37  the walk in memory order
 *     continue
 *     tbreak linked.c:61  after it
 *     continue            fourteen cycles a node: nodes and lines of the L1 have 32 bytes
 *     goto -50000         back into the middle of it
 *     view pipe           each load starts where the one before it ends
 *     why                 an L1 miss that the L2 serves
 *     view mshr           one miss at a time: nothing overlaps
 *     goto live
 *     tbreak linked.c:72  the shuffled walk is over
 *     continue
 *     set l1d.line = 64   a miss brings two nodes, if they are in order
 *     run                 stops at linked.c:37, then at :61: nine cycles a node
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	uint64_t value;
	uint64_t pad[2];		/* 32 bytes: two nodes to a 64-byte line */
};

static uint64_t walk(const struct node *node)
{
	uint64_t sum = 0;
	for (; node; node = node->next)
		sum += node->value;
	return sum;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 8192;
	struct node *nodes = calloc(count, sizeof *nodes);
	size_t *order = calloc(count, sizeof *order);
	if (!count || !nodes || !order) {
		fprintf(stderr, "linked: no room for %zu nodes\n", count);
		return 1;
	}

	for (size_t i = 0; i < count; i++) {
		order[i] = i;
		nodes[i].value = i * i;
		nodes[i].next = i + 1 < count ? &nodes[i + 1] : NULL;
	}
	printf("in order: %llu\n", (unsigned long long)walk(nodes));

	/* Fisher-Yates with a linear congruential generator: the same shuffle on every machine. */
	uint64_t seed = 2003;
	for (size_t i = count - 1; i > 0; i--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t j = (size_t)(seed >> 33) % (i + 1);
		size_t swap = order[i];
		order[i] = order[j];
		order[j] = swap;
	}
	for (size_t i = 0; i < count; i++)
		nodes[order[i]].next = i + 1 < count ? &nodes[order[i + 1]] : NULL;
	printf("shuffled: %llu\n", (unsigned long long)walk(&nodes[order[0]]));

	free(order);
	free(nodes);
	return 0;
}
