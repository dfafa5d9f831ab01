/* Symbols, source lines and texts of a compiled program, in both directions. */
#include "tests/unit/loader/loader_fixture.h"

/* ---- a compiled program ---- */

/* Line numbers below count from the first line of this text. */
static const char guest_source[] =
	"int numbers[4] = { 4, 3, 2, 1 };\n" /* 1 */
	"static long helper(long x)\n"       /* 2 */
	"{\n"                                /* 3 */
	"	return x * 3;\n"             /* 4 */
	"}\n"                                /* 5 */
	"\n"                                 /* 6 */
	"long twice(long x)\n"               /* 7 */
	"{\n"                                /* 8 */
	"	long y = helper(x);\n"       /* 9 */
	"	y += numbers[1];\n"          /* 10 */
	"	return y + y;\n"             /* 11 */
	"}\n"                                /* 12 */
	"\n"                                 /* 13 */
	"__asm__(\".weak a_weak_name\\n.set a_weak_name, twice\\n.globl _start\\n_start: li a0, "
        "1\\ncall twice\\nlocal_label: j local_label\\n\");\n";

struct fixture {
	struct cross cross;
	struct program *p;
};

static void symbols_open_guest(struct fixture *f, const char *flags)
{
	if (!cross_available())
		skip();
	assert_true(cross_build(&f->cross, "c", guest_source, flags));
	struct err err = { "" };
	f->p = program_open(f->cross.program, &err);
	if (!f->p)
		fail_msg("%s", err.msg);
}

static void symbols_close_guest(struct fixture *f)
{
	program_free(f->p);
	cross_remove(&f->cross);
}

TEST(symbols_answer_both_ways)
{
	struct fixture f;
	symbols_open_guest(&f, "-O0 -g -static -nostdlib");
	const struct symbol *twice = program_symbol_by_name(f.p, "twice");
	const struct symbol *helper = program_symbol_by_name(f.p, "helper");
	/* Of several names a global one is chosen, not a weak one. */
	const struct symbol *weak = program_symbol_by_name(f.p, "a_weak_name");
	assert_true(weak && twice && weak->addr == twice->addr &&
	            program_symbol_at(f.p, weak->addr) == twice);
	const struct symbol *numbers = program_symbol_by_name(f.p, "numbers");
	assert_non_null(twice);
	assert_non_null(helper);
	assert_non_null(numbers);
	assert_null(program_symbol_by_name(f.p, "thrice"));
	assert_true(twice->code && helper->code && !numbers->code);
	assert_int_equal(numbers->size, 16);
	assert_ptr_equal(program_symbol_at(f.p, twice->addr), twice);
	assert_ptr_equal(program_symbol_at(f.p, twice->addr + twice->size - 1), twice);
	assert_ptr_equal(program_symbol_at(f.p, numbers->addr + 15), numbers);
	assert_null(program_symbol_at(f.p, 0));
	assert_null(program_symbol_at(f.p, ~UINT64_C(0)));
	assert_int_equal(program_symbol_by_name(f.p, "_start")->addr, program_entry(f.p));

	char text[64];
	assert_string_equal(program_addr_text(f.p, helper->addr, text, sizeof text), "helper");
	assert_string_equal(program_addr_text(f.p, helper->addr + 16, text, sizeof text),
	                    "helper+0x10");
	assert_string_equal(program_addr_text(f.p, 0x42, text, sizeof text), "0x42");
	assert_string_equal(program_addr_text(f.p, helper->addr + 16, text, 7), "helper");

	size_t count;
	const struct symbol *all = program_symbols(f.p, &count);
	for (size_t i = 0; i < count; i++) {
		assert_true(all[i].name[0] != '$' && all[i].name[0] != '\0');
		assert_true(i == 0 || all[i - 1].addr <= all[i].addr);
	}
	symbols_close_guest(&f);
}

static void symbols_check_name_at(const struct program *p, uint64_t addr, const char *expected)
{
	const struct symbol *s = program_symbol_at(p, addr);
	assert_non_null(s);
	assert_string_equal(s->name, expected);
}

TEST(of_several_symbols_the_right_one_is_told)
{
	/* Two addresses with two names each, and a function inside another; after the inner
	 * function, a label continues the outer one. */
	static const char text[] =
		".option norelax\n.option norvc\n.globl _start, a_small, b_large, c_large, "
	        "d_small, outer, inner, label, next\n"
		"_start: nop\n"
		".type a_small, @function\n.size a_small, 4\n.type b_large, @function\n.size "
	        "b_large, 12\na_small: b_large: nop; nop; nop\n"
		".type c_large, @function\n.size c_large, 12\n.type d_small, @function\n.size "
	        "d_small, 4\nc_large: d_small: nop; nop; nop\n"
		".type outer, @function\n.size outer, 20\n.type inner, @function\n.size inner, 8\n"
		"outer: nop\ninner: nop; nop\nlabel: nop; nop\n"
		".type next, @function\n.size next, 8\nnext: nop; nop\n";
	(void)state;
	if (!cross_available())
		skip();
	struct cross c;
	assert_true(cross_build(&c, "S", text, "-nostdlib -static"));
	struct program *p = program_open(c.program, NULL);
	assert_non_null(p);
	const uint64_t first = program_symbol_by_name(p, "a_small")->addr,
		       second = program_symbol_by_name(p, "d_small")->addr;
	const uint64_t outer = program_symbol_by_name(p, "outer")->addr;
	symbols_check_name_at(p, first, "b_large");
	symbols_check_name_at(p, first + 8, "b_large");
	symbols_check_name_at(p, second, "c_large");
	symbols_check_name_at(p, second + 8, "c_large");
	assert_int_equal(second, first + 12);
	static const char *const of[] = {"outer", "inner", "inner", "outer",
	                                 "outer", "next",  "next"};
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
		symbols_check_name_at(p, outer + 4 * i, of[i]);
	program_free(p);
	cross_remove(&c);
}

TEST(lines_answer_both_ways)
{
	struct fixture f;
	symbols_open_guest(&f, "-O0 -g -static -nostdlib");
	struct err err;
	uint64_t addr, next, lo, hi;
	struct source_line at;
	assert_true(program_addr_of_line(f.p, "guest.c", 9, &addr, &err));
	assert_true(program_line_at(f.p, addr, &at));
	assert_int_equal(at.line, 9);
	assert_string_equal(at.file, f.cross.source);
	assert_string_equal(program_symbol_at(f.p, addr)->name, "twice");
	assert_true(program_addr_of_line(f.p, "guest.c", 10, &next, &err));
	assert_true(program_line_range(f.p, addr + 2, &lo, &hi));
	assert_int_equal(lo, addr);
	assert_int_equal(hi, next);
	/* The last line's range ends with its function. */
	const struct symbol *helper = program_symbol_by_name(f.p, "helper");
	assert_true(program_line_range(f.p, helper->addr + helper->size - 2, &lo, &hi));
	assert_int_equal(hi, helper->addr + helper->size);

	/* Line 6 has no code: the next line with code counts. The full path and a tail of it name
	 * the file, too. */
	assert_true(program_addr_of_line(f.p, f.cross.source, 6, &addr, &err));
	assert_int_equal(addr, program_symbol_by_name(f.p, "twice")->addr);
	assert_false(program_addr_of_line(f.p, "est.c", 6, &addr, &err));
	assert_false(program_addr_of_line(f.p, "gest.c", 6, &addr, &err));
	char expected[512];
	snprintf(expected, sizeof expected, "no source file gest.c in %s; did you mean guest.c?",
	         f.cross.program);
	assert_string_equal(err.msg, expected);
	assert_false(program_addr_of_line(f.p, "guest.c", 99, &addr, &err));
	assert_string_equal(
		err.msg,
		"guest.c:99: no code at this line or after it; the last line with code is 12");
	assert_false(program_line_at(f.p, 0, &at));
	assert_false(program_line_at(f.p, program_symbol_by_name(f.p, "numbers")->addr, &at));
	assert_false(program_line_range(f.p, 0, &lo, &hi));
	symbols_close_guest(&f);
}

/* Start of a section's bytes in a well-formed file. */
static uint8_t *symbols_find_elf_section(uint8_t *file, const char *name, size_t *n)
{
	Elf64_Ehdr *eh = (void *)file;
	Elf64_Shdr *sh = (void *)(file + eh->e_shoff);
	const char *names = (char *)file + sh[eh->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		if (strcmp(names + sh[i].sh_name, name) == 0) {
			*n = sh[i].sh_size;
			return file + sh[i].sh_offset;
		}
	}
	fail_msg("no section %s", name);
	return NULL;
}

/* Found by fuzzing: when the row that ends it lies elsewhere, a table must not reach to the end of
 * the address space. */
TEST(a_line_table_without_end_ends_with_the_code)
{
	struct fixture f;
	symbols_open_guest(&f, "-O0 -g -static -nostdlib -gz=none");
	_Alignas(8) static uint8_t file[1 << 16];
	FILE *in = fopen(f.cross.program, "rb");
	assert_non_null(in);
	size_t n = fread(file, 1, sizeof file, in), table_n = 0;
	fclose(in);
	assert_true(n < sizeof file);
	uint8_t *table = symbols_find_elf_section(file, ".debug_line", &table_n);
	/* DW_LNS_fixed_advance_pc n, DW_LNE_end_sequence: make n large. */
	assert_true(table_n > 6);
	assert_int_equal(table[table_n - 6], 9);
	assert_memory_equal(table + table_n - 3, "\0\1\1", 3);
	memset(table + table_n - 5, 0xff, 2);
	struct program *p = program_from_bytes(file, n, "a.out", NULL);
	assert_non_null(p);
	struct source_line at;
	const struct symbol *twice = program_symbol_by_name(p, "twice");
	assert_true(program_line_at(p, twice->addr, &at));
	assert_int_equal(at.line, 8);
	assert_false(program_line_at(p, program_symbol_by_name(p, "numbers")->addr, &at));
	assert_false(program_line_at(p, ~UINT64_C(0), &at));
	program_free(p);
	symbols_close_guest(&f);
}

TEST(no_debug_information_says_so)
{
	struct fixture f;
	symbols_open_guest(&f, "-O0 -static -nostdlib -Wl,--strip-all");
	struct err err;
	uint64_t addr;
	char expected[512];
	snprintf(expected, sizeof expected, "%s: no line information (compile with -g)",
	         f.cross.program);
	assert_false(program_addr_of_line(f.p, "guest.c", 1, &addr, &err));
	assert_string_equal(err.msg, expected);
	size_t count;
	program_symbols(f.p, &count);
	assert_int_equal(count, 0);
	symbols_close_guest(&f);
}

TEST(source_text_is_found)
{
	struct fixture f;
	symbols_open_guest(&f, "-O0 -g -static -nostdlib");
	unsigned count;
	assert_string_equal(program_source_text(f.p, f.cross.source, 1, &count),
	                    "int numbers[4] = { 4, 3, 2, 1 };");
	assert_int_equal(count, 14);
	assert_string_equal(program_source_text(f.p, f.cross.source, 13, NULL), "");
	assert_null(program_source_text(f.p, f.cross.source, 0, NULL));
	assert_null(program_source_text(f.p, f.cross.source, 15, NULL));
	/* A recorded folder that is gone: by base name beside the program. */
	assert_string_equal(program_source_text(f.p, "/gone/src/guest.c", 3, NULL), "{");
	assert_null(program_source_text(f.p, "/gone/src/other.c", 3, NULL));
	assert_null(program_source_text(f.p, "/dev/zero", 1, NULL));
	/* A folder's name that extends a readable folder's name is not that folder. */
	char beside[96], secret[128];
	snprintf(beside, sizeof beside, "%s-more", f.cross.dir);
	snprintf(secret, sizeof secret, "%s/secret.c", beside);
	assert_int_equal(mkdir(beside, 0700), 0);
	FILE *out = fopen(secret, "w");
	assert_true(out && fputs("secret\n", out) >= 0 && fclose(out) == 0);
	assert_null(program_source_text(f.p, secret, 1, NULL));
	unlink(secret);
	rmdir(beside);
	/* A pipe, or a file that is too large, is named so. */
	char pipe[128], large[128];
	snprintf(pipe, sizeof pipe, "%s/pipe.c", f.cross.dir);
	snprintf(large, sizeof large, "%s/large.c", f.cross.dir);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_null(program_source_text(f.p, pipe, 1, NULL));
	assert_non_null(strstr(program_source_missing(f.p, pipe), "it is a pipe"));
	assert_true((out = fopen(large, "w")) && fclose(out) == 0 &&
	            truncate(large, INT64_C(1) << 40) == 0);
	assert_null(program_source_text(f.p, "/gone/src/large.c", 1, NULL));
	assert_non_null(strstr(program_source_missing(f.p, "/gone/src/large.c"), "64 MiB"));
	unlink(pipe);
	unlink(large);
	program_free(f.p);

	char sub[80], moved[96];
	snprintf(sub, sizeof sub, "%s/bin", f.cross.dir);
	snprintf(moved, sizeof moved, "%s/guest", sub);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(rename(f.cross.program, moved), 0);
	f.p = program_open(moved, NULL);
	assert_non_null(f.p);
	/* The folder above is unavailable unless named. */
	assert_null(program_source_text(f.p, "../guest.c", 5, NULL));
	assert_non_null(strstr(program_source_missing(f.p, "../guest.c"), "it lies outside"));
	assert_non_null(strstr(program_source_missing(f.p, "/gone/src/other.c"), "neither"));
	const char *const folders[] = {f.cross.dir, NULL};
	program_set_sources(f.p, folders);
	assert_string_equal(program_source_text(f.p, "/gone/src/guest.c", 5, NULL), "}");
	assert_string_equal(program_source_text(f.p, "bin/../guest.c", 5, NULL), "}");
	unlink(moved);
	rmdir(sub);
	symbols_close_guest(&f);
}

TEST(a_compiled_pie_has_moved_symbols_and_lines)
{
	struct fixture f;
	symbols_open_guest(&f, "-O0 -g -static-pie -nostdlib -fPIE -Wl,--no-dynamic-linker");
	const struct symbol *twice = program_symbol_by_name(f.p, "twice");
	assert_non_null(twice);
	assert_true(twice->addr > PROGRAM_PIE_BASE);
	uint64_t addr;
	assert_true(program_addr_of_line(f.p, "guest.c", 8, &addr, NULL));
	assert_int_equal(addr, twice->addr);
	symbols_close_guest(&f);
}

TEST(a_dynamic_program_names_its_interpreter)
{
	if (!cross_available())
		skip();
	struct cross c;
	assert_true(cross_build(&c, "c", "int main(void) { return 0; }\n", ""));
	struct err err;
	struct program *p = program_open(c.program, &err);
	assert_non_null(p);
	assert_string_equal(program_interpreter(p), "/lib/ld-linux-riscv64-lp64d.so.1");
	struct mem *mem = mem_new();
	struct hart h = {0};
	uint64_t brk;
	assert_false(program_load(p, mem, &h, &brk, 0, NULL, NULL, 1 << 20, 1, &err));
	assert_non_null(strstr(err.msg, ": dynamically linked, and its interpreter "
	                                "/lib/ld-linux-riscv64-lp64d.so.1 is not there"));
	mem_free(mem);
	program_free(p);
	cross_remove(&c);
}
