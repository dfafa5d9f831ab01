/* loader/edit on damaged files: whatever a file contains, instrumentation ends with a program or a
 * reason, without an access out of bounds. */
#include <stdint.h>

#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/hash.h"
#include "loader/instrument/instrument.h"
#include "loader/program.h"
#include "tests/cases.h"
#include "tests/unit/loader/cross.h"

/* A program with everything that the editor reads: relocations of several types, tables of code
 * addresses and distances, unwind tables, data between code. */
static const char guest_text[] =
	".text\n.globl _start, f, g\n_start:\n.option push\n.option norelax\nlla gp, "
        "__global_pointer$\n.option pop\nli a0, 5\ncall f\nli a7, 93\necall\n"
	".type f, @function\nf: .cfi_startproc\naddi sp, sp, -32\n.cfi_def_cfa_offset 32\nsd ra, "
        "8(sp)\n.cfi_offset 1, -24\nsd s0, 0(sp)\n.cfi_offset 8, -32\n"
	"la a1, table\nld a2, 0(a1)\njalr a2\nlla a1, 9f\nlw a2, 0(a1)\nadd a1, a1, a2\njr "
        "a1\n.balign 8\n9: .word 1f - 9b, 2f - 9b\n"
	"1: bnez a0, 2f\n.cfi_remember_state\naddi a0, a0, 3\nj 3f\n2: addi a0, a0, 1\nlui a3, "
        "%hi(h)\naddi a3, a3, %lo(h)\njalr a3\n3: ld ra, 8(sp)\nld s0, 0(sp)\n.cfi_restore 1\n"
	".cfi_restore 8\naddi sp, sp, 32\n.cfi_def_cfa_offset 0\nret\n.cfi_restore_state\nj "
        "3b\n.cfi_endproc\n.size f, . - f\n"
	".type g, @function\ng: .cfi_startproc\nbeqz a0, 1f\naddi a0, a0, 2\n1: tail "
        "h\n.cfi_endproc\n.size g, . - g\n.type h, @function\nh: ret\n.size h, . - h\n"
	".data\n.balign 8\ntable: .dword g\n.word h, 1f - g\n1: .half 1b - table\n";

struct file {
	uint8_t *bytes;
	size_t n;
};

static struct file edit_damage_read_file(const char *path)
{
	struct file f = {0};
	FILE *in = fopen(path, "rb");
	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	f.n = (size_t)ftell(in);
	rewind(in);
	f.bytes = malloc(f.n);
	assert_non_null(f.bytes);
	assert_int_equal(fread(f.bytes, 1, f.n, in), f.n);
	fclose(in);
	return f;
}

/* True if the result is a program. */
static bool edit_damage_try_instrument(const struct file *f, unsigned kind)
{
	struct err err = {""};
	uint8_t *copy = malloc(f->n + 1);
	assert_non_null(copy);
	memcpy(copy, f->bytes, f->n);
	struct program *p = program_from_bytes(copy, f->n, "damaged", &err), *q = NULL;
	if (p) {
		const struct instrument_options o = {.what = {{(enum instrument_kind)kind, -1}},
		                                     .count = 1};
		q = instrument_program(p, &o, NULL, NULL, NULL, &err);
	}
	const bool good = q != NULL;
	if (!good)
		assert_true(err.msg[0]);
	/* The editor must refuse before it reaches this process's limit on files. */
	if (!good && strstr(err.msg, "cannot write data to file"))
		fail_msg("%s", err.msg);
	program_free(q);
	program_free(p);
	free(copy);
	return good;
}

static uint64_t edit_damage_read_word(const struct file *f, size_t at, unsigned n)
{
	uint64_t value = 0;
	memcpy(&value, f->bytes + at, n);
	return value;
}

/* A random place in the file header, in program or section headers, or in a section that the editor
 * reads. */
static size_t edit_damage_choose_offset(const struct file *f, uint64_t *random)
{
	const uint64_t shoff = edit_damage_read_word(f, 0x28, 8),
		       count = edit_damage_read_word(f, 0x3c, 2), r = hash_splitmix64_next(random);
	if (r % 8 == 0)
		return r / 8 % 64;
	if (r % 8 == 1)
		return 64 + r / 8 % (56 * edit_damage_read_word(f, 0x38, 2));
	if (r % 8 <= 3)
		return shoff + r / 8 % (64 * count);
	for (;;) {
		const uint64_t section = shoff + 64 * (hash_splitmix64_next(random) % count);
		const uint64_t at = edit_damage_read_word(f, section + 24, 8),
			       size = edit_damage_read_word(f, section + 32, 8);
		if (edit_damage_read_word(f, section + 4, 4) != SHT_NOBITS && size &&
		    at + size <= f->n)
			return at + hash_splitmix64_next(random) % size;
	}
}

static unsigned edit_damage_round_count(void)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return scale && !strcmp(scale, "long") ? 10000 : 2000;
}

static struct file edit_damage_build_guest(struct cross *c)
{
	assert_true(cross_build(c, "S", guest_text,
	                        "-nostdlib -static -Wl,--emit-relocs -Wl,--eh-frame-hdr"));
	struct file f = edit_damage_read_file(c->program);
	assert_true(edit_damage_try_instrument(&f, INSTRUMENT_BB));
	return f;
}

TEST(flipped_bytes_are_survived)
{
	struct cross c;
	uint64_t random = 1;
	unsigned good = 0, all = edit_damage_round_count();
	if (!cross_available())
		skip();
	struct file f = edit_damage_build_guest(&c);
	for (unsigned i = 0; i < all; i++) {
		size_t at[3];
		uint8_t was[3];
		const unsigned n = 1 + (unsigned)(hash_splitmix64_next(&random) % 3);
		for (unsigned k = 0; k < n; k++)
			at[k] = edit_damage_choose_offset(&f, &random); /* of the undamaged file */
		for (unsigned k = 0; k < n; k++) {
			const uint64_t r = hash_splitmix64_next(&random);
			was[k] = f.bytes[at[k]];
			f.bytes[at[k]] = (uint8_t)(r & 1 ? r >> 8 : was[k] ^ 1u << (r >> 8 & 7));
		}
		good += edit_damage_try_instrument(
			&f, INSTRUMENT_NOTHING + (unsigned)(hash_splitmix64_next(&random) %
		                                            INSTRUMENT_KIND_COUNT));
		for (unsigned k = n; k-- > 0;)
			f.bytes[at[k]] = was[k];
	}
	/* Some flips are harmless, and some rejected. */
	assert_in_range(good, all / 20, all - all / 20);
	free(f.bytes);
	cross_remove(&c);
}

TEST(cut_files_are_survived)
{
	struct cross c;
	if (!cross_available())
		skip();
	struct file f = edit_damage_build_guest(&c), part = f;
	for (part.n = 0; part.n < f.n; part.n += 1 + f.n / edit_damage_round_count())
		assert_false(edit_damage_try_instrument(&part, INSTRUMENT_BB));
	free(f.bytes);
	cross_remove(&c);
}

/* Alignments must be powers of two, and too small to fill the disk. */
TEST(strange_alignments_are_refused)
{
	static const uint64_t strange[] = {3, 1 << 20 | 1, UINT64_C(1) << 40};
	struct cross c;
	if (!cross_available())
		skip();
	struct file f = edit_damage_build_guest(&c);
	const uint64_t shoff = edit_damage_read_word(&f, 0x28, 8);
	for (uint64_t i = 1; i < edit_damage_read_word(&f, 0x3c, 2); i++) {
		const uint64_t at = shoff + 64 * i + 48, was = edit_damage_read_word(&f, at, 8);
		for (unsigned k = 0; k < sizeof strange / sizeof *strange; k++) {
			memcpy(f.bytes + at, &strange[k], 8);
			assert_false(edit_damage_try_instrument(&f, INSTRUMENT_NOTHING));
		}
		memcpy(f.bytes + at, &was, 8);
	}
	free(f.bytes);
	cross_remove(&c);
}

/* Unloaded sections ignore large alignments, however many sections there are. */
TEST(alignments_cost_a_page_at_most)
{
	struct cross c;
	if (!cross_available())
		skip();
	struct file f = edit_damage_build_guest(&c);
	const uint64_t shoff = edit_damage_read_word(&f, 0x28, 8), line = 1 << 21;
	for (uint64_t i = 1; i < edit_damage_read_word(&f, 0x3c, 2); i++)
		if (!(edit_damage_read_word(&f, shoff + 64 * i + 8, 8) & SHF_ALLOC))
			memcpy(f.bytes + shoff + 64 * i + 48, &line, 8);
	assert_true(edit_damage_try_instrument(&f, INSTRUMENT_NOTHING));
	free(f.bytes);
	cross_remove(&c);
}

/* A section that lies far past the file's end would have the new file filled up to it: an empty
 * one, and an unused header, too. */
TEST(sections_far_away_fill_nothing)
{
	struct cross c;
	unsigned empty = 0;
	if (!cross_available())
		skip();
	struct file f = edit_damage_build_guest(&c);
	const uint64_t shoff = edit_damage_read_word(&f, 0x28, 8), far = UINT64_C(1) << 49,
		       none = 0;
	for (uint64_t i = 1; i < edit_damage_read_word(&f, 0x3c, 2); i++) {
		uint8_t *head = f.bytes + shoff + 64 * i;
		uint8_t was[64];
		memcpy(was, head, sizeof was);
		memcpy(head + 24, &far, 8);
		memcpy(head + 32, &none, 8);
		if (edit_damage_read_word(&f, shoff + 64 * i + 4, 4) != SHT_NOBITS) {
			assert_false(edit_damage_try_instrument(&f, INSTRUMENT_NOTHING));
			empty++;
		}
		memcpy(head + 4, &none, 4);
		edit_damage_try_instrument(&f, INSTRUMENT_NOTHING); /* some are needed */
		memcpy(head, was, sizeof was);
		/* A section without bytes in the file adds none, whatever size it claims. */
		memcpy(head + 4, &(uint32_t){SHT_NOBITS}, 4);
		memcpy(head + 32, &(uint64_t){UINT64_C(1) << 40}, 8);
		edit_damage_try_instrument(&f, INSTRUMENT_NOTHING);
		memcpy(head, was, sizeof was);
	}
	assert_true(empty > 3 && edit_damage_try_instrument(&f, INSTRUMENT_NOTHING));
	free(f.bytes);
	cross_remove(&c);
}

/* Sections that overlap in the file would be copied several times. */
TEST(sections_that_overlap_are_refused)
{
	struct cross c;
	unsigned others = 0;
	if (!cross_available())
		skip();
	struct file f = edit_damage_build_guest(&c);
	const uint64_t shoff = edit_damage_read_word(&f, 0x28, 8), none = 0;
	for (uint64_t i = 1; i < edit_damage_read_word(&f, 0x3c, 2); i++) {
		uint8_t *head = f.bytes + shoff + 64 * i;
		/* SHT_RISCV_ATTRIBUTES: nothing needs it */
		if (edit_damage_read_word(&f, shoff + 64 * i + 4, 4) != 0x70000003)
			continue;
		uint8_t was[64];
		memcpy(was, head, sizeof was);
		memcpy(head + 24, &none, 8);
		memcpy(head + 32, &(uint64_t){f.n}, 8);
		assert_false(edit_damage_try_instrument(&f, INSTRUMENT_NOTHING));
		memcpy(head, was, sizeof was);
		others++;
	}
	assert_true(others == 1 && edit_damage_try_instrument(&f, INSTRUMENT_NOTHING));
	free(f.bytes);
	cross_remove(&c);
}

/* An unknown section may mean that something moves. */
TEST(unknown_relocations_are_refused)
{
	struct cross c;
	unsigned changed = 0;
	if (!cross_available())
		skip();
	struct file f = edit_damage_build_guest(&c);
	const uint64_t shoff = edit_damage_read_word(&f, 0x28, 8);
	for (uint64_t i = 0; i < edit_damage_read_word(&f, 0x3c, 2); i++) {
		const uint64_t section = shoff + 64 * i,
			       at = edit_damage_read_word(&f, section + 24, 8),
			       size = edit_damage_read_word(&f, section + 32, 8);
		for (uint64_t k = at;
		     edit_damage_read_word(&f, section + 4, 4) == SHT_RELA && k < at + size;
		     k += sizeof(Elf64_Rela)) {
			const uint64_t type = edit_damage_read_word(&f, k + 8, 4);
			/* These types move nothing. */
			if (type == R_RISCV_NONE || type == R_RISCV_RELAX)
				continue;
			f.bytes[k + 8] = 61; /* R_RISCV_SUB_ULEB128, which newer assemblers write */
			assert_false(edit_damage_try_instrument(&f, INSTRUMENT_NOTHING));
			f.bytes[k + 8] = (uint8_t)type;
			changed++;
		}
	}
	assert_true(changed > 10);
	free(f.bytes);
	cross_remove(&c);
}

/* Limits files, so that none fills the disk. */
static int edit_damage_limit_files(__attribute__((unused)) void **state)
{
	const struct rlimit most = {4 << 20, 4 << 20};
	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &most);
}

TEST_GROUP(edit_damage_limit_files, NULL)
