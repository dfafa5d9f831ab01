/* Guest memory: long random runs of maps, stores, snapshots and restores against a plain array. */
#include "tests/unit/mem/mem_fixture.h"

/* ---- random runs against a model ---- */

enum { WINDOWS = 3, WINDOW_PAGES = 24, PAGES = WINDOWS * WINDOW_PAGES, IMAGES = 6 };

/* Around a leaf's edge, around an edge of every level, and below the top. They share fast table
 * entries. */
static const uint64_t window_start[WINDOWS] = {
	(2 * MEM_FAST - WINDOW_PAGES / 2) * PAGE_BYTES,
	((UINT64_C(1) << 21) - WINDOW_PAGES / 2) * PAGE_BYTES,
	MEM_TOP - WINDOW_PAGES * PAGE_BYTES,
};

static const char *const names[] = { "a", MEM_SPARSE, MEM_FILE,
	                             "a name that is longer than a region's", "mmap" };

struct model_page {
	bool mapped;
	unsigned prot, name;
	uint8_t bytes[PAGE_BYTES];
};

struct model {
	struct model_page page[PAGES];
};

struct world {
	struct mem *mem;
	struct model now, then[IMAGES];
	struct mem_image *img[IMAGES];
	uint64_t hash[IMAGES], rng;
};

static uint64_t mem_random_below(struct world *w, uint64_t below)
{
	w->rng ^= w->rng << 13;
	w->rng ^= w->rng >> 7;
	w->rng ^= w->rng << 17;
	return (w->rng >> 11) % below;
}

static uint64_t page_addr(unsigned i)
{
	return window_start[i / WINDOW_PAGES] + (uint64_t)(i % WINDOW_PAGES) * PAGE_BYTES;
}

/* The model's page at addr, or NULL outside the windows. */
static struct model_page *model_page(struct model *m, uint64_t addr)
{
	for (unsigned i = 0; i < WINDOWS; i++)
		if (addr - window_start[i] < WINDOW_PAGES * PAGE_BYTES)
			return &m->page[i * WINDOW_PAGES + (addr - window_start[i]) / PAGE_BYTES];
	return NULL;
}

static bool model_may(struct model *m, uint64_t addr, size_t n, unsigned prot)
{
	for (uint64_t a = addr; a < addr + n; a = (a | (PAGE_BYTES - 1)) + 1) {
		const struct model_page *p = model_page(m, a);
		if (!p || !p->mapped || (p->prot & prot) != prot)
			return false;
	}
	return true;
}

static void model_copy(struct model *m, uint64_t addr, uint8_t *buf, size_t n, bool in)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *b = &model_page(m, addr + i)->bytes[(addr + i) % PAGE_BYTES];
		if (in)
			*b = buf[i];
		else
			buf[i] = *b;
	}
}

/* An address in a window, often near a page's edge, at times just outside. */
static uint64_t some_addr(struct world *w)
{
	uint64_t addr = page_addr((unsigned)mem_random_below(w, PAGES));
	if (mem_random_below(w, 2))
		addr = page_addr((unsigned)mem_random_below(w, 2) * WINDOW_PAGES +
		                 WINDOW_PAGES / 2);
	if (mem_random_below(w, 3))
		return addr + mem_random_below(w, PAGE_BYTES);
	return addr + mem_random_below(w, 24) - 12;
}

/* A page-aligned range inside one window. */
static uint64_t some_range(struct world *w, unsigned *first, unsigned *count)
{
	unsigned at = (unsigned)mem_random_below(w, WINDOW_PAGES);
	unsigned most = WINDOW_PAGES - at;
	*first = (unsigned)mem_random_below(w, WINDOWS) * WINDOW_PAGES + at;
	*count = 1 + (unsigned)mem_random_below(w, mem_random_below(w, 8) ? (most < 4 ? most : 4)
	                                                                  : most);
	return page_addr(*first);
}

static void check_fetch(struct world *w, uint64_t pc)
{
	pc &= ~UINT64_C(1);
	uint8_t bytes[4] = { 0 };
	uint32_t raw;
	struct inst want = { 0 };
	bool ok = model_may(&w->now, pc, 2, PROT_X);
	if (ok) {
		model_copy(&w->now, pc, bytes, 2, false);
		if ((bytes[0] & 3) == 3) {
			ok = model_may(&w->now, pc, 4, PROT_X);
			if (ok)
				model_copy(&w->now, pc, bytes, 4, false);
		}
	}
	const struct inst *in = mem_fetch(w->mem, pc);
	assert_int_equal(in != NULL, ok);
	if (!ok)
		return;
	memcpy(&raw, bytes, sizeof raw);
	inst_decode(raw, &want);
	assert_memory_equal(in, &want, sizeof want);
}

static void check_regions(struct world *w)
{
	struct mem_region r = {0};
	for (unsigned i = 0; i < PAGES; i++) {
		const struct model_page *p = &w->now.page[i];
		if (!p->mapped)
			continue;
		unsigned end = i + 1;
		while (end % WINDOW_PAGES && w->now.page[end].mapped &&
		       w->now.page[end].prot == p->prot && w->now.page[end].name == p->name)
			end++;
		assert_true(mem_next_region(w->mem, r.end, &r));
		assert_int_equal(r.start, page_addr(i));
		assert_int_equal(r.end, page_addr(end - 1) + PAGE_BYTES);
		assert_int_equal(r.prot, p->prot);
		assert_memory_equal(r.name, names[p->name], strnlen(names[p->name], 23));
		i = end - 1;
	}
	assert_false(mem_next_region(w->mem, r.end, &r));
}

/* Checks that the sums over a range equal the sum over its regions. */
static void check_extent(struct world *w)
{
	unsigned first, count;
	const uint64_t start = some_range(w, &first, &count),
		       end = start + mem_random_below(w, 2 * count + 1) * PAGE_BYTES;
	struct mem_extent sum = { 0 };
	for (struct mem_region r = { 0 }; mem_next_region(w->mem, r.end, &r);) {
		const uint64_t from = r.start > start ? r.start : start,
			       to = r.end < end ? r.end : end;
		const bool sparse = !strcmp(r.name, MEM_SPARSE), file = !strcmp(r.name, MEM_FILE);
		if (from >= to)
			continue;
		sum.bytes += to - from;
		sum.counted += file || (r.prot && !sparse) ? to - from : 0;
		sum.dense += sparse ? 0 : to - from;
		sum.prot |= r.prot;
	}
	const struct mem_extent got = mem_extent(w->mem, start, end);
	assert_int_equal(got.bytes, sum.bytes);
	assert_int_equal(got.counted, sum.counted);
	assert_int_equal(got.dense, sum.dense);
	assert_int_equal(got.prot, sum.prot);
}

/* A new space made from the model has the same digest. */
static void check_everything(struct world *w)
{
	struct mem *fresh = mem_new();
	uint8_t bytes[PAGE_BYTES];
	for (unsigned i = PAGES; i-- > 0;) {
		const struct model_page *p = &w->now.page[i];
		assert_int_equal(mem_peek(w->mem, page_addr(i), bytes, sizeof bytes), p->mapped);
		if (!p->mapped)
			continue;
		assert_memory_equal(bytes, p->bytes, PAGE_BYTES);
		assert_true(mem_map(fresh, page_addr(i), PAGE_BYTES, p->prot, names[p->name]));
		if (mem_random_below(w, 2) ||
		    memcmp(bytes, (uint8_t[PAGE_BYTES]){0}, PAGE_BYTES) != 0)
			assert_true(mem_poke(fresh, page_addr(i), bytes, sizeof bytes));
	}
	assert_int_equal(mem_hash(fresh), mem_hash(w->mem));
	mem_free(fresh);
	check_regions(w);
}

static void do_access(struct world *w)
{
	uint64_t addr = some_addr(w), v = mem_random_below(w, UINT64_MAX), got = 1;
	unsigned n = 1u << mem_random_below(w, 4);
	if (!mem_random_below(w, 4))
		v = mem_random_below(w, 2) ? ADDI_A0_1 : 0;
	if (mem_random_below(w, 2)) {
		bool ok = model_may(&w->now, addr, n, PROT_W);
		assert_int_equal(mem_store(w->mem, addr, n, v), ok);
		if (ok)
			model_copy(&w->now, addr, (uint8_t *)&v, n, true);
	} else {
		bool ok = model_may(&w->now, addr, n, PROT_R);
		uint64_t want = ok ? 0 : 1;
		assert_int_equal(mem_load(w->mem, addr, n, &got), ok);
		if (ok)
			model_copy(&w->now, addr, (uint8_t *)&want, n, false);
		assert_int_equal(got, want);
	}
	check_fetch(w, mem_random_below(w, 2) ? addr : addr - 2);
}

static void do_block(struct world *w)
{
	uint64_t addr = some_addr(w);
	size_t n = mem_random_below(w, mem_random_below(w, 3) ? 40 : 3 * PAGE_BYTES);
	uint8_t *a = malloc(n + 1), *b = malloc(n + 1);
	unsigned how = (unsigned)mem_random_below(w, 4);
	bool write = how & 1;
	unsigned prot = how & 2 ? 0 : write ? PROT_W : PROT_R;
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] = (uint8_t)mem_random_below(w, 4);
	bool ok = model_may(&w->now, addr, n, prot);
	if (ok)
		model_copy(&w->now, addr, b, n, write);
	if (write)
		assert_int_equal(
			prot ? mem_write(w->mem, addr, a, n) : mem_poke(w->mem, addr, a, n), ok);
	else
		assert_int_equal(prot ? mem_read(w->mem, addr, a, n) : mem_peek(w->mem, addr, a, n),
		                 ok);
	assert_memory_equal(a, b, n);
	free(a);
	free(b);
}

static void do_mapping(struct world *w)
{
	unsigned first, count, to, unused;
	uint64_t start = some_range(w, &first, &count), target = some_range(w, &to, &unused);
	uint64_t length = (uint64_t)count * PAGE_BYTES;
	unsigned prot = mem_random_below(w, 3) ? RWX : (unsigned)mem_random_below(w, 8),
		 name = (unsigned)mem_random_below(w, 5);
	struct model_page *p = &w->now.page[first], *q = &w->now.page[to];
	bool all = mem_is_mapped(w->mem, start, length);
	assert_int_equal(all, model_may(&w->now, start, length, 0));
	switch (mem_random_below(w, 6)) {
	case 0:
	case 1:
		assert_true(mem_map(w->mem, start, length, prot, names[name]));
		for (unsigned i = 0; i < count; i++)
			p[i] = (struct model_page){ .mapped = true, .prot = prot, .name = name };
		break;
	case 2:
		assert_true(mem_unmap(w->mem, start, length));
		memset(p, 0, count * sizeof *p);
		break;
	case 3:
		assert_int_equal(mem_protect(w->mem, start, length, prot), all);
		for (unsigned i = 0; all && i < count; i++)
			p[i].prot = prot;
		break;
	case 4:
		assert_true(mem_discard(w->mem, start, length));
		for (unsigned i = 0; i < count; i++)
			if (!strcmp(names[p[i].name], "mmap") ||
			    !strcmp(names[p[i].name], MEM_SPARSE))
				memset(p[i].bytes, 0, sizeof p[i].bytes);
		break;
	default:
		all = all && to % WINDOW_PAGES + count <= WINDOW_PAGES &&
		      (to + count <= first || first + count <= to);
		if (to % WINDOW_PAGES + count > WINDOW_PAGES)
			break;
		assert_int_equal(mem_move(w->mem, start, target, length), all);
		if (all) {
			memcpy(q, p, count * sizeof *p);
			memset(p, 0, count * sizeof *p);
		}
	}
}

static void do_snapshot(struct world *w)
{
	unsigned i = (unsigned)mem_random_below(w, IMAGES);
	if (w->img[i] && mem_random_below(w, 3)) {
		mem_restore(w->mem, w->img[i]);
		w->now = w->then[i];
		assert_int_equal(mem_hash(w->mem), w->hash[i]);
		return;
	}
	mem_image_free(w->img[i]);
	w->then[i] = w->now;
	w->hash[i] = mem_random_below(w, 2) ? mem_hash(w->mem) : 0;
	w->img[i] = mem_snapshot(w->mem);
	if (!w->hash[i])
		w->hash[i] = mem_hash(w->mem);
}

static void check_find_free(struct world *w)
{
	uint64_t length = (1 + mem_random_below(w, 30)) * PAGE_BYTES, below = some_addr(w);
	uint64_t at = (below < MEM_TOP ? below : MEM_TOP) / PAGE_BYTES * PAGE_BYTES;
	unsigned run = 0;
	while (at >= 65536 + PAGE_BYTES && run < length / PAGE_BYTES) {
		at -= PAGE_BYTES;
		run = model_may(&w->now, at, 1, 0) ? 0 : run + 1;
	}
	uint64_t want = run == length / PAGE_BYTES ? at : 0;
	assert_int_equal(mem_find_free(w->mem, length - mem_random_below(w, PAGE_BYTES), below),
	                 want);
}

TEST(random_runs_agree_with_a_model)
{
	struct world *w = calloc(1, sizeof *w);
	for (uint64_t seed = 1; seed <= 8; seed++) {
		print_message("# seed %u\n", (unsigned)seed);
		memset(w, 0, sizeof *w);
		w->rng = seed * UINT64_C(0x9e3779b97f4a7c15);
		w->mem = mem_new();
		for (unsigned step = 0; step < 12000; step++) {
			unsigned what = (unsigned)mem_random_below(w, 1000);
			if (what < 850)
				do_access(w);
			else if (what < 920)
				do_block(w);
			else if (what < 960)
				do_mapping(w);
			else if (what < 980)
				do_snapshot(w);
			else if (what < 990)
				check_find_free(w);
			else if (what < 995)
				check_extent(w);
			else
				check_everything(w);
		}
		/* In any order: images first, or the space first. */
		if (seed & 1)
			mem_free(w->mem);
		for (unsigned i = 0; i < IMAGES; i++)
			mem_image_free(w->img[i]);
		if (!(seed & 1))
			mem_free(w->mem);
	}
	free(w);
}
