/* Damaged and foreign executables are refused with a reason. */
#include "tests/unit/loader/loader_fixture.h"

/* ---- crafted files ---- */

static void not_elf(struct image *im) { im->bytes[0] = 'M'; }
static void loader_refused_make_empty(struct image *im)
{
	im->n = 0;
}
static void loader_refused_make_script(struct image *im)
{
	memcpy(im->bytes, "#!/bin/sh\n", 10);
}
static void ten_bytes(struct image *im) { im->n = 10; }
static void half_header(struct image *im) { im->n = 40; }
static void loader_refused_make_x86(struct image *im)
{
	im->eh.e_machine = EM_X86_64;
}
static void unknown_machine(struct image *im) { im->eh.e_machine = 4711; }

static void loader_refused_make_sparc(struct image *im)
{
	im->eh.e_ident[EI_DATA] = ELFDATA2MSB;
	im->eh.e_machine = (uint16_t)__builtin_bswap16(EM_SPARCV9);
}

static void loader_refused_make_big_endian(struct image *im)
{
	im->eh.e_ident[EI_DATA] = ELFDATA2MSB;
	im->eh.e_machine = (uint16_t)__builtin_bswap16(EM_RISCV);
}

static void loader_refused_make_rv32(struct image *im)
{
	im->eh.e_ident[EI_CLASS] = ELFCLASS32;
}
static void loader_refused_make_class9(struct image *im)
{
	im->eh.e_ident[EI_CLASS] = 9;
}
static void loader_refused_make_version7(struct image *im)
{
	im->eh.e_version = 7;
}
static void loader_refused_make_object(struct image *im)
{
	im->eh.e_type = ET_REL;
}
static void loader_refused_make_core_dump(struct image *im)
{
	im->eh.e_type = ET_CORE;
}
static void loader_refused_make_type9(struct image *im)
{
	im->eh.e_type = 9;
}
static void loader_refused_make_rve(struct image *im)
{
	im->eh.e_flags |= EF_RISCV_RVE;
}
static void loader_refused_make_quad_float(struct image *im)
{
	im->eh.e_flags |= EF_RISCV_FLOAT_ABI_QUAD;
}
static void no_phdrs(struct image *im) { im->eh.e_phnum = 0; }
static void odd_phdrs(struct image *im) { im->eh.e_phentsize = 32; }
static void many_phdrs(struct image *im) { im->eh.e_phnum = 0xffff; }
static void far_phdrs(struct image *im) { im->eh.e_phoff = IMAGE_BYTES - 16; }
static void wrapping_phdrs(struct image *im) { im->eh.e_phoff = ~UINT64_C(0) - 16; }

static void loader_refused_add_interpreter(struct image *im)
{
	im->eh.e_phnum = 3;
	im->ph[2] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = 0x300, .p_filesz = 12 };
	memcpy(im->bytes + 0x300, "/lib/ld.so.", 12);
}

static void relative_interpreter(struct image *im)
{
	loader_refused_add_interpreter(im);
	im->bytes[0x300] = '.';
}

static void endless_interpreter(struct image *im)
{
	loader_refused_add_interpreter(im);
	im->bytes[0x30b] = '1';
}

static void strange_interpreter(struct image *im)
{
	loader_refused_add_interpreter(im);
	im->bytes[0x304] = 0x1b;
}

static void far_interpreter(struct image *im)
{
	loader_refused_add_interpreter(im);
	im->ph[2].p_offset = IMAGE_BYTES;
}

static void loader_refused_add_needed_library(struct image *im)
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

static void loader_refused_overlap_segments(struct image *im)
{
	im->ph[1].p_vaddr = IMAGE_BASE + 0x3ff;
}
static void no_segments(struct image *im) { im->ph[0].p_type = im->ph[1].p_type = PT_NOTE; }

static void null_page(struct image *im)
{
	im->ph[0].p_vaddr = 0xc00;
	im->eh.e_entry = 0xc00 + CODE_AT;
}

static void entry_in_data(struct image *im) { im->eh.e_entry = IMAGE_BASE + 0x1200; }
static void entry_nowhere(struct image *im) { im->eh.e_entry = 0; }
static void library_alone(struct image *im)
{
	im->eh.e_type = ET_DYN;
	im->eh.e_entry = 0;
}

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
	{"empty", loader_refused_make_empty,
         "a.out: empty file; Cyclops runs RISC-V ELF programs"},
	{"script", loader_refused_make_script,
         "a.out: a script; Cyclops runs RISC-V ELF programs"},
	{"not ELF", not_elf,
         "a.out: not an ELF file; Cyclops runs RISC-V programs "
         "(compile with riscv64-linux-gnu-gcc)"},
	{"ten bytes", ten_bytes, "a.out: truncated: 10 bytes, but an ELF header alone takes 64"},
	{"half a header", half_header,
         "a.out: truncated: 40 bytes, but an ELF header alone takes 64"},
	{"x86", loader_refused_make_x86,
         "a.out: ELF for x86-64, not RISC-V (compile with riscv64-linux-gnu-gcc)"},
	{"sparc", loader_refused_make_sparc,
         "a.out: ELF for SPARC V9, not RISC-V (compile with riscv64-linux-gnu-gcc)"},
	{"unknown machine", unknown_machine,
         "a.out: ELF for machine 4711, not RISC-V (compile with riscv64-linux-gnu-gcc)"},
	{"32-bit", loader_refused_make_rv32,
         "a.out: no program headers, nothing to load (link it as an executable)"},
	{"big-endian", loader_refused_make_big_endian,
         "a.out: big-endian RISC-V ELF; Cyclops runs little-endian programs "
         "(compile with riscv64-linux-gnu-gcc)"},
	{"class", loader_refused_make_class9,
         "a.out: damaged ELF header: class 9, data encoding 1; expected 2 (64 bits) or "
         "1 (32 bits), and 1"},
	{"version", loader_refused_make_version7,
         "a.out: damaged ELF header: version 7 (expected 1)"},
	{"object", loader_refused_make_object,
         "a.out: object file, not linked yet (riscv64-linux-gnu-gcc a.out)"},
	{"core", loader_refused_make_core_dump, "a.out: core dump; Cyclops runs programs"},
	{"type", loader_refused_make_type9,
         "a.out: unknown ELF type 9; an executable has type 2, or 3 if it is position-independent"},
	{"RVE", loader_refused_make_rve,
         "a.out: built for RV64E, with 16 registers (compile with -march=rv64gc -mabi=lp64d)"},
	{"quad", loader_refused_make_quad_float,
         "a.out: built for quad-precision floating point "
         "(compile with -march=rv64gc -mabi=lp64d)"},
	{"no program headers", no_phdrs,
         "a.out: no program headers, nothing to load (link it as an executable)"},
	{"program header size", odd_phdrs,
         "a.out: damaged ELF header: program headers of 32 bytes (expected 56)"},
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
	{"needed", loader_refused_add_needed_library,
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
         "a.out: segment 1 needs 0x1000000001 bytes of memory; at most 64 GiB are given"},
	{"huge together", huge_together,
         "a.out: segments need 0x1400000400 bytes of memory; at most 64 GiB are given"},
	{"overlap", loader_refused_overlap_segments,
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
	{"library", library_alone,
         "a.out: a shared library: it names no place to begin (link it as an executable)"},
	{"odd entry", odd_entry,
         "a.out: entry point 0x10201 is odd; instructions start at even addresses"},
	{"cut sections", cut_sections,
         "a.out: truncated: section headers at 0x3c0 (2 of them), but the file has "
         "0x400 bytes (copy or build it again)"},
	{"section header size", odd_sections,
         "a.out: damaged ELF header: section headers of 40 bytes (expected 64)"},
	{"sections nowhere", sections_nowhere,
         "a.out: damaged ELF header: 3 section headers at offset 0"},
	{"endless sections", endless_sections,
         "a.out: truncated: section headers at 0x3c0 (288230376151711744 "
         "of them), but the file has 0x400 bytes (copy or build it again)"},
	{"section contents", cut_section_contents,
         "a.out: truncated: section 0 needs file bytes from 0x3f0, 0x20 "
         "of them, but the file has 0x400 (copy or build it again)"},
};

TEST(spoilt_files_say_what_is_wrong)
{
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

TEST(many_segments_are_refused)
{
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

/* A file cut at any length is refused with a message. */
TEST(every_truncation_is_refused)
{
	struct image im;
	image_init(&im);
	for (size_t n = 20; n < IMAGE_BYTES; n++) {
		struct err err;
		assert_null(program_from_bytes(im.bytes, n, "a.out", &err));
		assert_non_null(strstr(err.msg, "truncated"));
	}
}

TEST(missing_files_and_folders)
{
	struct err err;
	assert_null(program_open("/nonexistent/program", &err));
	assert_string_equal(err.msg, "/nonexistent/program: No such file or directory");
	assert_null(program_open("/", &err));
	assert_string_equal(err.msg, "/: a directory, not a program file");
	assert_null(program_open("/dev/null", &err));
	assert_string_equal(err.msg, "/dev/null: not a regular file, not a program file");
}
