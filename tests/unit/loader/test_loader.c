#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/program.h"
#include "tests/unit/loader/cross.h"

/* ---- crafted files ---- */

enum { IMAGE_BYTES = 0x400, IMAGE_BASE = 0x10000, CODE_AT = 0x200 };

/* One executable segment over the whole file and one writable page with bss. */
struct image {
	union {
		struct {
			Elf64_Ehdr eh;
			Elf64_Phdr ph[4];
		};
		uint8_t bytes[IMAGE_BYTES];
	};
	size_t n;
};

static void image_init(struct image *im)
{
	memset(im, 0, sizeof *im);
	im->n = IMAGE_BYTES;
	memcpy(im->eh.e_ident, ELFMAG, SELFMAG);
	im->eh.e_ident[EI_CLASS] = ELFCLASS64;
	im->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	im->eh.e_ident[EI_VERSION] = EV_CURRENT;
	im->eh.e_type = ET_EXEC;
	im->eh.e_machine = EM_RISCV;
	im->eh.e_version = EV_CURRENT;
	im->eh.e_entry = IMAGE_BASE + CODE_AT;
	im->eh.e_phoff = sizeof(Elf64_Ehdr);
	im->eh.e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE;
	im->eh.e_ehsize = sizeof(Elf64_Ehdr);
	im->eh.e_phentsize = sizeof(Elf64_Phdr);
	im->eh.e_phnum = 2;
	im->ph[0] = (Elf64_Phdr){.p_type = PT_LOAD,
	                         .p_flags = PF_R | PF_X,
	                         .p_vaddr = IMAGE_BASE,
	                         .p_filesz = IMAGE_BYTES,
	                         .p_memsz = IMAGE_BYTES,
	                         .p_align = 4096};
	im->ph[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = CODE_AT,
		                  .p_vaddr = IMAGE_BASE + 0x1200, .p_filesz = 0x100,
		                  .p_memsz = 0x2000, .p_align = 4096 };
	const uint16_t self_loop = 0xa001;
	memcpy(im->bytes + CODE_AT, &self_loop, 2);
	im->bytes[CODE_AT + 8] = 0x5a;
}

static void not_elf(struct image *im) { im->bytes[0] = 'M'; }
static void empty(struct image *im) { im->n = 0; }
static void script(struct image *im) { memcpy(im->bytes, "#!/bin/sh\n", 10); }
static void ten_bytes(struct image *im) { im->n = 10; }
static void half_header(struct image *im) { im->n = 40; }
static void x86(struct image *im) { im->eh.e_machine = EM_X86_64; }
static void unknown_machine(struct image *im) { im->eh.e_machine = 4711; }

static void sparc(struct image *im)
{
	im->eh.e_ident[EI_DATA] = ELFDATA2MSB;
	im->eh.e_machine = (uint16_t)__builtin_bswap16(EM_SPARCV9);
}

static void big_endian(struct image *im)
{
	im->eh.e_ident[EI_DATA] = ELFDATA2MSB;
	im->eh.e_machine = (uint16_t)__builtin_bswap16(EM_RISCV);
}

static void rv32(struct image *im) { im->eh.e_ident[EI_CLASS] = ELFCLASS32; }
static void class9(struct image *im) { im->eh.e_ident[EI_CLASS] = 9; }
static void version7(struct image *im) { im->eh.e_version = 7; }
static void object(struct image *im) { im->eh.e_type = ET_REL; }
static void core(struct image *im) { im->eh.e_type = ET_CORE; }
static void type9(struct image *im) { im->eh.e_type = 9; }
static void rve(struct image *im) { im->eh.e_flags |= EF_RISCV_RVE; }
static void quad(struct image *im) { im->eh.e_flags |= EF_RISCV_FLOAT_ABI_QUAD; }
static void no_phdrs(struct image *im) { im->eh.e_phnum = 0; }
static void odd_phdrs(struct image *im) { im->eh.e_phentsize = 32; }
static void many_phdrs(struct image *im) { im->eh.e_phnum = 0xffff; }
static void far_phdrs(struct image *im) { im->eh.e_phoff = IMAGE_BYTES - 16; }
static void wrapping_phdrs(struct image *im) { im->eh.e_phoff = ~UINT64_C(0) - 16; }

static void interpreter(struct image *im)
{
	im->eh.e_phnum = 3;
	im->ph[2] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = 0x300, .p_filesz = 12 };
	memcpy(im->bytes + 0x300, "/lib/ld.so.", 12);
}

static void relative_interpreter(struct image *im)
{
	interpreter(im);
	im->bytes[0x300] = '.';
}

static void endless_interpreter(struct image *im)
{
	interpreter(im);
	im->bytes[0x30b] = '1';
}

static void strange_interpreter(struct image *im)
{
	interpreter(im);
	im->bytes[0x304] = 0x1b;
}

static void far_interpreter(struct image *im)
{
	interpreter(im);
	im->ph[2].p_offset = IMAGE_BYTES;
}

static void needed(struct image *im)
{
	im->eh.e_type = ET_DYN;
	im->eh.e_phnum = 3;
	im->ph[2] = (Elf64_Phdr){ .p_type = PT_DYNAMIC, .p_offset = 0x300, .p_filesz = 32 };
	Elf64_Dyn d = { .d_tag = DT_NEEDED, .d_un.d_val = 1 };
	memcpy(im->bytes + 0x300, &d, sizeof d);
}

static void big_file_part(struct image *im) { im->ph[1].p_filesz = 0x2001; }
static void cut_segment(struct image *im) { im->ph[1].p_offset = IMAGE_BYTES - 0x80; }
static void wrapping_segment(struct image *im) { im->ph[1].p_vaddr = ~UINT64_C(0) - 0xfff; }
static void high_segment(struct image *im) { im->ph[1].p_vaddr = MEM_TOP - 0x1000; }
static void top_segment(struct image *im) { im->ph[1].p_vaddr = MEM_TOP - 0x2000; }
static void huge_segment(struct image *im) { im->ph[1].p_memsz = (UINT64_C(64) << 30) + 1; }

static void huge_together(struct image *im)
{
	im->eh.e_phnum = 3;
	im->ph[1].p_memsz = UINT64_C(40) << 30;
	im->ph[2] = im->ph[1];
	im->ph[2].p_vaddr = UINT64_C(1) << 37;
}

static void overlapping(struct image *im) { im->ph[1].p_vaddr = IMAGE_BASE + 0x3ff; }
static void no_segments(struct image *im) { im->ph[0].p_type = im->ph[1].p_type = PT_NOTE; }

static void null_page(struct image *im)
{
	im->ph[0].p_vaddr = 0xc00;
	im->eh.e_entry = 0xc00 + CODE_AT;
}

static void entry_in_data(struct image *im) { im->eh.e_entry = IMAGE_BASE + 0x1200; }
static void entry_nowhere(struct image *im) { im->eh.e_entry = 0; }
static void odd_entry(struct image *im) { im->eh.e_entry++; }

static void cut_sections(struct image *im)
{
	im->eh.e_shoff = IMAGE_BYTES - 64;
	im->eh.e_shnum = 2;
	im->eh.e_shentsize = sizeof(Elf64_Shdr);
}

static void odd_sections(struct image *im)
{
	cut_sections(im);
	im->eh.e_shentsize = 40;
}

static void sections_nowhere(struct image *im) { im->eh.e_shnum = 3; }

/* More than 65,279 sections are counted in the first section's size. */
static void endless_sections(struct image *im)
{
	cut_sections(im);
	im->eh.e_shnum = 0;
	Elf64_Shdr sh = { .sh_size = UINT64_C(1) << 58 };
	memcpy(im->bytes + im->eh.e_shoff, &sh, sizeof sh);
}

static void cut_section_contents(struct image *im)
{
	cut_sections(im);
	im->eh.e_shnum = 1;
	Elf64_Shdr sh = { .sh_type = SHT_PROGBITS, .sh_offset = 0x3f0, .sh_size = 0x20 };
	memcpy(im->bytes + im->eh.e_shoff, &sh, sizeof sh);
}

static const struct {
	const char *what;
	void (*spoil)(struct image *im);
	const char *message;
} spoilt[] = {
	{"empty", empty, "a.out: empty file; Cyclops runs 64-bit RISC-V ELF programs"},
	{"script", script, "a.out: a script; Cyclops runs 64-bit RISC-V ELF programs"},
	{"not ELF", not_elf,
         "a.out: not an ELF file; Cyclops runs 64-bit RISC-V programs "
         "(compile with riscv64-linux-gnu-gcc)"},
	{"ten bytes", ten_bytes, "a.out: truncated: 10 bytes, but an ELF header alone takes 64"},
	{"half a header", half_header,
         "a.out: truncated: 40 bytes, but an ELF header alone takes 64"},
	{"x86", x86, "a.out: ELF for x86-64, not RISC-V (compile with riscv64-linux-gnu-gcc)"},
	{"sparc", sparc,
         "a.out: ELF for SPARC V9, not RISC-V (compile with riscv64-linux-gnu-gcc)"},
	{"unknown machine", unknown_machine,
         "a.out: ELF for machine 4711, not RISC-V (compile with riscv64-linux-gnu-gcc)"},
	{"32-bit", rv32,
         "a.out: 32-bit RISC-V ELF; Cyclops runs 64-bit programs "
         "(compile with -march=rv64gc -mabi=lp64d)"},
	{"big-endian", big_endian,
         "a.out: big-endian RISC-V ELF; Cyclops runs little-endian programs "
         "(compile with riscv64-linux-gnu-gcc)"},
	{"class", class9,
         "a.out: damaged ELF header: class 9, data encoding 1 (2 and 1 are right)"},
	{"version", version7, "a.out: damaged ELF header: version 7 (1 is right)"},
	{"object", object, "a.out: object file, not linked yet (riscv64-linux-gnu-gcc a.out)"},
	{"core", core, "a.out: core dump; Cyclops runs programs"},
	{"type", type9,
         "a.out: unknown ELF type 9; an executable has type 2, or 3 if it is position-independent"},
	{"RVE", rve,
         "a.out: built for RV64E, with 16 registers (compile with -march=rv64gc -mabi=lp64d)"},
	{"quad", quad,
         "a.out: built for quad-precision floating point "
         "(compile with -march=rv64gc -mabi=lp64d)"},
	{"no program headers", no_phdrs,
         "a.out: no program headers, nothing to load (link it as an executable)"},
	{"program header size", odd_phdrs,
         "a.out: damaged ELF header: program headers of 32 bytes (56 is right)"},
	{"many program headers", many_phdrs,
         "a.out: 65535 program headers; at most 128 are accepted"},
	{"far program headers", far_phdrs,
         "a.out: truncated: program headers at 0x3f0 (2 of them), but the file has 0x400 bytes"},
	{"wrapping program headers", wrapping_phdrs,
         "a.out: truncated: program headers at "
         "0xffffffffffffffef (2 of them), but the file has 0x400 bytes"},
	{"relative interpreter", relative_interpreter,
         "a.out: damaged: the name of its interpreter is no absolute path (link it again)"},
	{"endless interpreter", endless_interpreter,
         "a.out: damaged: the name of its interpreter is no absolute path (link it again)"},
	{"strange interpreter", strange_interpreter,
         "a.out: damaged: the name of its interpreter has strange characters (link it again)"},
	{"far interpreter", far_interpreter,
         "a.out: truncated: program header 2 needs file bytes from 0x400, "
         "but the file has 0x400 (copy or build it again)"},
	{"needed", needed,
         "a.out: a shared library: it needs others and names no interpreter that would load them "
         "(link it as an executable)"},
	{"file part", big_file_part,
         "a.out: damaged: segment 1 has 0x2001 bytes in the file but only 0x2000 in memory"},
	{"cut segment", cut_segment,
         "a.out: truncated: segment 1 needs file bytes from 0x380, 0x100 of them, "
         "but the file has 0x400 (copy or build it again)"},
	{"wrapping segment", wrapping_segment,
         "a.out: segment 1 at 0xfffffffffffff000 with 0x2000 bytes wraps "
         "around the address space; user memory ends at 0x4000000000"},
	{"high segment", high_segment,
         "a.out: segment 1 at 0x3ffffff000-0x4000001000 lies above user memory, "
         "which ends at 0x4000000000 (link it lower)"},
	{"no room for a stack", top_segment,
         "a.out: segments end at 0x4000000000, leaving no room for a stack "
         "below 0x4000000000 (link it lower)"},
	{"huge segment", huge_segment,
         "a.out: segment 1 wants 0x1000000001 bytes of memory; at most 64 GiB are given"},
	{"huge together", huge_together,
         "a.out: segments want 0x1400000400 bytes of memory; at most 64 GiB are given"},
	{"overlap", overlapping,
         "a.out: segments overlap: 0x10000-0x10400 and 0x103ff-0x123ff (link it again)"},
	{"no segments", no_segments,
         "a.out: no loadable segment, nothing to run (link it as an executable)"},
	{"null page", null_page,
         "a.out: segment at 0xc00 covers the null page, which stays unmapped "
         "(link it at 0x10000 or above)"},
	{"entry in data", entry_in_data,
         "a.out: entry point 0x11200 is not in an executable segment (is this "
         "a library? link it as an executable with a _start)"},
	{"entry nowhere", entry_nowhere,
         "a.out: entry point 0x0 is not in an executable segment (is this "
         "a library? link it as an executable with a _start)"},
	{"odd entry", odd_entry,
         "a.out: entry point 0x10201 is odd; instructions start at even addresses"},
	{"cut sections", cut_sections,
         "a.out: truncated: section headers at 0x3c0 (2 of them), but the file has "
         "0x400 bytes (copy or build it again)"},
	{"section header size", odd_sections,
         "a.out: damaged ELF header: section headers of 40 bytes (64 is right)"},
	{"sections nowhere", sections_nowhere,
         "a.out: damaged ELF header: 3 section headers at offset 0"},
	{"endless sections", endless_sections,
         "a.out: truncated: section headers at 0x3c0 (288230376151711744 "
         "of them), but the file has 0x400 bytes (copy or build it again)"},
	{"section contents", cut_section_contents,
         "a.out: truncated: section 0 needs file bytes from 0x3f0, 0x20 "
         "of them, but the file has 0x400 (copy or build it again)"},
};

static void spoilt_files_say_what_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof spoilt / sizeof spoilt[0]; i++) {
		struct image im;
		struct err err = { "" };
		image_init(&im);
		spoilt[i].spoil(&im);
		print_message("%s\n", spoilt[i].what);
		assert_null(program_from_bytes(im.bytes, im.n, "a.out", &err));
		assert_string_equal(err.msg, spoilt[i].message);
	}
}

static void many_segments_are_refused(void **state)
{
	(void)state;
	enum { COUNT = 65 };
	uint8_t bytes[sizeof(Elf64_Ehdr) + COUNT * sizeof(Elf64_Phdr)];
	struct image im;
	image_init(&im);
	im.eh.e_phnum = COUNT;
	memcpy(bytes, &im.eh, sizeof im.eh);
	for (size_t i = 0; i < COUNT; i++) {
		Elf64_Phdr ph = {
			.p_type = PT_LOAD, .p_vaddr = IMAGE_BASE + i * 0x1000, .p_memsz = 16};
		memcpy(bytes + sizeof im.eh + i * sizeof ph, &ph, sizeof ph);
	}
	struct err err;
	assert_null(program_from_bytes(bytes, sizeof bytes, "a.out", &err));
	assert_string_equal(err.msg, "a.out: more than 64 loadable segments");
}

/* However short a file is cut, it is refused and says so. */
static void every_truncation_is_refused(void **state)
{
	(void)state;
	struct image im;
	image_init(&im);
	for (size_t n = 20; n < IMAGE_BYTES; n++) {
		struct err err;
		assert_null(program_from_bytes(im.bytes, n, "a.out", &err));
		assert_non_null(strstr(err.msg, "truncated"));
	}
}

static void missing_files_and_folders(void **state)
{
	(void)state;
	struct err err;
	assert_null(program_open("/nonexistent/program", &err));
	assert_string_equal(err.msg, "/nonexistent/program: No such file or directory");
	assert_null(program_open("/", &err));
	assert_string_equal(err.msg, "/: a directory, not a program file");
	assert_null(program_open("/dev/null", &err));
	assert_string_equal(err.msg, "/dev/null: not a regular file, not a program file");
}

/* ---- loading ---- */

static struct program *open_image(const struct image *im)
{
	struct err err = { "" };
	struct program *p = program_from_bytes(im->bytes, im->n, "a.out", &err);
	if (!p)
		fail_msg("%s", err.msg);
	return p;
}

static uint64_t peek64(const struct mem *mem, uint64_t addr)
{
	uint64_t v;
	assert_true(mem_peek(mem, addr, &v, 8));
	return v;
}

static void segments_are_mapped_as_asked(void **state)
{
	(void)state;
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
	assert_int_equal(peek64(mem, IMAGE_BASE + 0x1300), 0);
	mem_free(mem);
	program_free(p);
}

/* The data segment begins in the text segment's page: that page gets both permissions, the others
 * keep theirs. */
static void a_shared_page_gets_both_permissions(void **state)
{
	(void)state;
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
static void segments_may_touch(void **state)
{
	(void)state;
	struct image im;
	image_init(&im);
	im.ph[1].p_vaddr = IMAGE_BASE + IMAGE_BYTES;
	program_free(open_image(&im));
}

static void execute_only_and_write_only(void **state)
{
	(void)state;
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

static void a_static_pie_moves_to_its_base(void **state)
{
	(void)state;
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

/* As gcc marks a program with nested functions; without the header Linux takes it as not wanted. */
static void the_stack_is_executable_only_on_request(void **state)
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

static void the_stack_is_as_linux_lays_it_out(void **state)
{
	(void)state;
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
		assert_int_equal(peek64(mem, sp), 3);
		for (unsigned i = 0; i < 3; i++)
			check_string(mem, peek64(mem, sp + 8 + 8 * i), argv[i]);
		assert_int_equal(peek64(mem, sp + 32), 0);
		check_string(mem, peek64(mem, sp + 40), "A=1");
		check_string(mem, peek64(mem, sp + 48), "PATH=/bin");
		assert_int_equal(peek64(mem, sp + 56), 0);

		uint64_t aux[64] = { 0 };
		uint64_t at = sp + 64;
		for (; peek64(mem, at) != AT_NULL; at += 16) {
			assert_true(peek64(mem, at) < 64);
			aux[peek64(mem, at)] = peek64(mem, at + 8);
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
		random[seed][0] = peek64(mem, aux[AT_RANDOM]);
		random[seed][1] = peek64(mem, aux[AT_RANDOM] + 8);

		/* Strings stand above the vectors, arguments below environment below the path. */
		assert_true(at + 16 <= aux[AT_RANDOM]);
		assert_true(aux[AT_RANDOM] + 16 <= peek64(mem, sp + 8));
		assert_int_equal(peek64(mem, sp + 8) + 5, peek64(mem, sp + 16));
		assert_int_equal(peek64(mem, sp + 24) + 1, peek64(mem, sp + 40));
		assert_int_equal(peek64(mem, sp + 48) + 10, aux[AT_EXECFN]);
		assert_int_equal(aux[AT_EXECFN] + 6, MEM_TOP - 8);
		assert_int_equal(peek64(mem, MEM_TOP - 8), 0);
		mem_free(mem);
	}
	assert_memory_not_equal(random[0], random[1], sizeof random[0]);
	program_free(p);
}

/* One word more or less on it does not change that. */
static void sp_is_a_multiple_of_16_with_any_number_of_strings(void **state)
{
	(void)state;
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
		assert_int_equal(peek64(mem, sp), argc);
		assert_int_equal(peek64(mem, sp + 8 + 8 * argc), 0);
		assert_int_equal(peek64(mem, sp + 16 + 8 * (argc + envc)), 0);
		mem_free(mem);
	}
	program_free(p);
}

static void arguments_must_fit(void **state)
{
	(void)state;
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

static void the_digest_names_the_bytes(void **state)
{
	(void)state;
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

static void open_guest(struct fixture *f, const char *flags)
{
	if (!cross_available())
		skip();
	assert_true(cross_build(&f->cross, "c", guest_source, flags));
	struct err err = { "" };
	f->p = program_open(f->cross.program, &err);
	if (!f->p)
		fail_msg("%s", err.msg);
}

static void close_guest(struct fixture *f)
{
	program_free(f->p);
	cross_remove(&f->cross);
}

static void symbols_answer_both_ways(void **state)
{
	(void)state;
	struct fixture f;
	open_guest(&f, "-O0 -g -static -nostdlib");
	const struct symbol *twice = program_symbol_by_name(f.p, "twice");
	const struct symbol *helper = program_symbol_by_name(f.p, "helper");
	/* Of several names a global one is told, not a weak one. */
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
	close_guest(&f);
}

static void check_name(const struct program *p, uint64_t addr, const char *expected)
{
	const struct symbol *s = program_symbol_at(p, addr);
	assert_non_null(s);
	assert_string_equal(s->name, expected);
}

static void of_several_symbols_the_right_one_is_told(void **state)
{
	/* Two pairs of names for one address, and one function in another, which goes on with a
	 * label where the inner one ends. */
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
	check_name(p, first, "b_large");
	check_name(p, first + 8, "b_large");
	check_name(p, second, "c_large");
	check_name(p, second + 8, "c_large");
	assert_int_equal(second, first + 12);
	static const char *const of[] = {"outer", "inner", "inner", "outer",
	                                 "outer", "next",  "next"};
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
		check_name(p, outer + 4 * i, of[i]);
	program_free(p);
	cross_remove(&c);
}

static void lines_answer_both_ways(void **state)
{
	(void)state;
	struct fixture f;
	open_guest(&f, "-O0 -g -static -nostdlib");
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

	/* Line 6 has no code: the next that has. The full path and a tail of it do too. */
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
	close_guest(&f);
}

/* Start of a section's bytes in a well-formed file. */
static uint8_t *find_section(uint8_t *file, const char *name, size_t *n)
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
static void a_line_table_without_end_ends_with_the_code(void **state)
{
	(void)state;
	struct fixture f;
	open_guest(&f, "-O0 -g -static -nostdlib -gz=none");
	_Alignas(8) static uint8_t file[1 << 16];
	FILE *in = fopen(f.cross.program, "rb");
	assert_non_null(in);
	size_t n = fread(file, 1, sizeof file, in), table_n = 0;
	fclose(in);
	assert_true(n < sizeof file);
	uint8_t *table = find_section(file, ".debug_line", &table_n);
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
	close_guest(&f);
}

static void no_debug_information_says_so(void **state)
{
	(void)state;
	struct fixture f;
	open_guest(&f, "-O0 -static -nostdlib -Wl,--strip-all");
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
	close_guest(&f);
}

static void source_text_is_found(void **state)
{
	(void)state;
	struct fixture f;
	open_guest(&f, "-O0 -g -static -nostdlib");
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
	/* A folder whose name only begins like one that may be read is another. */
	char beside[96], secret[128];
	snprintf(beside, sizeof beside, "%s-more", f.cross.dir);
	snprintf(secret, sizeof secret, "%s/secret.c", beside);
	assert_int_equal(mkdir(beside, 0700), 0);
	FILE *out = fopen(secret, "w");
	assert_true(out && fputs("secret\n", out) >= 0 && fclose(out) == 0);
	assert_null(program_source_text(f.p, secret, 1, NULL));
	unlink(secret);
	rmdir(beside);
	program_free(f.p);

	char sub[80], moved[96];
	snprintf(sub, sizeof sub, "%s/bin", f.cross.dir);
	snprintf(moved, sizeof moved, "%s/guest", sub);
	assert_int_equal(mkdir(sub, 0700), 0);
	assert_int_equal(rename(f.cross.program, moved), 0);
	f.p = program_open(moved, NULL);
	assert_non_null(f.p);
	/* The folder above is nobody's unless somebody names it. */
	assert_null(program_source_text(f.p, "../guest.c", 5, NULL));
	assert_non_null(strstr(program_source_missing(f.p, "../guest.c"), "it lies outside"));
	assert_non_null(strstr(program_source_missing(f.p, "/gone/src/other.c"), "neither"));
	const char *const folders[] = {f.cross.dir, NULL};
	program_set_sources(f.p, folders);
	assert_string_equal(program_source_text(f.p, "/gone/src/guest.c", 5, NULL), "}");
	assert_string_equal(program_source_text(f.p, "bin/../guest.c", 5, NULL), "}");
	unlink(moved);
	rmdir(sub);
	close_guest(&f);
}

static void a_compiled_pie_has_moved_symbols_and_lines(void **state)
{
	(void)state;
	struct fixture f;
	open_guest(&f, "-O0 -g -static-pie -nostdlib -fPIE -Wl,--no-dynamic-linker");
	const struct symbol *twice = program_symbol_by_name(f.p, "twice");
	assert_non_null(twice);
	assert_true(twice->addr > PROGRAM_PIE_BASE);
	uint64_t addr;
	assert_true(program_addr_of_line(f.p, "guest.c", 8, &addr, NULL));
	assert_int_equal(addr, twice->addr);
	close_guest(&f);
}

static void a_dynamic_program_names_its_interpreter(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spoilt_files_say_what_is_wrong),
		cmocka_unit_test(many_segments_are_refused),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(missing_files_and_folders),
		cmocka_unit_test(segments_are_mapped_as_asked),
		cmocka_unit_test(a_shared_page_gets_both_permissions),
		cmocka_unit_test(segments_may_touch),
		cmocka_unit_test(execute_only_and_write_only),
		cmocka_unit_test(a_static_pie_moves_to_its_base),
		cmocka_unit_test(the_stack_is_executable_only_on_request),
		cmocka_unit_test(the_stack_is_as_linux_lays_it_out),
		cmocka_unit_test(sp_is_a_multiple_of_16_with_any_number_of_strings),
		cmocka_unit_test(arguments_must_fit),
		cmocka_unit_test(the_digest_names_the_bytes),
		cmocka_unit_test(symbols_answer_both_ways),
		cmocka_unit_test(of_several_symbols_the_right_one_is_told),
		cmocka_unit_test(lines_answer_both_ways),
		cmocka_unit_test(a_line_table_without_end_ends_with_the_code),
		cmocka_unit_test(no_debug_information_says_so),
		cmocka_unit_test(source_text_is_found),
		cmocka_unit_test(a_compiled_pie_has_moved_symbols_and_lines),
		cmocka_unit_test(a_dynamic_program_names_its_interpreter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
