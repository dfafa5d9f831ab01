/* Files with false information, made from valid programs. */
#ifndef CYCLOPS_TESTS_UNIT_LOADER_EDIT_LIES_H
#define CYCLOPS_TESTS_UNIT_LOADER_EDIT_LIES_H

#include <stdint.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/config.h"
#include "core/machine/machine.h"
#include "loader/edit/edit.h"
#include "loader/instrument/instrument.h"
#include "loader/launch.h"
#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

/* Has each kind of relocation that the editor uses. */
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
	".type k, @function\nk: .cfi_startproc\nbnez a0, 1f\n"
	".cfi_escape 0x0f, 2, 0x72, 0, 0x16, 8, 2, 0x72, 0\naddi a0, a0, 1\n1: ret\n"
	".cfi_endproc\n.size k, . - k\n"
	".section .eh_frame, \"a\"\n.balign 4\n__EH_FRAME_BEGIN__:\n"
	".section .rodata\n.balign 8\n.dword 0x1122334455667788\n.data\n.balign 8\ntable: .dword "
        "g\n.word h, k - table\n.half 1b - k\n.byte 1b - k\n"
	".balign 2\n.reloc ., R_RISCV_ADD16, here\n.half 0\n.section .tdata, \"awT\"\n.balign "
        "4\n.word 0\nx: .word 7\n"
	".section .sdata, \"aw\"\n.balign 4\nhere: .word 4\n.bss\n.balign 8\nblock: .zero 64\n";

struct file {
	uint8_t *bytes;
	size_t n;
	int status; /* its exit status */
};

static inline void edit_lies_read_file(const char *path, struct file *f)
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
static inline int edit_lies_run_program(const struct program *p)
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

enum verdict { REFUSED, LEFT, ACCEPTED, HARMED /* the edited program has another exit status */ };

/* Edits the damaged file; err has the reason of a refusal. */
static inline enum verdict edit_lies_try_instrument(const struct file *f, enum instrument_kind kind,
                                                    struct err *err)
{
	const struct instrument_options o = {.what = {{kind, -1}}, .count = 1};
	struct instrument_summary sum;
	*err = (struct err){""};
	struct program *p = program_from_bytes(f->bytes, f->n, "lying", err),
		       *q = p ? instrument_program(p, &o, &sum, NULL, NULL, err) : NULL;
	const enum verdict what = !q ? REFUSED : sum.left_by[LEFT_DENIED] ? LEFT : ACCEPTED;
	const int status = q ? edit_lies_run_program(q) : f->status;
	program_free(q);
	program_free(p);
	if (what == REFUSED)
		assert_true(err->msg[0]);
	return status == f->status ? what : HARMED;
}

static inline void edit_lies_build_guest(struct cross *c, struct file *f, const char *flags)
{
	struct err err = {""};
	char all[256];
	snprintf(all, sizeof all, "-nostdlib -static -Wl,--emit-relocs %s", flags);
	assert_true(cross_build(c, "S", guest_text, all));
	edit_lies_read_file(c->program, f);
	struct program *p = program_from_bytes(f->bytes, f->n, "guest", &err);
	assert_non_null(p);
	f->status = edit_lies_run_program(p);
	program_free(p);
	assert_int_equal(f->status, 20);
	for (unsigned kind = INSTRUMENT_NOTHING; kind <= INSTRUMENT_EDGE; kind++)
		if (edit_lies_try_instrument(f, (enum instrument_kind)kind, &err) != ACCEPTED)
			fail_msg("%s", err.msg[0] ? err.msg : "left alone");
}

static inline void edit_lies_release_guest(struct cross *c, struct file *f)
{
	free(f->bytes);
	cross_remove(c);
}

/* ---- the file's tables ---- */
static inline Elf64_Shdr *edit_lies_section_header(const struct file *f, unsigned i)
{
	const Elf64_Ehdr *eh = (const void *)f->bytes;
	return (Elf64_Shdr *)(void *)(f->bytes + eh->e_shoff) + i;
}

static inline const char *edit_lies_section_name(const struct file *f, unsigned i)
{
	const Elf64_Ehdr *eh = (const void *)f->bytes;
	return (const char *)f->bytes + edit_lies_section_header(f, eh->e_shstrndx)->sh_offset +
	       edit_lies_section_header(f, i)->sh_name;
}

static inline unsigned edit_lies_find_section(const struct file *f, const char *name)
{
	const Elf64_Ehdr *eh = (const void *)f->bytes;
	for (unsigned i = 1; i < eh->e_shnum; i++)
		if (!strcmp(edit_lies_section_name(f, i), name))
			return i;
	fail_msg("no section %s", name);
	return 0;
}

static inline Elf64_Rela *edit_lies_relocation_table(const struct file *f, unsigned table,
                                                     size_t *n)
{
	*n = edit_lies_section_header(f, table)->sh_size / sizeof(Elf64_Rela);
	return (Elf64_Rela *)(void *)(f->bytes + edit_lies_section_header(f, table)->sh_offset);
}

static inline Elf64_Rela *edit_lies_find_relocation(const struct file *f, const char *table,
                                                    unsigned type)
{
	size_t n;
	Elf64_Rela *all = edit_lies_relocation_table(f, edit_lies_find_section(f, table), &n);
	for (size_t k = 0; k < n; k++)
		if (ELF64_R_TYPE(all[k].r_info) == type)
			return &all[k];
	fail_msg("no relocation of type %u in %s", type, table);
	return NULL;
}

static inline Elf64_Sym *edit_lies_find_symbol(const struct file *f, const char *name)
{
	const Elf64_Shdr *table = edit_lies_section_header(f, edit_lies_find_section(f, ".symtab"));
	Elf64_Sym *all = (Elf64_Sym *)(void *)(f->bytes + table->sh_offset);
	const char *names =
		(const char *)f->bytes + edit_lies_section_header(f, table->sh_link)->sh_offset;
	for (size_t i = 0; i < table->sh_size / sizeof *all; i++)
		if (!strcmp(names + all[i].st_name, name))
			return &all[i];
	fail_msg("no symbol %s", name);
	return NULL;
}

/* ---- one lie each ---- */
/* The edit fails with `says` or, if NULL, leaves a function alone. */
static inline void edit_lies_expect_verdict(const struct file *f, const char *what,
                                            const char *says)
{
	struct err err;
	const enum verdict o = edit_lies_try_instrument(f, INSTRUMENT_BB, &err);
	if (o != (says ? REFUSED : LEFT) || (says && !strstr(err.msg, says)))
		fail_msg("%s: should be %s; it is %s '%s'", what, says ? says : "left alone",
		         o == REFUSED    ? "refused"
		         : o == LEFT     ? "left alone"
		         : o == ACCEPTED ? "accepted"
		                         : "harmed",
		         err.msg);
}

/* Gives an lvalue another value during one edit. */
#define LIE(lvalue, value, says)                                                                   \
	do {                                                                                       \
		__typeof__(lvalue) *const at = &(lvalue), was = *at;                               \
		*at = (__typeof__(lvalue))(value);                                                 \
		edit_lies_expect_verdict(&f, #lvalue " = " #value, says);                          \
		*at = was;                                                                         \
	} while (0)

#endif
