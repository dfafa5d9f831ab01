/* System calls about memory: the break and mappings. */
#include "tests/unit/os/os_calls.h"

#include "core/base/hash.h"
#include "core/os/code_versions.h"

TEST(the_break_moves)
{
	struct guest *g = os_calls_guest(state);
	assert_int_equal(CALL(g, brk, 0), BREAK);
	assert_int_equal(CALL(g, brk, BREAK + 100), BREAK + 100);
	assert_true(mem_store(g->mem, BREAK + 96, 8, 7));
	assert_int_equal(CALL(g, brk, BREAK + 3 * K4), BREAK + 3 * K4);
	assert_int_equal(os_calls_load_word(g, BREAK + 96), 7);
	assert_true(mem_store(g->mem, BREAK + 3 * K4 - 8, 8, 9));
	assert_false(mem_store(g->mem, BREAK + 3 * K4, 8, 9));
	assert_int_equal(CALL(g, brk, BREAK + K4), BREAK + K4);
	assert_false(mem_is_mapped(g->mem, BREAK + K4, K4));
	assert_int_equal(CALL(g, brk, BREAK + 3 * K4), BREAK + 3 * K4);
	assert_int_equal(os_calls_load_word(g, BREAK + 3 * K4 - 8), 0);
	assert_int_equal(CALL(g, brk, BREAK - 1), BREAK + 3 * K4);
	assert_int_equal(CALL(g, brk, UINT64_MAX), BREAK + 3 * K4);
	/* Another mapping is in the way. */
	assert_true(mem_map(g->mem, BREAK + 5 * K4, K4, RW, "wall"));
	assert_int_equal(CALL(g, brk, BREAK + 6 * K4), BREAK + 3 * K4);
	assert_int_equal(CALL(g, brk, BREAK + 5 * K4), BREAK + 5 * K4);
}

TEST(mappings_come_and_go)
{
	struct guest *g = os_calls_guest(state);
	uint64_t a = (uint64_t)CALL(g, mmap, 0, 5000, RW, ANON, NO_FD, 0);
	uint64_t b = (uint64_t)CALL(g, mmap, 0, K4, PROT_R, ANON, NO_FD, 0);
	assert_int_equal(a % K4, 0);
	assert_true(a < MEM_TOP && b < a);
	assert_int_equal(os_calls_load_word(g, a + 2 * K4 - 8), 0);
	assert_true(mem_store(g->mem, a, 8, 1));
	assert_false(mem_store(g->mem, b, 8, 1));
	assert_int_equal(CALL(g, mprotect, b, 1, RW), 0);
	assert_true(mem_store(g->mem, b, 8, 1));
	assert_int_equal(CALL(g, mprotect, b, 1, PROT_W), 0);
	assert_int_equal(os_calls_load_word(g, b), 1); /* RISC-V: writable is readable */
	assert_int_equal(CALL(g, mprotect, b, 1, 0), 0);
	assert_int_equal(mem_prot_at(g->mem, b), 0);
	assert_true(mem_is_mapped(g->mem, b, K4));
	assert_int_equal(CALL(g, mprotect, 0x10000, K4, 0), -ENOMEM);
	/* A free hint is used, a fixed address always. */
	assert_int_equal(CALL(g, mmap, 0x20000000, K4, RW, ANON, NO_FD, 0), 0x20000000);
	assert_int_not_equal(CALL(g, mmap, 0x20000000, K4, RW, ANON, NO_FD, 0), 0x20000000);
	assert_true(mem_store(g->mem, 0x20000000, 8, 5));
	assert_int_equal(CALL(g, mmap, 0x20000000, K4, RW, ANON | LX_MAP_FIXED_NOREPLACE, NO_FD, 0),
	                 -EEXIST);
	assert_int_equal(os_calls_load_word(g, 0x20000000), 5);
	assert_int_equal(CALL(g, mmap, 0x20000000, K4, RW, ANON | LX_MAP_FIXED, NO_FD, 0),
	                 0x20000000);
	assert_int_equal(os_calls_load_word(g, 0x20000000), 0);
	assert_int_equal(CALL(g, munmap, a, 5000), 0);
	assert_false(mem_is_mapped(g->mem, a, K4));
	assert_int_equal(CALL(g, munmap, a, 5000), 0);
	static const uint64_t bad[][6] = {
		{0, 0, RW, ANON, NO_FD, 0},
		{0, K4, RW, LX_MAP_ANONYMOUS, NO_FD, 0},
		{5, K4, RW, ANON | LX_MAP_FIXED, NO_FD, 0},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(os_fixture_call(g, NR_mmap, bad[i]), -EINVAL);
	assert_int_equal(CALL(g, mmap, 0, UINT64_MAX, RW, ANON, NO_FD, 0), -ENOMEM);
	assert_int_equal(CALL(g, mmap, 0, MEM_TOP, RW, ANON, NO_FD, 0), -ENOMEM);
	assert_int_equal(CALL(g, mmap, MEM_TOP, K4, RW, ANON | LX_MAP_FIXED, NO_FD, 0), -ENOMEM);
	assert_int_equal(CALL(g, mmap, UINT64_MAX, K4, RW, ANON, NO_FD, 0) > 0, 1);
}

TEST(files_are_mapped_by_copy)
{
	struct guest *g = os_calls_guest(state);
	char big[K4 + 100];
	memset(big, 'q', sizeof big);
	big[sizeof big - 1] = '\0';
	host_put("big", big);
	open_at(g, LX_AT_FDCWD, "big", LX_O_RDONLY);
	uint64_t a = (uint64_t)CALL(g, mmap, 0, 2 * K4, PROT_R, LX_MAP_PRIVATE, 3, 0);
	assert_true(a < MEM_TOP);
	expect_bytes(g, a + K4, "qqqq");
	assert_int_equal(os_calls_load_word(g, a + 2 * K4 - 8), 0);
	uint64_t b = (uint64_t)CALL(g, mmap, 0, K4, RW, LX_MAP_PRIVATE, 3, K4);
	uint64_t v = 0;
	assert_true(mem_load(g->mem, b + 98, 1, &v));
	assert_int_equal(v, 'q');
	assert_true(mem_load(g->mem, b + 99, 1, &v));
	assert_int_equal(v, 0);
	assert_true(mem_store(g->mem, b, 1, 'w'));
	host_expect("big", big);
	assert_int_equal(CALL(g, mmap, 0, K4, PROT_R, LX_MAP_PRIVATE, 3, 7), -EINVAL);
	assert_int_equal(CALL(g, mmap, 0, K4, PROT_R, LX_MAP_PRIVATE, 9, 0), -EBADF);
	assert_int_equal(CALL(g, mmap, 0, K4, RW, LX_MAP_SHARED, 3, 0), -EACCES);
	assert_int_equal(CALL(g, mmap, 0, K4, PROT_R, LX_MAP_PRIVATE, 1, 0), -EACCES);
	assert_int_equal(CALL(g, mmap, 0, K4, PROT_R, LX_MAP_PRIVATE, 0, 0), -ENODEV);
}

/* sim.memory: DATA_BYTES are there; 256 KiB more are available. */
TEST(memory_has_an_end)
{
	struct guest other, *g = &other;
	const uint64_t private = LX_MAP_PRIVATE | LX_MAP_ANONYMOUS, rw = PROT_R | PROT_W;
	guest_boot_with(g, DATA_BYTES + (256 << 10));
	/* Inaccessible memory costs nothing until it becomes accessible. */
	const uint64_t none = (uint64_t)CALL(g, mmap, 0, UINT64_C(1) << 35, 0, private, 0, 0);
	assert_true((int64_t)none > 0);
	assert_int_equal(CALL(g, mprotect, none, 257 << 10, rw), -ENOMEM);
	assert_int_equal(CALL(g, mprotect, none, 256 << 10, PROT_R), 0);
	assert_int_equal(CALL(g, mprotect, none, 256 << 10, rw), 0);
	assert_int_equal(CALL(g, brk, BREAK + K4), BREAK);
	assert_int_equal(CALL(g, mmap, 0, K4, rw, private, 0, 0), -ENOMEM);
	assert_int_equal(CALL(g, mmap, 0, K4, PROT_R, private, 0, 0), -ENOMEM);
	/* Mapping the same place again takes no more memory. */
	assert_int_equal(CALL(g, mmap, none, 64 << 10, rw, private | LX_MAP_FIXED, 0, 0), none);
	assert_int_equal(CALL(g, mprotect, none, 128 << 10, 0), 0);
	const uint64_t got = (uint64_t)CALL(g, mmap, 0, 100 << 10, rw, private, 0, 0);
	assert_true((int64_t)got > 0);
	assert_int_equal(CALL(g, mremap, got, 100 << 10, 132 << 10, LX_MREMAP_MAYMOVE), -ENOMEM);
	assert_true(CALL(g, mremap, got, 100 << 10, 128 << 10, LX_MREMAP_MAYMOVE) > 0);
	assert_int_equal(CALL(g, brk, BREAK + 1), BREAK);
	assert_int_equal(CALL(g, munmap, none, UINT64_C(1) << 35), 0);
	assert_int_equal(CALL(g, brk, BREAK + (128 << 10)), BREAK + (128 << 10));
	assert_int_equal(CALL(g, brk, BREAK + (128 << 10) + 1), BREAK + (128 << 10));
	guest_drop(g);
}

TEST(mappings_grow_move_and_shrink)
{
	struct guest *g = os_calls_guest(state);
	uint64_t a = 0x20000000, to = 0x30000000;
	assert_int_equal(CALL(g, mmap, a, 2 * K4, RW, ANON | LX_MAP_FIXED, NO_FD, 0), a);
	assert_true(mem_store(g->mem, a + K4, 8, 11));
	assert_int_equal(CALL(g, mremap, a, 2 * K4, 4 * K4, 0), a);
	assert_int_equal(os_calls_load_word(g, a + 4 * K4 - 8), 0);
	assert_int_equal(CALL(g, mremap, a, 4 * K4, 2 * K4, 0), a);
	assert_false(mem_is_mapped(g->mem, a + 2 * K4, K4));
	assert_true(mem_map(g->mem, a + 3 * K4, K4, RW, "wall"));
	assert_int_equal(CALL(g, mremap, a, 2 * K4, 8 * K4, 0), -ENOMEM);
	uint64_t b = (uint64_t)CALL(g, mremap, a, 2 * K4, 8 * K4, LX_MREMAP_MAYMOVE);
	assert_true(b != a && b < MEM_TOP);
	assert_int_equal(os_calls_load_word(g, b + K4), 11);
	assert_true(mem_store(g->mem, b + 8 * K4 - 8, 8, 12));
	assert_false(mem_is_mapped(g->mem, a, K4));
	assert_int_equal(
		CALL(g, mremap, b, 8 * K4, 2 * K4, LX_MREMAP_MAYMOVE | LX_MREMAP_FIXED, to), to);
	assert_int_equal(os_calls_load_word(g, to + K4), 11);
	assert_false(mem_is_mapped(g->mem, b, K4));
	assert_false(mem_is_mapped(g->mem, b + 2 * K4, 6 * K4));
	assert_false(mem_is_mapped(g->mem, to + 2 * K4, K4));
	assert_int_equal(
		CALL(g, mremap, to, 2 * K4, 3 * K4, LX_MREMAP_MAYMOVE | LX_MREMAP_FIXED, to + K4),
		-EINVAL);
	assert_int_equal(CALL(g, mremap, a, K4, 2 * K4, LX_MREMAP_MAYMOVE), -EFAULT);
}

TEST(advice_can_empty_pages)
{
	struct guest *g = os_calls_guest(state);
	uint64_t a = (uint64_t)CALL(g, mmap, 0, 3 * K4, RW, ANON, NO_FD, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(mem_store(g->mem, a + i * K4, 8, i + 1));
	assert_int_equal(CALL(g, madvise, a + K4, K4, LX_MADV_DONTNEED), 0);
	assert_int_equal(os_calls_load_word(g, a), 1);
	assert_int_equal(os_calls_load_word(g, a + K4), 0);
	assert_int_equal(os_calls_load_word(g, a + 2 * K4), 3);
	/* The program's own segments stay. */
	assert_true(mem_store(g->mem, DATA, 8, 4));
	assert_int_equal(CALL(g, madvise, DATA, K4, LX_MADV_DONTNEED), 0);
	assert_int_equal(os_calls_load_word(g, DATA), 4);
	assert_int_equal(CALL(g, madvise, 0x20000000, K4, LX_MADV_DONTNEED), -ENOMEM);
}

/* A page of code as the versions' definition has it. */
struct page_model {
	unsigned prot, version;
	bool mapped, gone;
};

static void page_model_map(struct page_model *p, bool mapped, unsigned prot, bool anew)
{
	if ((p->prot & PROT_X) && (anew || !(prot & PROT_X)))
		p->gone = true;
	if (prot & PROT_X) {
		p->version += p->gone;
		p->gone = false;
	}
	p->mapped = mapped;
	p->prot = prot;
}

static void check_page_versions(const struct guest *g, const struct page_model *page, unsigned n)
{
	const struct os_code_versions *v = os_code_versions(g->os);
	for (unsigned i = 0; i < n; i++)
		if (os_code_version(g->os, 0x20000000 + i * K4 + 2) != page[i].version)
			fail_msg("page %u has version %u, not %u", i,
			         os_code_version(g->os, 0x20000000 + i * K4 + 2), page[i].version);
	for (unsigned i = 1; i < v->count; i++)
		assert_true(v->range[i - 1].end <= v->range[i].start);
	assert_null(os_state_error(g->os));
}

/* Random mappings, protections and moves, beside a model of each page. */
TEST(code_has_versions)
{
	enum { PAGES = 24, STEPS = 600 };
	struct guest *g = os_calls_guest(state);
	struct page_model page[PAGES] = {0};
	const uint64_t base = 0x20000000;
	uint64_t random = 5;
	for (unsigned step = 0; step < STEPS; step++) {
		const uint64_t r = hash_splitmix64_next(&random);
		const unsigned first = (unsigned)(r % PAGES),
			       n = 1 + (unsigned)(r >> 8) % (PAGES - first),
			       prot = (r >> 16 & 1) ? PROT_R | PROT_X : RW;
		const uint64_t at = base + first * K4;
		bool all = true;
		for (unsigned i = first; i < first + n; i++)
			all = all && page[i].mapped;
		switch (r >> 20 & 3) {
		case 0:
			CALL(g, mmap, at, n * K4, prot, ANON | LX_MAP_FIXED, NO_FD, 0);
			for (unsigned i = first; i < first + n; i++)
				page_model_map(&page[i], true, prot, true);
			break;
		case 1:
			CALL(g, munmap, at, n * K4);
			for (unsigned i = first; i < first + n; i++)
				page_model_map(&page[i], false, 0, true);
			break;
		case 2:
			if (all && !CALL(g, mprotect, at, n * K4, prot))
				for (unsigned i = first; i < first + n; i++)
					page_model_map(&page[i], true, prot, false);
			break;
		default: {
			const unsigned to = (unsigned)(r >> 32) % PAGES;
			if (!page[first].mapped || to == first)
				break;
			assert_int_equal(CALL(g, mremap, at, K4, K4,
			                      LX_MREMAP_MAYMOVE | LX_MREMAP_FIXED,
			                      base + to * K4),
			                 base + to * K4);
			page_model_map(&page[to], true, page[first].prot, true);
			page_model_map(&page[first], false, 0, true);
		}
		}
		check_page_versions(g, page, PAGES);
	}
	assert_true(os_code_versions(g->os)->newest > 20);
	/* More changes than there is room for are counted. */
	for (unsigned i = 0; i < OS_CODE_RANGES; i++) {
		const uint64_t at = base + 2 * i * K4;
		CALL(g, mmap, at, K4, PROT_R | PROT_X, ANON | LX_MAP_FIXED, NO_FD, 0);
		CALL(g, munmap, at, K4);
	}
	assert_true(os_code_versions(g->os)->missed > 0);
	assert_null(os_state_error(g->os));
}

TEST_EACH(tree_up, tree_down)
