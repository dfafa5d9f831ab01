/* loader/edit on files that lie: sections, symbols and unwind tables are checked against the
 * bytes. */
#include "tests/unit/loader/edit_lies.h"

TEST(sections_are_held_against_segments)
{
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	edit_lies_build_guest(&c, &f, "-Wl,--build-id");
	Elf64_Shdr *text = edit_lies_section_header(&f, edit_lies_find_section(&f, ".text")),
		   *data = edit_lies_section_header(&f, edit_lies_find_section(&f, ".data")),
		   *rela = edit_lies_section_header(&f, edit_lies_find_section(&f, ".rela.text"));
	Elf64_Shdr *bss = edit_lies_section_header(&f, edit_lies_find_section(&f, ".bss")),
		   *symtab = edit_lies_section_header(&f, edit_lies_find_section(&f, ".symtab")),
		   *other = edit_lies_section_header(&f, edit_lies_find_section(&f, ".rela.data"));
	LIE(text->sh_addr, text->sh_addr - 4, "section .text is not where its segment has it");
	LIE(text->sh_offset, text->sh_offset - 4, "section .text is not where its segment has it");
	LIE(text->sh_size, text->sh_size - 4, "damaged");
	LIE(text->sh_flags, SHF_ALLOC, "kept no relocations");
	LIE(text->sh_type, SHT_NOTE,
	    ".rela.text has relocations of .text, which is no code that moves");
	LIE(data->sh_addr, UINT64_C(1) << 40, "section .data lies in no segment that is loaded");
	LIE(data->sh_flags, SHF_WRITE, "belongs to no section");
	LIE(data->sh_type, SHT_NOBITS, "section .data is marked as empty");
	LIE(data->sh_size, data->sh_size - 4, "belongs to no section");
	LIE(data->sh_size, data->sh_size + 8, "section .data overlaps the next one");
	LIE(data->sh_flags, SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR,
	    "section .data is marked as code, but its segment is not executable");
	LIE(edit_lies_section_header(&f, edit_lies_find_section(&f, ".rodata"))->sh_flags,
	    SHF_ALLOC | SHF_EXECINSTR, "no symbol or relocation names code in it");
	assert_string_equal(edit_lies_section_name(&f, 1), ".note.gnu.build-id");
	edit_lies_section_header(&f, 1)->sh_type = SHT_PROGBITS;
	LIE(edit_lies_section_header(&f, 1)->sh_flags, SHF_ALLOC | SHF_EXECINSTR,
	    "no symbol or relocation names code in it");
	edit_lies_section_header(&f, 1)->sh_type = SHT_NOTE;
	LIE(data->sh_addralign, 1 << 20,
	    "section .data does not lie at a multiple of its alignment");
	LIE(bss->sh_type, SHT_PROGBITS, "section .bss is not where its segment has it");
	LIE(rela->sh_entsize, 12, "the relocations in .rela.text name no section");
	LIE(rela->sh_link, 1, "the relocations in .rela.text name no section");
	LIE(rela->sh_info, 0, "the relocations in .rela.text name no section");
	LIE(rela->sh_size, rela->sh_size - 8,
	    "the relocations in .rela.text name no section");
	LIE(other->sh_type, SHT_PROGBITS, "section .rela.data has no relocations");
	LIE(other->sh_info, symtab->sh_link, "outside its section");
	LIE(other->sh_type, SHT_SYMTAB, "two tables of symbols");
	LIE(symtab->sh_link, edit_lies_find_section(&f, ".text"), "damaged table of symbol names");
	LIE(symtab->sh_link, edit_lies_find_section(&f, ".shstrtab"),
	    "has a name outside the table of names");
	LIE(edit_lies_section_header(&f, symtab->sh_link)->sh_offset,
	    edit_lies_section_header(&f, symtab->sh_link)->sh_offset + 1,
	    "damaged table of symbol names");
	edit_lies_release_guest(&c, &f);
}

/* Sections' names identify unwind tables. */
TEST(unwind_tables_are_where_the_program_looks)
{
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	edit_lies_build_guest(&c, &f, "-Wl,--eh-frame-hdr");
	Elf64_Shdr *index = edit_lies_section_header(&f,
	                                             edit_lies_find_section(&f, ".eh_frame_hdr")),
		   *frames = edit_lies_section_header(&f, edit_lies_find_section(&f, ".eh_frame")),
		   *text = edit_lies_section_header(&f, edit_lies_find_section(&f, ".text"));
	LIE(index->sh_name, text->sh_name, "no section .eh_frame_hdr is there");
	LIE(frames->sh_name, text->sh_name, "where no section .eh_frame is");
	Elf64_Sym *frame = edit_lies_find_symbol(&f, "__EH_FRAME_BEGIN__");
	LIE(frame->st_shndx, edit_lies_find_section(&f, ".data"), "is where unwind tables begin");
	/* .eh_frame_hdr: version, encodings of the tables' address, of the number of rows and of
	 * the rows; then the address and the number. */
	static const char kind[] = ".eh_frame_hdr has an unknown encoding";
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
	edit_lies_release_guest(&c, &f);
}

TEST(symbols_are_held_against_sections)
{
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	edit_lies_build_guest(&c, &f, "");
	Elf64_Sym *g = edit_lies_find_symbol(&f, "g"), *k = edit_lies_find_symbol(&f, "k"),
		  *h = edit_lies_find_symbol(&f, "h"), *x = edit_lies_find_symbol(&f, "x"),
		  *fn = edit_lies_find_symbol(&f, "f"), *here = edit_lies_find_symbol(&f, "here");
	const Elf64_Shdr *text = edit_lies_section_header(&f, edit_lies_find_section(&f, ".text"));
	/* No relocation names the entry. */
	Elf64_Sym *start = edit_lies_find_symbol(&f, "_start");
	LIE(start->st_value, start->st_value + 1, "symbol _start (0x");
	LIE(start->st_value, start->st_value + 2, "is a function where no instruction begins");
	LIE(start->st_value, text->sh_addr + text->sh_size + 2, "lies outside its section");
	LIE(start->st_shndx, edit_lies_find_section(&f, ".data"),
	    "lies in code, but belongs to another section");
	LIE(start->st_shndx, SHN_ABS, "lies in code, but belongs to another section");
	LIE(start->st_shndx, 99, "lies in no section");
	LIE(here->st_info, ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
	    "is a function where no code can be");
	LIE(g->st_shndx, SHN_UNDEF, "has a value, but is defined nowhere");
	LIE(k->st_size, k->st_size + 4, "reaches over the end of its section");
	LIE(g->st_value, g->st_value + 4, "expects 0x");
	LIE(g->st_info, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
	    "is marked as no function, but lies in code");
	LIE(g->st_info, ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC),
	    "is an indirect function, but nothing calls its resolver");
	LIE(g->st_info, ELF64_ST_INFO(STB_GLOBAL, STT_TLS),
	    "is thread-local, but its section isn't");
	LIE(fn->st_value, start->st_value + 4, "is not where relocations need it");
	LIE(x->st_info, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), NULL);
	Elf64_Sym *data = edit_lies_find_symbol(&f, "$d");
	LIE(data->st_value, k->st_value, "leads to a place without an instruction");
	/* Two overlapping functions are both left alone. */
	LIE(g->st_size, g->st_size + 2, NULL);
	LIE(fn->st_size, fn->st_size + g->st_size + h->st_size - 2, NULL);
	/* A section's addend, and a smaller value in its user: together they give the original. */
	Elf64_Sym *all = (Elf64_Sym *)(void *)(f.bytes +
	                                       edit_lies_section_header(
						       &f, edit_lies_find_section(&f, ".symtab"))
	                                               ->sh_offset),
		  *of_text = all;
	while (ELF64_ST_TYPE(of_text->st_info) != STT_SECTION ||
	       of_text->st_shndx != edit_lies_find_section(&f, ".text"))
		of_text++;
	Elf64_Rela *word = edit_lies_find_relocation(&f, ".rela.data", R_RISCV_64);
	const Elf64_Rela before = *word;
	word->r_info = ELF64_R_INFO((uint32_t)(of_text - all), R_RISCV_64);
	word->r_addend = (int64_t)(g->st_value - text->sh_addr);
	struct err told;
	assert_int_equal(edit_lies_try_instrument(&f, INSTRUMENT_BB, &told), ACCEPTED);
	word->r_addend -= 4;
	LIE(of_text->st_value, of_text->st_value + 4, "does not lie where its section begins");
	*word = before;
	/* A symbol that is no function by type, but has a size, is one. */
	struct err err;
	k->st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
	assert_int_equal(edit_lies_try_instrument(&f, INSTRUMENT_EDGE, &err), ACCEPTED);
	edit_lies_release_guest(&c, &f);
}

/* The function's end. If its last instruction is a call that does not return, its symbol alone does
 * not show the end. */
static uint64_t edit_lies_function_end(const struct file *f, const char *name)
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

TEST(ends_are_believed_before_padding)
{
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	edit_lies_build_guest(&c, &f, "");
	Elf64_Sym *s = edit_lies_find_symbol(&f, "f");
	assert_int_equal(edit_lies_function_end(&f, "f"), s->st_value + s->st_size);
	s->st_size -= 2;
	assert_int_equal(edit_lies_function_end(&f, "f"), 0);
	edit_lies_release_guest(&c, &f);
}

/* The first word of this section, with counters of blocks put in. */
static uint64_t edit_lies_new_word(const struct file *f, const char *section)
{
	const struct instrument_options o = {.what = {{INSTRUMENT_BB, -1}}, .count = 1};
	struct err err;
	struct file new = {0};
	void *bytes = NULL;
	uint64_t word;
	struct program *p = program_from_bytes(f->bytes, f->n, "guest", &err),
		       *q = instrument_program(p, &o, NULL, &bytes, &new.n, &err);
	if (!q)
		fail_msg("%s", err.msg);
	new.bytes = bytes;
	memcpy(&word,
	       new.bytes + edit_lies_section_header(&new, edit_lies_find_section(&new, section))
				   ->sh_offset,
	       sizeof word);
	free(new.bytes);
	program_free(q);
	program_free(p);
	return word;
}

/* An address in an unloaded section is updated when its target moves, unless the field does not
 * match. */
TEST(fields_that_are_not_loaded_may_lie)
{
	static const char more[] = ".section .lists\n.dword h\n";
	char text[sizeof guest_text + sizeof more];
	struct cross c;
	struct file f;
	if (!cross_available())
		skip();
	snprintf(text, sizeof text, "%s%s", guest_text, more);
	assert_true(cross_build(&c, "S", text, "-nostdlib -static -Wl,--emit-relocs"));
	edit_lies_read_file(c.program, &f);
	const uint64_t was = edit_lies_find_symbol(&f, "h")->st_value;
	assert_true(edit_lies_new_word(&f, ".lists") > was);
	edit_lies_find_relocation(&f, ".rela.lists", R_RISCV_64)->r_addend += 2;
	assert_int_equal(edit_lies_new_word(&f, ".lists"), was);
	edit_lies_release_guest(&c, &f);
}
