/* A list in random order through 16 MB, eight times the L2, with some work at each node: nearly all waits for loads. Never ends. */
#include <stdint.h>
#include <stdlib.h>

enum { NODES = 1 << 18 };

struct node {
	struct node *next;
	uint64_t value[7];
};

int main(void)
{
	static struct node nodes[NODES];
	static uint32_t order[NODES];
	uint64_t x = 88172645463325252u, sum = 0;
	for (uint32_t i = 0; i < NODES; i++)
		order[i] = i;
	for (uint32_t i = NODES - 1; i > 0; i--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		const uint32_t k = (uint32_t)(x % i), was = order[i];
		order[i] = order[k];
		order[k] = was;
	}
	for (uint32_t i = 0; i < NODES; i++)
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
	for (const struct node *n = nodes;; n = n->next)
		for (unsigned k = 0; k < 7; k++) {
			sum = sum * 31 + n->value[k];
			sum ^= sum >> 7;
			__asm__ volatile("" : "+r"(sum));
		}
}
