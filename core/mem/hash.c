/* Digests of guest memory. Pages and nodes cache their digest or sum until they are next written,
 * so that a digest of the whole space costs only the pages changed since the last one. */
#include "core/mem/mem_priv.h"

/* Mixes a word: every output bit depends on every input bit. */
static uint64_t mem_hash_mix64(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0xe9846af9b1a615d);
	x ^= x >> 32;
	x *= UINT64_C(0xe9846af9b1a615d);
	return x ^ x >> 28;
}

static uint64_t mem_hash_rotl64(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

/* Hashes a page in four chains, because a single chain would wait for each multiplication. 0 if all
 * bytes are zero. */
static uint64_t digest_bytes(const uint8_t *bytes)
{
	uint64_t lane[4] = { 1, 2, 3, 4 }, any = 0, w[4];
	for (unsigned i = 0; i < PAGE_BYTES; i += sizeof w) {
		memcpy(w, bytes + i, sizeof w);
		any |= w[0] | w[1] | w[2] | w[3];
		for (unsigned k = 0; k < 4; k++)
			lane[k] =
				mem_hash_rotl64(lane[k] ^ w[k], 29) * UINT64_C(0x9e3779b97f4a7c15);
	}
	if (!any)
		return 0;
	uint64_t d = 0;
	for (unsigned k = 0; k < 4; k++)
		d = mem_hash_mix64(d * 3 + lane[k]);
	return d ? d : 1;
}

/* Page pn's part of the sum: 0 if the page is zero, as if it had never been touched. */
static uint64_t page_share(struct page *p, uint64_t pn)
{
	if (!p->digest_valid) {
		p->digest = digest_bytes(p->bytes);
		p->digest_valid = true;
	}
	return p->digest ? mem_hash_mix64(p->digest + mem_hash_mix64(pn + 1)) : 0;
}

/* The sum over the pages below n, whose first page is pn. */
static uint64_t node_sum(struct node *n, unsigned height, uint64_t pn)
{
	if (!n)
		return 0;
	if (n->sum_valid)
		return n->sum;
	uint64_t sum = 0, span = UINT64_C(1) << (height * NODE_LOG2);
	for (unsigned i = 0; i < NODE_FAN; i++, pn += span) {
		if (!n->child[i])
			continue;
		sum += height ? node_sum(n->child[i], height - 1, pn) : page_share(n->child[i], pn);
	}
	n->sum = sum;
	n->sum_valid = true;
	return sum;
}

static uint64_t regions_digest(const struct mem *mem)
{
	uint64_t d = mem_region_count(mem);
	for (struct mem_region r = {0}; mem_next_region(mem, r.end, &r);) {
		uint64_t name[sizeof r.name / sizeof(uint64_t)];
		memcpy(name, r.name, sizeof name);
		d = mem_hash_mix64(d * 3 + r.start);
		d = mem_hash_mix64(d * 3 + r.end);
		d = mem_hash_mix64(d * 3 + r.prot);
		for (size_t k = 0; k < sizeof name / sizeof *name; k++)
			d = mem_hash_mix64(d * 3 + name[k]);
	}
	return d;
}

uint64_t mem_hash(const struct mem *mem)
{
	/* The next write of each page must take the slow path, which invalidates its cached digest.
	 * Callers cannot observe that, so mem stays const for them. */
	mem_flush_write_tags((struct mem *)mem);
	return mem_hash_mix64(node_sum(mem->space.root, TREE_HEIGHT, 0) + regions_digest(mem));
}
