/* Loading executables: refusals, and the places of segments and the stack. */
#include "tests/unit/loader/loader_fixture.h"

/* ---- loading ---- */

static struct program *open_image(const struct image *im)
{
	struct err err = { "" };
	struct program *p = program_from_bytes(im->bytes, im->n, "a.out", &err);
	if (!p)
		fail_msg("%s", err.msg);
	return p;
}

static uint64_t loader_peek_word(const struct mem *mem, uint64_t addr)
{
	uint64_t v;
	assert_true(mem_peek(mem, addr, &v, 8));
	return v;
}

TEST(segments_are_mapped_as_asked)
{
	struct image im;
	image_init(&im);
	struct program *p = open_image(&im);
	struct mem *mem = mem_new();
	struct hart h = { 0 };
	uint64_t brk;
	char *argv[] = { "a.out", NULL };
	assert_true(program_load(p, mem, &h, &brk, 1, argv, NULL, 1 << 20, 1, NULL));
	assert_int_equal(h.pc, IMAGE_BASE + CODE_AT);
	assert_int_equal(program_entry(p), h.pc);
	assert_int_equal(brk, 0x14000);
	assert_int_equal(mem_prot_at(mem, IMAGE_BASE), PROT_R | PROT_X);
	assert_int_equal(mem_prot_at(mem, 0x11000), PROT_R | PROT_W);
	assert_int_equal(mem_prot_at(mem, 0x13fff), PROT_R | PROT_W);
	assert_int_equal(mem_prot_at(mem, 0x14000), 0);
	assert_int_equal(mem_prot_at(mem, 0xffff), 0);
	assert_int_equal(mem_prot_at(mem, MEM_TOP - 1), PROT_R | PROT_W);
	assert_int_equal(mem_prot_at(mem, MEM_TOP - (1 << 20)), PROT_R | PROT_W);
	assert_int_equal(mem_prot_at(mem, MEM_TOP - (1 << 20) - 1), 0);
	uint8_t got[0x100];
	assert_true(mem_peek(mem, IMAGE_BASE + 0x1200, got, sizeof got));
	assert_memory_equal(got, im.bytes + CODE_AT, sizeof got);
	assert_int_equal(loader_peek_word(mem, IMAGE_BASE + 0x1300), 0);
	mem_free(mem);
	program_free(p);
}

/* The data segment begins in the text segment's last page: this page gets both permissions, other
 * pages keep their own. */
TEST(a_shared_page_gets_both_permissions)
{
	struct image im;
	image_init(&im);
	im.ph[1].p_vaddr = IMAGE_BASE + 0x800;
	struct program *p = open_image(&im);
	struct mem *mem = mem_new();
	struct hart h = { 0 };
	uint64_t brk;
	assert_true(program_load(p, mem, &h, &brk, 0, NULL, NULL, 1 << 20, 1, NULL));
	assert_int_equal(mem_prot_at(mem, IMAGE_BASE), PROT_R | PROT_W | PROT_X);
	assert_int_equal(mem_prot_at(mem, IMAGE_BASE + 0x1000), PROT_R | PROT_W);
	uint8_t byte;
	assert_true(mem_peek(mem, IMAGE_BASE + CODE_AT + 8, &byte, 1));
	assert_int_equal(byte, 0x5a);
	assert_true(mem_peek(mem, IMAGE_BASE + 0x808, &byte, 1));
	assert_int_equal(byte, 0x5a);
	mem_free(mem);
	program_free(p);
}

/* One byte nearer they overlap. */
TEST(segments_may_touch)
{
	struct image im;
	image_init(&im);
	im.ph[1].p_vaddr = IMAGE_BASE + IMAGE_BYTES;
	program_free(open_image(&im));
}

TEST(execute_only_and_write_only)
{
	struct image im;
	image_init(&im);
	im.ph[0].p_flags = PF_X;
	im.ph[1].p_flags = PF_W;
	struct program *p = open_image(&im);
	struct mem *mem = mem_new();
	struct hart h = { 0 };
	uint64_t brk;
	assert_true(program_load(p, mem, &h, &brk, 0, NULL, NULL, 1 << 20, 1, NULL));
	assert_int_equal(mem_prot_at(mem, IMAGE_BASE), PROT_X);
	assert_int_equal(mem_prot_at(mem, IMAGE_BASE + 0x1200), PROT_R | PROT_W);
	mem_free(mem);
	program_free(p);
}

TEST(a_static_pie_moves_to_its_base)
{
	struct image im;
	image_init(&im);
	im.eh.e_type = ET_DYN;
	im.ph[0].p_vaddr = 0;
	im.ph[1].p_vaddr = 0x1200;
	im.eh.e_entry = CODE_AT;
	struct program *p = open_image(&im);
	assert_int_equal(program_entry(p), PROGRAM_PIE_BASE + CODE_AT);
	struct mem *mem = mem_new();
	struct hart h = { 0 };
	uint64_t brk;
	assert_true(program_load(p, mem, &h, &brk, 0, NULL, NULL, 1 << 20, 1, NULL));
	assert_int_equal(brk, PROGRAM_PIE_BASE + 0x4000);
	assert_int_equal(mem_prot_at(mem, PROGRAM_PIE_BASE), PROT_R | PROT_X);
	mem_free(mem);
	program_free(p);
}

static void check_string(const struct mem *mem, uint64_t addr, const char *expected)
{
	char got[32] = "";
	assert_true(strlen(expected) < sizeof got);
	assert_true(mem_peek(mem, addr, got, strlen(expected) + 1));
	assert_string_equal(got, expected);
}

/* As gcc marks a program with nested functions; without the header Linux assumes no executable
 * stack. */
TEST(the_stack_is_executable_only_on_request)
{
	static const struct {
		unsigned type, flags, prot;
	} cases[] = {
		{PT_NULL, 0, PROT_R | PROT_W},
		{PT_GNU_STACK, PF_R | PF_W, PROT_R | PROT_W},
		{PT_GNU_STACK, PF_R | PF_W | PF_X, PROT_R | PROT_W | PROT_X},
		{PT_NOTE, PF_R | PF_W | PF_X, PROT_R | PROT_W},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct image im;
		image_init(&im);
		im.ph[2] = (Elf64_Phdr){ .p_type = cases[i].type, .p_flags = cases[i].flags };
		im.eh.e_phnum = 3;
		struct program *p = open_image(&im);
		struct mem *mem = mem_new();
		struct hart h = { 0 };
		uint64_t brk;
		char *argv[] = { "prog", NULL };
		assert_true(program_load(p, mem, &h, &brk, 1, argv, NULL, 1 << 20, 0, NULL));
		assert_int_equal(mem_prot_at(mem, h.r[REG_SP]), cases[i].prot);
		assert_int_equal(mem_prot_at(mem, MEM_TOP - (1 << 20)), cases[i].prot);
		mem_free(mem);
		program_free(p);
	}
}

TEST(the_stack_is_as_linux_lays_it_out)
{
	struct image im;
	image_init(&im);
	struct program *p = open_image(&im);
	char *argv[] = { "prog", "-x", "", NULL };
	char *envp[] = { "A=1", "PATH=/bin", NULL };
	uint64_t random[2][2];
	for (uint64_t seed = 0; seed < 2; seed++) {
		struct mem *mem = mem_new();
		struct hart h = { 0 };
		uint64_t brk;
		assert_true(program_load(p, mem, &h, &brk, 3, argv, envp, 1 << 20, seed, NULL));
		uint64_t sp = h.r[REG_SP];
		assert_int_equal(sp & 15, 0);
		assert_int_equal(loader_peek_word(mem, sp), 3);
		for (unsigned i = 0; i < 3; i++)
			check_string(mem, loader_peek_word(mem, sp + 8 + 8 * i), argv[i]);
		assert_int_equal(loader_peek_word(mem, sp + 32), 0);
		check_string(mem, loader_peek_word(mem, sp + 40), "A=1");
		check_string(mem, loader_peek_word(mem, sp + 48), "PATH=/bin");
		assert_int_equal(loader_peek_word(mem, sp + 56), 0);

		uint64_t aux[64] = { 0 };
		uint64_t at = sp + 64;
		for (; loader_peek_word(mem, at) != AT_NULL; at += 16) {
			assert_true(loader_peek_word(mem, at) < 64);
			aux[loader_peek_word(mem, at)] = loader_peek_word(mem, at + 8);
		}
		assert_int_equal(aux[AT_PHDR], IMAGE_BASE + 64);
		assert_int_equal(aux[AT_PHENT], 56);
		assert_int_equal(aux[AT_PHNUM], 2);
		assert_int_equal(aux[AT_PAGESZ], 4096);
		assert_int_equal(aux[AT_ENTRY], IMAGE_BASE + CODE_AT);
		assert_int_equal(aux[AT_HWCAP], 0x112d);
		assert_int_equal(aux[AT_CLKTCK], 100);
		assert_int_equal(aux[AT_SECURE], 0);
		assert_int_equal(aux[AT_SYSINFO_EHDR], 0);
		assert_int_equal(aux[AT_UID], aux[AT_EUID]);
		check_string(mem, aux[AT_EXECFN], "a.out");
		random[seed][0] = loader_peek_word(mem, aux[AT_RANDOM]);
		random[seed][1] = loader_peek_word(mem, aux[AT_RANDOM] + 8);

		/* Strings stand above the vectors, arguments below environment below the path. */
		assert_true(at + 16 <= aux[AT_RANDOM]);
		assert_true(aux[AT_RANDOM] + 16 <= loader_peek_word(mem, sp + 8));
		assert_int_equal(loader_peek_word(mem, sp + 8) + 5, loader_peek_word(mem, sp + 16));
		assert_int_equal(loader_peek_word(mem, sp + 24) + 1,
		                 loader_peek_word(mem, sp + 40));
		assert_int_equal(loader_peek_word(mem, sp + 48) + 10, aux[AT_EXECFN]);
		assert_int_equal(aux[AT_EXECFN] + 6, MEM_TOP - 8);
		assert_int_equal(loader_peek_word(mem, MEM_TOP - 8), 0);
		mem_free(mem);
	}
	assert_memory_not_equal(random[0], random[1], sizeof random[0]);
	program_free(p);
}

/* One word more or less on the stack does not change its alignment. */
TEST(sp_is_a_multiple_of_16_with_any_number_of_strings)
{
	struct image im;
	image_init(&im);
	struct program *p = open_image(&im);
	char *strings[] = { "a", "bc", "", "def", NULL };
	for (unsigned i = 0; i < 25; i++) {
		const unsigned argc = i / 5, envc = i % 5;
		struct mem *mem = mem_new();
		struct hart h = { 0 };
		uint64_t brk;
		assert_true(program_load(p, mem, &h, &brk, (int)argc, strings + 4 - argc,
		                         strings + 4 - envc, 1 << 20, 1, NULL));
		const uint64_t sp = h.r[REG_SP];
		assert_int_equal(sp & 15, 0);
		assert_int_equal(loader_peek_word(mem, sp), argc);
		assert_int_equal(loader_peek_word(mem, sp + 8 + 8 * argc), 0);
		assert_int_equal(loader_peek_word(mem, sp + 16 + 8 * (argc + envc)), 0);
		mem_free(mem);
	}
	program_free(p);
}

TEST(arguments_must_fit)
{
	struct image im;
	image_init(&im);
	struct program *p = open_image(&im);
	static char long_arg[20000];
	memset(long_arg, 'x', sizeof long_arg - 1);
	char *argv[] = { long_arg, NULL };
	struct mem *mem = mem_new();
	struct hart h = { 0 };
	uint64_t brk;
	struct err err;
	assert_false(program_load(p, mem, &h, &brk, 1, argv, NULL, 65536, 1, &err));
	assert_string_equal(
		err.msg,
		"a.out: arguments and environment take 20366 bytes, more than a quarter of "
		"the stack of 65536 (pass fewer or a larger stack)");
	mem_free(mem);
	mem = mem_new();
	assert_false(program_load(p, mem, &h, &brk, 0, NULL, NULL, MEM_TOP, 1, &err));
	assert_non_null(strstr(err.msg, "no room for a stack of 274877906944 bytes"));
	mem_free(mem);
	program_free(p);
}

TEST(the_digest_names_the_bytes)
{
	struct image im;
	image_init(&im);
	struct program *a = open_image(&im), *b = open_image(&im);
	im.bytes[IMAGE_BYTES - 1] ^= 1;
	struct program *c = open_image(&im);
	assert_true(program_digest(a) == program_digest(b));
	assert_true(program_digest(a) != program_digest(c));
	program_free(a);
	program_free(b);
	program_free(c);
}
