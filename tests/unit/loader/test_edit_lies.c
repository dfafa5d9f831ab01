/* loader/edit on files that lie: what sections, relocations and symbols say of code and of what
 * names it is held against the bytes. A lie is refused, or its function is left alone; what comes
 * of it then ends as the program did before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/machine/machine.h"
#include "loader/edit/edit.h"
#include "loader/instrument/instrument.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/unit/loader/cross.h"

/* Of lies that are tried one by one, each so many-th. */
static unsigned step(void)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return scale && !strcmp(scale, "long") ? 1 : 13;
}

/* Each kind of relocation that the editor goes by. */
static const char guest_text[] =
	".text\n.globl _start, f, g, h\n.type _start, @function\n_start:\n.option push\n.option "
        "norelax\nlla gp, __global_pointer$\n.option pop\nlla tp, block\nli a0, 5\n"
	"call f\nli a7, 93\necall\n.size _start, . - _start\n"
	".type f, @function\nf: addi sp, sp, -16\nsd ra, 8(sp)\n.option push\n.option pic\nla a1, "
        "g\n.option pop\njalr a1\nlui a1, %hi(h)\naddi a1, a1, %lo(h)\njalr a1\n"
	"lla a1, table\nld a2, 0(a1)\njalr a2\nlwu a2, 8(a1)\njalr a2\nlla a1, 9f\nlw a2, "
        "0(a1)\nadd a1, a1, a2\njr a1\n.balign 4\n9: .word 1f - 9b\n"
	"1: lui a1, %tprel_hi(x)\nadd a1, a1, tp, %tprel_add(x)\nlw a2, %tprel_lo(x)(a1)\nadd a0, "
        "a0, a2\nlui a1, %tprel_hi(x)\nadd a1, a1, tp, %tprel_add(x)\n"
	"sw a2, %tprel_lo(x)(a1)\nla.tls.ie a1, x\nadd a1, a1, tp\nlw a2, 0(a1)\nadd a0, a0, "
        "a2\nlui a1, %hi(here)\nlw a2, %lo(here)(a1)\nother: addi a2, a2, 1\n"
	"sw a2, here, a3\nsw a2, %lo(here)(a1)\nlw a2, here\nadd a0, a0, a2\n"
	"5: auipc a3, %pcrel_hi(here)\nj 6f\n6:\nlow: lw a3, %pcrel_lo(5b)(a3)\n"
	"bnez a0, 2f\n.option push\n.option norvc\nbeqz a0, 3f\nj 2f\n.option pop\n2: j "
        "3f\nnop\n3: ld ra, 8(sp)\naddi sp, sp, 16\nret\n.size f, . - f\n"
	".type g, @function\ng: addi a0, a0, 2\nret\n.size g, . - g\n.type h, @function\nh: addi "
        "a0, a0, 3\ntail k\n.size h, . - h\n"
	".type k, @function\nk: .cfi_startproc\nbnez a0, 1f\naddi a0, a0, 1\n1: "
        "ret\n.cfi_endproc\n.size k, . - k\n"
	".section .eh_frame, \"a\"\n.balign 4\n__EH_FRAME_BEGIN__:\n"
	".section .rodata\n.balign 8\n.dword 0x1122334455667788\n.data\n.balign 8\ntable: .dword "
        "g\n.word h, k - table\n.half 1b - k\n.byte 1b - k\n.section .tdata, \"awT\"\n.balign "
        "4\n.word 0\nx: .word 7\n"
	".section .sdata, \"aw\"\n.balign 4\nhere: .word 4\n.bss\n.balign 8\nblock: .zero 64\n";

struct file {
	uint8_t *bytes;
	size_t n;
	int status; /* with which it ends */
};

static void read_file(const char *path, struct file *f)
{
	FILE *in = fopen(path, "rb");
	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	f->n = (size_t)ftell(in);
	rewind(in);
	f->bytes = malloc(f->n);
	assert_non_null(f->bytes);
	assert_int_equal(fread(f->bytes, 1, f->n, in), f->n);
	fclose(in);
}

/* Its exit status; -1: it does not exit. */
static int run(const struct program *p)
{
	static char *argv[] = {(char *)"guest", NULL};
	struct err err;
	struct config cfg;
	config_default(&cfg);
	struct launch l = {.path = "guest", .argc = 1, .argv = argv, .stdin_fd = -1};
	struct machine *m = launch_machine(&l, p, &cfg, &err);
	if (!m)
		return -1;
	machine_run_functional(m, 10000, false);
	const int status = machine_status(m) == MACHINE_EXITED ? machine_exit_status(m) : -1;
	machine_free(m);
	return status;
}

enum verdict { REFUSED, LEFT, ACCEPTED, HARMED /* it became something that ends otherwise */ };

/* What becomes of it; err has the reason. */
static enum verdict attempt(const struct file *f, enum instrument_kind kind, struct err *err)
{
	const struct instrument_options o = {.what = {{kind, -1}}, .count = 1};
	struct instrument_summary sum;
	*err = (struct err){""};
	struct program *p = program_from_bytes(f->bytes, f->n, "lying", err),
		       *q = p ? instrument_program(p, &o, &sum, NULL, NULL, err) : NULL;
	const enum verdict what = !q ? REFUSED : sum.left_by[LEFT_DENIED] ? LEFT : ACCEPTED;
	const int status = q ? run(q) : f->status;
	program_free(q);
	program_free(p);
	if (what == REFUSED)
		assert_true(err->msg[0]);
	return status == f->status ? what : HARMED;
}

static void build(struct cross *c, struct file *f, const char *flags)
{
	struct err err = {""};
	char all[256];
	snprintf(all, sizeof all, "-nostdlib -static -Wl,--emit-relocs %s", flags);
	assert_true(cross_build(c, "S", guest_text, all));
	read_file(c->program, f);
	struct program *p = program_from_bytes(f->bytes, f->n, "guest", &err);
	assert_non_null(p);
	f->status = run(p);
	program_free(p);
	assert_int_equal(f->status, 20);
	for (unsigned kind = INSTRUMENT_NOTHING; kind <= INSTRUMENT_EDGE; kind++)
		if (attempt(f, (enum instrument_kind)kind, &err) != ACCEPTED)
			fail_msg("%s", err.msg[0] ? err.msg : "left alone");
}

static void drop(struct cross *c, struct file *f)
{
	free(f->bytes);
	cross_remove(c);
}

/* ---- the file's tables ---- */
static Elf64_Shdr *head_of(const struct file *f, unsigned i)
{
	const Elf64_Ehdr *eh = (const void *)f->bytes;
	return (Elf64_Shdr *)(void *)(f->bytes + eh->e_shoff) + i;
}

static const char *name_of(const struct file *f, unsigned i)
{
	const Elf64_Ehdr *eh = (const void *)f->bytes;
	return (const char *)f->bytes + head_of(f, eh->e_shstrndx)->sh_offset +
	       head_of(f, i)->sh_name;
}

static unsigned section(const struct file *f, const char *name)
{
	const Elf64_Ehdr *eh = (const void *)f->bytes;
	for (unsigned i = 1; i < eh->e_shnum; i++)
		if (!strcmp(name_of(f, i), name))
			return i;
	fail_msg("no section %s", name);
	return 0;
}

static Elf64_Rela *relocs(const struct file *f, unsigned table, size_t *n)
{
	*n = head_of(f, table)->sh_size / sizeof(Elf64_Rela);
	return (Elf64_Rela *)(void *)(f->bytes + head_of(f, table)->sh_offset);
}

static Elf64_Rela *reloc(const struct file *f, const char *table, unsigned type)
{
	size_t n;
	Elf64_Rela *all = relocs(f, section(f, table), &n);
	for (size_t k = 0; k < n; k++)
		if (ELF64_R_TYPE(all[k].r_info) == type)
			return &all[k];
	fail_msg("no relocation of type %u in %s", type, table);
	return NULL;
}

/* The first one of an instruction. */
static Elf64_Rela *reloc_at(const struct file *f, uint64_t at)
{
	size_t n;
	Elf64_Rela *all = relocs(f, section(f, ".rela.text"), &n);
	for (size_t k = 0; k < n; k++)
		if (all[k].r_offset == at)
			return &all[k];
	fail_msg("no relocation there");
	return NULL;
}

static Elf64_Sym *symbol(const struct file *f, const char *name)
{
	const Elf64_Shdr *table = head_of(f, section(f, ".symtab"));
	Elf64_Sym *all = (Elf64_Sym *)(void *)(f->bytes + table->sh_offset);
	const char *names = (const char *)f->bytes + head_of(f, table->sh_link)->sh_offset;
	for (size_t i = 0; i < table->sh_size / sizeof *all; i++)
		if (!strcmp(names + all[i].st_name, name))
			return &all[i];
	fail_msg("no symbol %s", name);
	return NULL;
}

static uint32_t symbol_index(const struct file *f, const Elf64_Sym *s)
{
	return (uint32_t)(s - (const Elf64_Sym *)(const void *)(f->bytes +
	                                                        head_of(f, section(f, ".symtab"))
	                                                                ->sh_offset));
}

/* ---- one lie each ---- */
/* Says so, or leaves a function alone if `says` is NULL. */
static void expect(const struct file *f, const char *what, const char *says)
{
	struct err err;
	const enum verdict o = attempt(f, INSTRUMENT_BB, &err);
	if (o != (says ? REFUSED : LEFT) || (says && !strstr(err.msg, says)))
		fail_msg("%s: should be %s; it is %s '%s'", what, says ? says : "left alone",
		         o == REFUSED    ? "refused"
		         : o == LEFT     ? "left alone"
		         : o == ACCEPTED ? "accepted"
		                         : "harmed",
		         err.msg);
}

/* The lvalue has this value for once. */
#define LIE(lvalue, value, says) \
	do { \
		__typeof__(lvalue) *const at = &(lvalue), was = *at; \
		*at = (__typeof__(lvalue))(value); \
		expect(&f, #lvalue " = " #value, says); \
		*at = was; \
	} while (0)

static void sections_are_held_against_segments(void **state)
{
	(void)state;
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	build(&c, &f, "");
	Elf64_Shdr *text = head_of(&f, section(&f, ".text")),
		   *data = head_of(&f, section(&f, ".data")),
		   *rela = head_of(&f, section(&f, ".rela.text"));
	Elf64_Shdr *bss = head_of(&f, section(&f, ".bss")),
		   *symtab = head_of(&f, section(&f, ".symtab")),
		   *other = head_of(&f, section(&f, ".rela.data"));
	LIE(text->sh_addr, text->sh_addr - 4, "section .text is not where its segment has it");
	LIE(text->sh_offset, text->sh_offset - 4, "section .text is not where its segment has it");
	LIE(text->sh_size, text->sh_size - 4, "damaged");
	LIE(text->sh_flags, SHF_ALLOC, "kept no relocations");
	LIE(text->sh_type, SHT_NOTE,
	    ".rela.text has relocations of .text, which is no code that moves");
	LIE(data->sh_addr, UINT64_C(1) << 40, "section .data lies in no segment that is loaded");
	LIE(data->sh_flags, SHF_WRITE, "belongs to no section");
	LIE(data->sh_type, SHT_NOBITS, "section .data is said to have no bytes");
	LIE(data->sh_size, data->sh_size - 4, "belongs to no section");
	LIE(data->sh_size, data->sh_size + 8, "section .data overlaps the next one");
	LIE(data->sh_flags, SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR,
	    "section .data is said to be code, but its segment is none");
	LIE(head_of(&f, section(&f, ".rodata"))->sh_flags, SHF_ALLOC | SHF_EXECINSTR,
	    "nothing names any in it");
	LIE(data->sh_addralign, 1 << 20,
	    "section .data does not lie at a multiple of its alignment");
	LIE(bss->sh_type, SHT_PROGBITS, "section .bss is not where its segment has it");
	LIE(rela->sh_entsize, 12, "what the relocations in .rela.text are about is not said");
	LIE(rela->sh_link, 1, "what the relocations in .rela.text are about is not said");
	LIE(rela->sh_info, 0, "what the relocations in .rela.text are about is not said");
	LIE(rela->sh_size, rela->sh_size - 8,
	    "what the relocations in .rela.text are about is not said");
	LIE(other->sh_type, SHT_PROGBITS, "section .rela.data has no relocations");
	LIE(other->sh_info, symtab->sh_link, "outside its section");
	LIE(other->sh_type, SHT_SYMTAB, "two tables of symbols");
	LIE(symtab->sh_link, section(&f, ".text"), "damaged table of symbol names");
	LIE(symtab->sh_link, section(&f, ".shstrtab"), "has a name outside the table of names");
	LIE(head_of(&f, symtab->sh_link)->sh_offset, head_of(&f, symtab->sh_link)->sh_offset + 1,
	    "damaged table of symbol names");
	drop(&c, &f);
}

/* Unwind tables are known by their sections' names. */
static void unwind_tables_are_where_the_program_looks(void **state)
{
	(void)state;
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	build(&c, &f, "-Wl,--eh-frame-hdr");
	Elf64_Shdr *index = head_of(&f, section(&f, ".eh_frame_hdr")),
		   *frames = head_of(&f, section(&f, ".eh_frame")),
		   *text = head_of(&f, section(&f, ".text"));
	LIE(index->sh_name, text->sh_name, "no section .eh_frame_hdr is there");
	LIE(frames->sh_name, text->sh_name, "where no section .eh_frame is");
	Elf64_Sym *frame = symbol(&f, "__EH_FRAME_BEGIN__");
	LIE(frame->st_shndx, section(&f, ".data"), "is where unwind tables begin");
	/* The index: version, how the address of the tables, the number of rows and the rows are
	 * written; then that address and that number. */
	static const char kind[] = ".eh_frame_hdr is not of a kind that the editor knows";
	uint8_t *const bytes = f.bytes + index->sh_offset;
	uint32_t *const far = (void *)(bytes + 4), *const count = (void *)(bytes + 8);
	assert_int_equal(*count, 1);
	LIE(bytes[0], 2, kind);
	LIE(bytes[1], bytes[1] ^ 0x10, kind);
	LIE(bytes[2], bytes[2] ^ 0x10, kind);
	LIE(bytes[3], bytes[3] ^ 0x10, kind);
	LIE(*far, *far + 4, "leads to unwind tables where no section .eh_frame is");
	LIE(*count, 2, kind);
	LIE(*count, 0x20000001, kind);
	LIE(*count, 0, ".eh_frame_hdr has 0 entries, .eh_frame more");
	drop(&c, &f);
}

static void symbols_are_held_against_sections(void **state)
{
	(void)state;
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	build(&c, &f, "");
	Elf64_Sym *g = symbol(&f, "g"), *k = symbol(&f, "k"), *h = symbol(&f, "h"),
		  *x = symbol(&f, "x"), *fn = symbol(&f, "f"), *here = symbol(&f, "here");
	const Elf64_Shdr *text = head_of(&f, section(&f, ".text"));
	/* The entry is named by no relocation. */
	Elf64_Sym *start = symbol(&f, "_start");
	LIE(start->st_value, start->st_value + 1, "symbol _start (0x");
	LIE(start->st_value, start->st_value + 2, "is a function where no instruction begins");
	LIE(start->st_value, text->sh_addr + text->sh_size + 2, "lies outside its section");
	LIE(start->st_shndx, section(&f, ".data"), "lies in code, but is said to lie elsewhere");
	LIE(start->st_shndx, SHN_ABS, "lies in code, but is said to lie elsewhere");
	LIE(start->st_shndx, 99, "lies in no section");
	LIE(here->st_info, ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
	    "is a function where no code can be");
	LIE(g->st_shndx, SHN_UNDEF, "has a value, but is defined nowhere");
	LIE(k->st_size, k->st_size + 4, "reaches over the end of its section");
	LIE(g->st_value, g->st_value + 4, "says 0x");
	LIE(g->st_info, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
	    "is said to be no function, but lies in code");
	LIE(g->st_info, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC),
	    "is an indirect function, but nothing calls its resolver");
	LIE(g->st_info, ELF64_ST_INFO(STB_GLOBAL, STT_TLS),
	    "is thread-local, but its section isn't");
	LIE(fn->st_value, start->st_value + 4, "is not where relocations need it");
	LIE(x->st_info, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), NULL);
	Elf64_Sym *data = symbol(&f, "$d");
	LIE(data->st_value, k->st_value, "leads to where no instruction is");
	/* Two functions that reach into each other are left alone, both. */
	LIE(g->st_size, g->st_size + 2, NULL);
	LIE(fn->st_size, fn->st_size + g->st_size + h->st_size - 2, NULL);
	/* A section's, and what names it says so much less: together they say what stands there. */
	Elf64_Sym *all = (Elf64_Sym *)(void *)(f.bytes +
	                                       head_of(&f, section(&f, ".symtab"))->sh_offset),
		  *of_text = all;
	while (ELF64_ST_TYPE(of_text->st_info) != STT_SECTION ||
	       of_text->st_shndx != section(&f, ".text"))
		of_text++;
	Elf64_Rela *word = reloc(&f, ".rela.data", R_RISCV_64);
	const Elf64_Rela before = *word;
	word->r_info = ELF64_R_INFO((uint32_t)(of_text - all), R_RISCV_64);
	word->r_addend = (int64_t)(g->st_value - text->sh_addr);
	struct err told;
	assert_int_equal(attempt(&f, INSTRUMENT_BB, &told), ACCEPTED);
	word->r_addend -= 4;
	LIE(of_text->st_value, of_text->st_value + 4, "does not lie where its section begins");
	*word = before;
	/* One that names itself no function, but has a size, is one. */
	struct err err;
	k->st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
	assert_int_equal(attempt(&f, INSTRUMENT_EDGE, &err), ACCEPTED);
	drop(&c, &f);
}

/* Of a function that calls with its last instruction nothing comes back: where that is, its symbol
 * alone doesn't say. */
static uint64_t end_of(const struct file *f, const char *name)
{
	struct err err;
	uint32_t n;
	struct program *p = program_from_bytes(f->bytes, f->n, "guest", &err);
	assert_non_null(p);
	struct edit *e = edit_open(p, &err);
	assert_non_null(e);
	const struct edit_function *all = edit_functions(e, &n);
	uint64_t end = 1;
	for (uint32_t k = 0; k < n; k++)
		if (!strcmp(all[k].name, name))
			end = all[k].end;
	edit_free(e);
	program_free(p);
	return end;
}

static void ends_are_believed_before_padding(void **state)
{
	(void)state;
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	build(&c, &f, "");
	Elf64_Sym *s = symbol(&f, "f");
	assert_int_equal(end_of(&f, "f"), s->st_value + s->st_size);
	s->st_size -= 2;
	assert_int_equal(end_of(&f, "f"), 0);
	drop(&c, &f);
}

static void relocations_are_held_against_bytes(void **state)
{
	(void)state;
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	build(&c, &f, "-Wl,--no-relax");
	const uint32_t x = symbol_index(&f, symbol(&f, "x")),
		       here = symbol_index(&f, symbol(&f, "here"));
	LIE(reloc(&f, ".rela.data", R_RISCV_64)->r_addend, 4, "relocation R_RISCV_64 at 0x");
	LIE(reloc(&f, ".rela.data", R_RISCV_32)->r_offset,
	    reloc(&f, ".rela.data", R_RISCV_32)->r_offset + 6, "damaged");
	LIE(reloc(&f, ".rela.data", R_RISCV_SUB16)->r_info, R_RISCV_NONE,
	    "relocation R_RISCV_ADD16 at 0x");
	LIE(reloc(&f, ".rela.data", R_RISCV_ADD16)->r_info, ELF64_R_INFO(1, R_RISCV_ADD32),
	    "fields of different sizes");
	LIE(reloc(&f, ".rela.data", R_RISCV_64)->r_info,
	    reloc(&f, ".rela.data", R_RISCV_64)->r_info - R_RISCV_64 + R_RISCV_ADD8,
	    "no address fits into its field");
	LIE(reloc(&f, ".rela.data", R_RISCV_64)->r_info,
	    reloc(&f, ".rela.data", R_RISCV_64)->r_info - R_RISCV_64 + R_RISCV_SET16,
	    "no address fits into its field");
	LIE(reloc(&f, ".rela.data", R_RISCV_64)->r_info, ELF64_R_INFO(1, R_RISCV_RELATIVE),
	    "which the editor doesn't know");
	LIE(reloc(&f, ".rela.data", R_RISCV_64)->r_info, ELF64_R_INFO(1, R_RISCV_SET6),
	    "unwind tables");
	LIE(reloc(&f, ".rela.text", R_RISCV_BRANCH)->r_offset,
	    reloc(&f, ".rela.text", R_RISCV_BRANCH)->r_offset + 4, NULL);
	LIE(reloc(&f, ".rela.text", R_RISCV_RVC_JUMP)->r_info,
	    ELF64_R_INFO(ELF64_R_SYM(reloc(&f, ".rela.text", R_RISCV_RVC_JUMP)->r_info),
	                 R_RISCV_JAL),
	    NULL);
	LIE(reloc(&f, ".rela.text", R_RISCV_TPREL_ADD)->r_info,
	    ELF64_R_INFO(here, R_RISCV_TPREL_ADD), NULL);
	LIE(reloc(&f, ".rela.text", R_RISCV_GOT_HI20)->r_info, ELF64_R_INFO(x, R_RISCV_GOT_HI20),
	    NULL);
	/* A half whose other half says nothing, or another thing. */
	LIE(reloc(&f, ".rela.text", R_RISCV_PCREL_LO12_I)->r_info, R_RISCV_NONE,
	    "is half of an address");
	LIE(reloc(&f, ".rela.text", R_RISCV_HI20)->r_info,
	    ELF64_R_INFO(symbol_index(&f, symbol(&f, "g")), R_RISCV_HI20), NULL);
	LIE(reloc_at(&f, symbol(&f, "low")->st_value)->r_offset, symbol(&f, "other")->st_value,
	    "is half of an address");
	LIE(reloc_at(&f, symbol(&f, "low")->st_value)->r_info,
	    reloc(&f, ".rela.text", R_RISCV_PCREL_LO12_I)->r_info,
	    "is not the one that another low part of its auipc has");
	LIE(reloc(&f, ".rela.text", R_RISCV_PCREL_HI20)->r_info, R_RISCV_NONE, "no relocation");
	LIE(reloc(&f, ".rela.text", R_RISCV_HI20)->r_info, R_RISCV_NONE, NULL);
	LIE(reloc(&f, ".rela.text", R_RISCV_LO12_I)->r_info, R_RISCV_NONE, NULL);
	LIE(reloc(&f, ".rela.text", R_RISCV_BRANCH)->r_offset,
	    reloc(&f, ".rela.text", R_RISCV_BRANCH)->r_offset + 1, "where no instruction begins");
	drop(&c, &f);
}

/* A function that is left alone gets no code, and no counter. */
static void denied_functions_get_no_code(void **state)
{
	(void)state;
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	build(&c, &f, "-Wl,--no-relax");
	uint64_t moved = 0; /* bytes where nothing is put in */
	for (unsigned kind = INSTRUMENT_NOTHING; kind <= INSTRUMENT_EDGE; kind++) {
		const struct instrument_options o = {
			.what = {{(enum instrument_kind)kind, -1}}, .count = 1, .functions = "f"};
		struct instrument_summary sum[2];
		struct err err = {""};
		for (unsigned lie = 0; lie < 2; lie++) {
			Elf64_Rela *r = reloc(&f, ".rela.text", R_RISCV_BRANCH);
			r->r_offset += lie ? 4 : 0;
			struct program *p = program_from_bytes(f.bytes, f.n, "lying", &err),
				       *q = p ? instrument_program(p, &o, &sum[lie], NULL, NULL,
			                                           &err)
			                      : NULL;
			r->r_offset -= lie ? 4 : 0;
			if (!q)
				fail_msg("kind %u: %s", kind, err.msg);
			assert_int_equal(run(q), f.status);
			program_free(q);
			program_free(p);
		}
		assert_int_equal(sum[0].left_by[LEFT_DENIED], 0);
		assert_int_equal(sum[1].left_by[LEFT_DENIED], 1);
		moved = kind == INSTRUMENT_NOTHING ? sum[1].code_after : moved;
		assert_true(kind == INSTRUMENT_NOTHING ||
		            (sum[0].counters > 0 && sum[0].code_after > moved));
		assert_int_equal(sum[1].counters, 0);
		assert_int_equal(sum[1].code_after, moved);
	}
	drop(&c, &f);
}

/* So many relocations that are not so that looking at each would take all day. */
static void too_many_lies(void **state)
{
	(void)state;
	static const char text[] = ".text\n.globl _start\n.type _start, @function\n_start: li a0, "
	                           "0\n.option norvc\n.rept 300\nbeqz a0, 1f\n.endr\n1: li a7, "
	                           "93\necall\n.size _start, . - _start\n";
	struct cross c;
	struct file f;
	struct err err;
	if (!cross_available())
		skip();
	assert_true(cross_build(&c, "S", text, "-nostdlib -static -Wl,--emit-relocs"));
	read_file(c.program, &f);
	f.status = 0;
	size_t n;
	Elf64_Rela *all = relocs(&f, section(&f, ".rela.text"), &n);
	assert_true(n >= 300);
	for (size_t k = 0; k < n; k++) {
		if (k == 256)
			expect(&f, "256 of them", NULL);
		all[k].r_info = ELF64_R_INFO(ELF64_R_SYM(all[k].r_info), R_RISCV_JAL);
	}
	expect(&f, "300 of them", "more than 256 relocations are not what the code says");
	assert_int_equal(attempt(&f, INSTRUMENT_BB, &err), REFUSED);
	drop(&c, &f);
}

/* Each says what its instruction or its word encodes: two bytes more are a lie. */
static void each_addend_is_held_against_bytes(void **state)
{
	(void)state;
	static const char *const flags[] = {"", "-Wl,--no-relax"};
	static const uint8_t types[] = {
		R_RISCV_32,           R_RISCV_64,         R_RISCV_BRANCH,
		R_RISCV_JAL,          R_RISCV_CALL_PLT,   R_RISCV_GOT_HI20,
		R_RISCV_TLS_GOT_HI20, R_RISCV_PCREL_HI20, R_RISCV_PCREL_LO12_I,
		R_RISCV_PCREL_LO12_S, R_RISCV_HI20,       R_RISCV_LO12_I,
		R_RISCV_LO12_S,       R_RISCV_TPREL_HI20, R_RISCV_TPREL_LO12_I,
		R_RISCV_TPREL_LO12_S, R_RISCV_ADD8,       R_RISCV_ADD16,
		R_RISCV_ADD32,        R_RISCV_SUB8,       R_RISCV_SUB16,
		R_RISCV_SUB32,        R_RISCV_RVC_BRANCH, R_RISCV_RVC_JUMP,
		R_RISCV_RVC_LUI,      R_RISCV_GPREL_I,    R_RISCV_GPREL_S,
		R_RISCV_TPREL_I,      R_RISCV_TPREL_S,
	};
	unsigned seen[64] = {0};
	for (unsigned round = 0; round < 2; round++) {
		struct cross c;
		struct file f;
		struct err err;
		if (!cross_available())
			skip();
		build(&c, &f, flags[round]);
		const Elf64_Ehdr *eh = (const void *)f.bytes;
		for (unsigned s = 1; s < eh->e_shnum; s++) {
			size_t n = 0;
			/* Unwind tables are read themselves. */
			Elf64_Rela *all = head_of(&f, s)->sh_type == SHT_RELA &&
			                                  strcmp(name_of(&f, s), ".rela.eh_frame")
			                          ? relocs(&f, s, &n)
			                          : NULL;
			for (size_t k = 0; k < n; k++) {
				const uint32_t type = (uint32_t)ELF64_R_TYPE(all[k].r_info);
				if (type == R_RISCV_NONE || type == R_RISCV_RELAX ||
				    type == R_RISCV_ALIGN || type == R_RISCV_TPREL_ADD)
					continue;
				/* Of high parts 4 KB more. */
				all[k].r_addend += 0x1002;
				if (attempt(&f, INSTRUMENT_BB, &err) == ACCEPTED)
					if (type != R_RISCV_LO12_I ||
					    ELF64_R_SYM(all[k].r_info)) /* what is at 0x1002 is as
					                                   low as what is at 2 */
						fail_msg("relocation %zu of %s, type %u, is "
						         "believed",
						         k, name_of(&f, s), type);
				all[k].r_addend -= 0x1002;
				seen[type]++;
			}
		}
		drop(&c, &f);
	}
	for (unsigned k = 0; k < sizeof types; k++)
		if (!seen[types[k]])
			fail_msg("no relocation of type %u", types[k]);
}

/* Each relocation of any type and with any symbol: what is accepted runs as before. */
static void what_is_believed_harms_nothing(void **state)
{
	(void)state;
	static const char *const flags[] = {"", "-Wl,--no-relax"};
	unsigned count[HARMED + 1] = {0}, turn = 0, apart = step();
	for (unsigned round = 0; round < 2; round++) {
		struct cross c;
		struct file f;
		struct err err;
		if (!cross_available())
			skip();
		build(&c, &f, flags[round]);
		const Elf64_Ehdr *eh = (const void *)f.bytes;
		const uint32_t symbols = (uint32_t)(head_of(&f, section(&f, ".symtab"))->sh_size /
		                                    sizeof(Elf64_Sym)),
			       types = R_RISCV_32_PCREL + 2;
		for (unsigned s = 1; s < eh->e_shnum; s++) {
			size_t n = 0;
			Elf64_Rela *all =
				head_of(&f, s)->sh_type == SHT_RELA ? relocs(&f, s, &n) : NULL;
			for (size_t k = 0; k < n; k++) {
				const Elf64_Rela was = all[k];
				for (uint32_t i = turn++ % apart; i < types + symbols + 1;
				     i += apart) {
					all[k].r_info =
						i < types ? ELF64_R_INFO(ELF64_R_SYM(was.r_info), i)
							  : ELF64_R_INFO(i - types,
					                                 ELF64_R_TYPE(was.r_info));
					const enum verdict v =
						attempt(&f, (enum instrument_kind)(turn % 3), &err);
					count[v]++;
					if (v == HARMED)
						print_error("%s: relocation %zu of %s at 0x%llx: "
						            "symbol %u, type %u -> symbol %u, type "
						            "%u\n",
						            flags[round], k + 1, name_of(&f, s),
						            (unsigned long long)was.r_offset,
						            (unsigned)ELF64_R_SYM(was.r_info),
						            (unsigned)ELF64_R_TYPE(was.r_info),
						            (unsigned)ELF64_R_SYM(all[k].r_info),
						            (unsigned)ELF64_R_TYPE(all[k].r_info));
				}
				all[k] = was;
			}
		}
		drop(&c, &f);
	}
	assert_int_equal(count[HARMED], 0);
	assert_true(count[ACCEPTED] > 50 && count[REFUSED] > 50 && count[LEFT] > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_are_held_against_segments),
		cmocka_unit_test(unwind_tables_are_where_the_program_looks),
		cmocka_unit_test(symbols_are_held_against_sections),
		cmocka_unit_test(ends_are_believed_before_padding),
		cmocka_unit_test(relocations_are_held_against_bytes),
		cmocka_unit_test(denied_functions_get_no_code),
		cmocka_unit_test(too_many_lies),
		cmocka_unit_test(each_addend_is_held_against_bytes),
		cmocka_unit_test(what_is_believed_harms_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
