/* loader/edit on false relocations: the editor compares each with the instruction at its address.
 */
#include "tests/unit/loader/edit_lies.h"

/* Stride over the false relocations; 1 in builds that try all. */
static unsigned edit_relocations_stride(void)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return scale && !strcmp(scale, "long") ? 1 : 13;
}

/* Finds the first relocation of an instruction. */
static Elf64_Rela *edit_relocations_find_at(const struct file *f, uint64_t at)
{
	size_t n;
	Elf64_Rela *all =
		edit_lies_relocation_table(f, edit_lies_find_section(f, ".rela.text"), &n);
	for (size_t k = 0; k < n; k++)
		if (all[k].r_offset == at)
			return &all[k];
	fail_msg("no relocation there");
	return NULL;
}

static uint32_t symbol_index(const struct file *f, const Elf64_Sym *s)
{
	return (uint32_t)(s - (const Elf64_Sym *)(const void *)(f->bytes +
	                                                        edit_lies_section_header(
									f, edit_lies_find_section(
										   f, ".symtab"))
	                                                                ->sh_offset));
}

TEST(relocations_are_held_against_bytes)
{
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	edit_lies_build_guest(&c, &f, "-Wl,--no-relax");
	const uint32_t x = symbol_index(&f, edit_lies_find_symbol(&f, "x")),
		       here = symbol_index(&f, edit_lies_find_symbol(&f, "here"));
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64)->r_addend, 4,
	    "relocation R_RISCV_64 at 0x");
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_32)->r_offset,
	    edit_lies_find_relocation(&f, ".rela.data", R_RISCV_32)->r_offset + 6, "damaged");
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_SUB16)->r_info, R_RISCV_NONE,
	    "relocation R_RISCV_ADD16 at 0x");
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_ADD16)->r_info,
	    ELF64_R_INFO(1, R_RISCV_ADD32), "fields of different sizes");
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64)->r_info,
	    edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64)->r_info - R_RISCV_64 +
	            R_RISCV_ADD8,
	    "no address fits into its field");
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64)->r_info,
	    edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64)->r_info - R_RISCV_64 +
	            R_RISCV_SET16,
	    "no address fits into its field");
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64)->r_info,
	    ELF64_R_INFO(1, R_RISCV_RELATIVE), "which the editor doesn't know");
	LIE(edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64)->r_info,
	    ELF64_R_INFO(1, R_RISCV_SET6), "unwind tables");
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_BRANCH)->r_offset,
	    edit_lies_find_relocation(&f, ".rela.text", R_RISCV_BRANCH)->r_offset + 4, NULL);
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_RVC_JUMP)->r_info,
	    ELF64_R_INFO(
		    ELF64_R_SYM(
			    edit_lies_find_relocation(&f, ".rela.text", R_RISCV_RVC_JUMP)->r_info),
		    R_RISCV_JAL),
	    NULL);
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_TPREL_ADD)->r_info,
	    ELF64_R_INFO(here, R_RISCV_TPREL_ADD), NULL);
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_GOT_HI20)->r_info,
	    ELF64_R_INFO(x, R_RISCV_GOT_HI20), NULL);
	/* A half whose other half is missing or does not match. */
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_PCREL_LO12_I)->r_info, R_RISCV_NONE,
	    "is half of an address");
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_HI20)->r_info,
	    ELF64_R_INFO(symbol_index(&f, edit_lies_find_symbol(&f, "g")), R_RISCV_HI20), NULL);
	LIE(edit_relocations_find_at(&f, edit_lies_find_symbol(&f, "low")->st_value)->r_offset,
	    edit_lies_find_symbol(&f, "other")->st_value, "is half of an address");
	LIE(edit_relocations_find_at(&f, edit_lies_find_symbol(&f, "low")->st_value)->r_info,
	    edit_lies_find_relocation(&f, ".rela.text", R_RISCV_PCREL_LO12_I)->r_info,
	    "is not the one that another low part of its auipc has");
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_PCREL_HI20)->r_info, R_RISCV_NONE,
	    "no relocation");
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_HI20)->r_info, R_RISCV_NONE, NULL);
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_LO12_I)->r_info, R_RISCV_NONE,
	    NULL);
	LIE(edit_lies_find_relocation(&f, ".rela.text", R_RISCV_BRANCH)->r_offset,
	    edit_lies_find_relocation(&f, ".rela.text", R_RISCV_BRANCH)->r_offset + 1,
	    "where no instruction begins");
	edit_lies_release_guest(&c, &f);
}

/* A function that is left alone gets no code, and no counter. */
TEST(denied_functions_get_no_code)
{
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	edit_lies_build_guest(&c, &f, "-Wl,--no-relax");
	uint64_t moved = 0; /* bytes where nothing is put in */
	for (unsigned kind = INSTRUMENT_NOTHING; kind <= INSTRUMENT_EDGE; kind++) {
		const struct instrument_options o = {
			.what = {{(enum instrument_kind)kind, -1}}, .count = 1, .functions = "f"};
		struct instrument_summary sum[2];
		struct err err = {""};
		for (unsigned lie = 0; lie < 2; lie++) {
			Elf64_Rela *r = edit_lies_find_relocation(&f, ".rela.text", R_RISCV_BRANCH);
			r->r_offset += lie ? 4 : 0;
			struct program *p = program_from_bytes(f.bytes, f.n, "lying", &err),
				       *q = p ? instrument_program(p, &o, &sum[lie], NULL, NULL,
			                                           &err)
			                      : NULL;
			r->r_offset -= lie ? 4 : 0;
			if (!q)
				fail_msg("kind %u: %s", kind, err.msg);
			assert_int_equal(edit_lies_run_program(q), f.status);
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
	edit_lies_release_guest(&c, &f);
}

/* More false relocations than the editor would check one by one. */
TEST(too_many_lies)
{
	static const char text[] = ".text\n.globl _start\n.type _start, @function\n_start: li a0, "
	                           "0\n.option norvc\n.rept 300\nbeqz a0, 1f\n.endr\n1: li a7, "
	                           "93\necall\n.size _start, . - _start\n";
	struct cross c;
	struct file f;
	struct err err;
	if (!cross_available())
		skip();
	assert_true(cross_build(&c, "S", text, "-nostdlib -static -Wl,--emit-relocs"));
	edit_lies_read_file(c.program, &f);
	f.status = 0;
	size_t n;
	Elf64_Rela *all =
		edit_lies_relocation_table(&f, edit_lies_find_section(&f, ".rela.text"), &n);
	assert_true(n >= 300);
	for (size_t k = 0; k < n; k++) {
		if (k == 256)
			edit_lies_expect_verdict(&f, "256 of them", NULL);
		all[k].r_info = ELF64_R_INFO(ELF64_R_SYM(all[k].r_info), R_RISCV_JAL);
	}
	edit_lies_expect_verdict(&f, "300 of them",
	                         "more than 256 relocations do not match the code");
	assert_int_equal(edit_lies_try_instrument(&f, INSTRUMENT_BB, &err), REFUSED);
	edit_lies_release_guest(&c, &f);
}

/* Each relocation determines the bytes at its place: adding two to the addend is a mismatch. */
TEST(each_addend_is_held_against_bytes)
{
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
		edit_lies_build_guest(&c, &f, flags[round]);
		const Elf64_Ehdr *eh = (const void *)f.bytes;
		for (unsigned s = 1; s < eh->e_shnum; s++) {
			size_t n = 0;
			/* The editor reads unwind tables without their relocations. */
			Elf64_Rela *all = edit_lies_section_header(&f, s)->sh_type == SHT_RELA &&
			                                  strcmp(edit_lies_section_name(&f, s),
			                                         ".rela.eh_frame")
			                          ? edit_lies_relocation_table(&f, s, &n)
			                          : NULL;
			for (size_t k = 0; k < n; k++) {
				const uint32_t type = (uint32_t)ELF64_R_TYPE(all[k].r_info);
				if (type == R_RISCV_NONE || type == R_RISCV_RELAX ||
				    type == R_RISCV_ALIGN || type == R_RISCV_TPREL_ADD)
					continue;
				/* 4 KB more change the high part, too. */
				all[k].r_addend += 0x1002;
				if (edit_lies_try_instrument(&f, INSTRUMENT_BB, &err) == ACCEPTED)
					if (type != R_RISCV_LO12_I ||
					    ELF64_R_SYM(all[k].r_info)) /* equal low parts */
						fail_msg("relocation %zu of %s, type %u, is "
						         "believed",
						         k, edit_lies_section_name(&f, s), type);
				all[k].r_addend -= 0x1002;
				seen[type]++;
			}
		}
		edit_lies_release_guest(&c, &f);
	}
	for (unsigned k = 0; k < sizeof types; k++)
		if (!seen[types[k]])
			fail_msg("no relocation of type %u", types[k]);
}

/* Each relocation with any type and any symbol: an accepted program runs as before. */
TEST(what_is_believed_harms_nothing)
{
	static const char *const flags[] = {"", "-Wl,--no-relax"};
	unsigned count[HARMED + 1] = {0}, turn = 0, apart = edit_relocations_stride();
	for (unsigned round = 0; round < 2; round++) {
		struct cross c;
		struct file f;
		struct err err;
		if (!cross_available())
			skip();
		edit_lies_build_guest(&c, &f, flags[round]);
		const Elf64_Ehdr *eh = (const void *)f.bytes;
		const uint32_t symbols =
				       (uint32_t)(edit_lies_section_header(
							  &f, edit_lies_find_section(&f, ".symtab"))
		                                          ->sh_size /
		                                  sizeof(Elf64_Sym)),
			       types = R_RISCV_32_PCREL + 2;
		for (unsigned s = 1; s < eh->e_shnum; s++) {
			size_t n = 0;
			Elf64_Rela *all = edit_lies_section_header(&f, s)->sh_type == SHT_RELA
			                          ? edit_lies_relocation_table(&f, s, &n)
			                          : NULL;
			for (size_t k = 0; k < n; k++) {
				const Elf64_Rela was = all[k];
				for (uint32_t i = turn++ % apart; i < types + symbols + 1;
				     i += apart) {
					all[k].r_info =
						i < types ? ELF64_R_INFO(ELF64_R_SYM(was.r_info), i)
							  : ELF64_R_INFO(i - types,
					                                 ELF64_R_TYPE(was.r_info));
					const enum verdict v = edit_lies_try_instrument(
						&f, (enum instrument_kind)(turn % 3), &err);
					count[v]++;
					if (v == HARMED)
						print_error("%s: relocation %zu of %s at 0x%llx: "
						            "symbol %u, type %u -> symbol %u, type "
						            "%u\n",
						            flags[round], k + 1,
						            edit_lies_section_name(&f, s),
						            (unsigned long long)was.r_offset,
						            (unsigned)ELF64_R_SYM(was.r_info),
						            (unsigned)ELF64_R_TYPE(was.r_info),
						            (unsigned)ELF64_R_SYM(all[k].r_info),
						            (unsigned)ELF64_R_TYPE(all[k].r_info));
				}
				all[k] = was;
			}
		}
		edit_lies_release_guest(&c, &f);
	}
	assert_int_equal(count[HARMED], 0);
	assert_true(count[ACCEPTED] > 50 && count[REFUSED] > 50 && count[LEFT] > 50);
}
