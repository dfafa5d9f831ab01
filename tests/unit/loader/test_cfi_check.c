/* Tables of call frame information that would take libdw much memory or time are left out; those of
 * compilers, and small oddities, are not. */
#include <stdint.h>

#include <fcntl.h>
#include <unistd.h>

#include "core/mem/mem.h"
#include "loader/dwarf/cfi_check.h"
#include "loader/dwarf/debug_limit.h"
#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"
#include "tests/peak.h"

enum { SP = 2, LITTLE_KIB = 64 << 10 };

/* A frame of 32 bytes by the unwind rules, of 0 bytes by the code. */
static const char table[] =
	".globl _start\n"
	"_start: nop\n"
	"j _start\n"
	"end: .section %s\n"
	"c: .4byte 2f - 1f\n"
	"1: .4byte %s\n"
	".byte 1\n.asciz \"%s\"\n.uleb128 1\n.sleb128 -8\n.byte 1\n%s"
	".byte 0x0c, 2, 32\n%s"
	"2: .4byte 4f - 3f\n"
	"3: .4byte %s\n"
	".8byte _start\n.8byte end - _start\n%s"
	"%s\n"
	"4:\n";

static const struct section {
	const char *name, *id, *augmentation, *data, *link, *block;
} sections[] = {
	{".debug_frame,\"\",@progbits", "0xffffffff", "", "", "c", ""},
	{".eh_frame,\"a\",@progbits", "0", "", "", ". - c", ""},
	{".eh_frame,\"a\",@progbits", "0", "zPLR", ".uleb128 11\n.byte 0\n.8byte 0\n.byte 0, 0\n",
         ". - c", ".uleb128 3\n.byte 0x0a, 0x0a, 0x0a\n"},
	/* Any contents of the table that a program header names. */
	{".eh_frame_hdr,\"a\",@progbits\n.byte 1, 0, 3, 0x3b\n.8byte c\n.4byte 1\n.4byte 0, "
         "16\n.section .eh_frame,\"a\",@progbits",
         "0", "", "", ". - c", ""},
};

/* True if the rules are used. */
static bool cfi_check_is_accepted(const struct section *s, const char *common,
                                  const char *operations)
{
	struct cross c;
	struct err err;
	char text[4096];
	snprintf(text, sizeof text, table, s->name, s->id, s->augmentation, s->data, common,
	         s->link, s->block, operations);
	assert_true(cross_build(&c, "S", text, "-nostdlib -static"));
	struct program *p = program_open(c.program, &err);
	if (!p)
		fail_msg("%s", err.msg);
	struct mem *mem = mem_new();
	assert_non_null(mem);
	const uint64_t r[32] = {[SP] = 0x7000}, pc = program_symbol_by_name(p, "_start")->addr;
	struct frame frames[4];
	assert_int_equal(program_backtrace(p, mem, r, pc, frames, 4), 1);
	assert_true(frames[0].cfa == r[SP] || frames[0].cfa == r[SP] + 32);
	mem_free(mem);
	program_free(p);
	cross_remove(&c);
	return frames[0].cfa != r[SP];
}

TEST(wild_tables_are_left_out)
{
	static const char *const wild[] = {
		".fill 2000000, 1, 0x0a",              /* remember_state */
		".fill 65, 1, 0x0a",
		".byte 0x0b",                          /* restore_state of none */
		".byte 0x07\n.uleb128 100000000",      /* undefined */
		".byte 0x05\n.uleb128 256\n.byte 1",         /* offset_extended */
		".byte 0x07, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02",
		".byte 0x09, 1\n.uleb128 100000000",   /* register */
		".byte 0x10, 1\n.uleb128 2000\n.fill 2000, 1, 0x96", /* expression of nops */
		".byte 0x0f, 4, 1",           /* def_cfa_expression, cut off */
		".fill 70000, 1, 0x40",                /* advance_loc */
		".byte 0x01\n.8byte _start",           /* set_loc */
		".byte 0x3f",                          /* nothing */
		".byte 0x04, 1",                       /* advance_loc4, cut off */
	};
	static const char *const tame[] = {
		"",
		".fill 64, 1, 0x0a",
		".rept 5000\n.byte 0x0a, 0x0b\n.endr",
		".byte 0x05\n.uleb128 255\n.byte 1",
		".fill 60000, 1, 0x40",
		".byte 0x16, 8\n.uleb128 3\n.byte 0x72, 0, 0x96",
		".byte 0x2e, 1, 0x41, 0x02, 1, 0x03, 1, 0, 0x88, 1, 0xc8, 0x0e, 32, 0x13, 0x7c",
	};
	(void)state;
	if (!cross_available())
		skip();
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	/* else all in the first section, and a different one in each other section */
	const bool all = scale && !strcmp(scale, "long");
	const long before = peak_kib();
	for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
		/* Rules after the requested place do not count; here all of it does.
		 */
		for (size_t i = 0; i < sizeof tame / sizeof *tame; i++)
			if ((all || !s || i % 2 == s % 2) &&
			    !cfi_check_is_accepted(&sections[s], "", tame[i]))
				fail_msg("%s in %s is not read", tame[i], sections[s].name);
		for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
			if ((all || !s || i % 2 == s % 2) &&
			    cfi_check_is_accepted(&sections[s], "", wild[i]))
				fail_msg("%s in %s is read", wild[i], sections[s].name);
			char common[256];
			snprintf(common, sizeof common, "%s\n", wild[i]);
			if ((all || i % 4 == s) && cfi_check_is_accepted(&sections[s], common, ""))
				fail_msg("%s in the common part of %s is read", wild[i],
				         sections[s].name);
		}
	}
	assert_in_range(peak_kib() - before, 0, LITTLE_KIB);
}

TEST(tables_of_compilers_are_tame)
{
	GElf_Shdr shdr;
	struct cross c;
	(void)state;
	if (!cross_available())
		skip();
	assert_true(cross_build(
		&c, "c", "#include <stdio.h>\nint main(void) { return printf(\"%f\", 1.5); }\n",
		"-O2 -g -static"));
	const int fd = open(c.program, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && elf_version(EV_CURRENT) != EV_NONE);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	Elf_Scn *scn = debug_section(elf, ".eh_frame", &shdr);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	assert_true(data && data->d_size > 1000);
	const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
	assert_true(cfi_is_tame(ident, data, true));
	elf_end(elf);
	close(fd);
	cross_remove(&c);
}
