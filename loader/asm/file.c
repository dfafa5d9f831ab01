/* The executable: an ELF file with a segment for code, read-only data and data, with symbols and
 * source lines. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/asm/asm_priv.h"
#include "loader/assembled_note.h"

enum { PAGE = 0x1000, NAMES = 14, EF_RVC = 1, EF_DOUBLE_FLOATS = 4 };

enum {
	AT_NONE,
	AT_TEXT,
	AT_RODATA,
	AT_TDATA,
	AT_TBSS,
	AT_DATA,
	AT_BSS,
	AT_ASSEMBLED,
	AT_LINE,
	AT_INFO,
	AT_ABBREV,
	AT_SYMTAB,
	AT_STRTAB,
	AT_NAMES
};
static const char *const names[NAMES] = {
	"",        ".text",           ".rodata",     ".tdata",      ".tbss",         ".data",
	".bss",    ASSEMBLED_SECTION, ".debug_line", ".debug_info", ".debug_abbrev", ".symtab",
	".strtab", ".shstrtab"};

/* The bytes and addresses of each kind of section. */
struct extent {
	uint64_t from, to;
	bool any;
};

static void asm_file_compute_extents(const struct assembler *a, struct extent *out)
{
	memset(out, 0, SECTION_KINDS * sizeof *out);
	for (uint32_t i = 0; i < a->section_count; i++) {
		const struct section *s = &a->sections[i];
		if (s->kind == SECTION_DROPPED || !s->size)
			continue;
		struct extent *e = &out[s->kind];
		if (!e->any || s->addr < e->from)
			e->from = s->addr;
		if (!e->any || s->addr + s->size > e->to)
			e->to = s->addr + s->size;
		e->any = true;
	}
}

static bool asm_file_find_code_symbol(const struct assembler *a, const char *name, uint64_t *addr)
{
	for (uint32_t i = 1; i < a->symbol_count; i++) {
		const struct symbol *s = &a->symbols[i];
		if (s->state != SYMBOL_PLACE || strcmp(s->name, name) != 0)
			continue;
		*addr = symbol_address(a, s);
		return a->sections[s->section].kind == SECTION_TEXT;
	}
	return false;
}

static size_t asm_file_symbol_bytes(const struct assembler *a)
{
	return a->rv32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

static void asm_file_put_symbol(const struct assembler *a, struct bytes *symbols,
                                const Elf64_Sym *s)
{
	const Elf32_Sym narrow = {.st_name = s->st_name,
	                          .st_value = (uint32_t)s->st_value,
	                          .st_size = (uint32_t)s->st_size,
	                          .st_info = s->st_info,
	                          .st_other = s->st_other,
	                          .st_shndx = s->st_shndx};
	bytes_put(symbols, a->rv32 ? (const void *)&narrow : s, asm_file_symbol_bytes(a));
}

static void put_symbol(struct assembler *a, struct symbol *s, struct bytes *symbols,
                       struct bytes *strings)
{
	Elf64_Sym out = {.st_name = (uint32_t)strings->n, .st_size = s->size};
	bool local = false;
	if (s->state == SYMBOL_PLACE) {
		const unsigned kind = a->sections[s->section].kind;
		if (kind == SECTION_DROPPED)
			return;
		local = kind == SECTION_TDATA || kind == SECTION_TBSS;
		out.st_shndx = (uint16_t)(AT_TEXT + kind);
		out.st_value = symbol_address(a, s) - (local ? a->tls : 0);
	} else {
		out.st_shndx = SHN_ABS;
		if (!value_resolve(a, &s->value, NULL, &out.st_value))
			return;
	}
	out.st_info = (unsigned char)ELF64_ST_INFO(s->global ? STB_GLOBAL
	                                           : s->weak ? STB_WEAK
	                                                     : STB_LOCAL,
	                                           local         ? STT_TLS
	                                           : s->function ? STT_FUNC
	                                           : s->object   ? STT_OBJECT
	                                                         : STT_NOTYPE);
	asm_file_put_symbol(a, symbols, &out);
	bytes_put(strings, s->name, strlen(s->name) + 1);
}

/* Writes the symbol table, local symbols first as ELF requires; returns their number. */
static uint32_t symbol_table(struct assembler *a, struct bytes *symbols, struct bytes *strings)
{
	uint32_t locals = 0;
	const Elf64_Sym none = {0};
	asm_file_put_symbol(a, symbols, &none);
	bytes_u8(strings, 0);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 1; i < a->symbol_count; i++) {
			struct symbol *s = &a->symbols[i];
			const bool global = s->global || s->weak;
			if (s->state != SYMBOL_UNDEFINED && !s->imported && !symbol_is_hidden(s) &&
			    global == pass)
				put_symbol(a, s, symbols, strings);
		}
		if (!pass)
			locals = (uint32_t)(symbols->n / asm_file_symbol_bytes(a));
	}
	return locals;
}

/* The place of an address among the loaded bytes. */
static uint64_t asm_file_place(const struct assembler *a, uint64_t addr)
{
	return addr - abi_text_base(a->abi) - (addr >= a->gap_at ? a->gap_bytes : 0);
}

/* Writes the contents of the loaded sections. */
static bool asm_file_emit_loaded_image(struct assembler *a, const struct extent *e,
                                       struct bytes *out)
{
	uint64_t end = abi_text_base(a->abi);
	for (unsigned k = SECTION_TEXT; k <= SECTION_DATA; k++)
		if (e[k].any && e[k].to > end)
			end = e[k].to;
	out->n = out->cap = (size_t)asm_file_place(a, end);
	out->at = alloc_zeroed(1, out->n + 1);
	if (!out->at)
		return asm_out_of_memory(a);
	for (uint32_t i = 0; i < a->section_count && !a->stop; i++) {
		struct section *s = &a->sections[i];
		if (s->kind <= SECTION_DATA && s->size)
			emit_section(a, s, out->at + asm_file_place(a, s->addr));
	}
	return !a->result->message_count;
}

struct file {
	struct bytes out;
	Elf64_Shdr headers[NAMES];
	struct bytes names;
};

static void asm_file_append_elf_section(struct file *f, unsigned at, uint32_t type,
                                        const struct bytes *bytes)
{
	f->headers[at].sh_type = type;
	f->headers[at].sh_offset = f->out.n;
	f->headers[at].sh_size = bytes->n;
	f->headers[at].sh_addralign = 1;
	bytes_put(&f->out, bytes->at, bytes->n);
	while (f->out.n % 8 && !f->out.failed)
		bytes_u8(&f->out, 0);
}

static uint64_t offset_of(const struct assembler *a, uint64_t addr)
{
	return asm_file_place(a, addr) + PAGE;
}

static unsigned asm_file_init_program_headers(const struct assembler *a, const struct extent *e,
                                              Elf64_Phdr *out)
{
	unsigned n = 0;
	const struct extent *const t = &e[SECTION_TDATA], *const b = &e[SECTION_TBSS];
	if (t->any || b->any) {
		const uint64_t from = t->any ? t->from : b->from;
		out[n++] = (Elf64_Phdr){
			.p_type = PT_TLS,
			.p_flags = PF_R,
			.p_offset = offset_of(a, from),
			.p_vaddr = from,
			.p_paddr = from,
			.p_filesz = t->to - t->from,
			.p_memsz = (b->any ? b->to : t->to) - from,
			.p_align = PAGE,
		};
	}
	for (unsigned k = SECTION_TEXT; k <= SECTION_DATA; k++) {
		struct extent all = e[k];
		uint64_t end = all.to;
		if (k == SECTION_DATA && e[SECTION_BSS].any) {
			all.from = all.any ? all.from : e[SECTION_BSS].from;
			all.to = all.any ? all.to : all.from;
			all.any = true;
			end = e[SECTION_BSS].to;
		}
		if (!all.any)
			continue;
		out[n++] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = k == SECTION_TEXT     ? PF_R | PF_X
		                   : k == SECTION_RODATA ? PF_R
		                                         : PF_R | PF_W,
			.p_offset = offset_of(a, all.from),
			.p_vaddr = all.from,
			.p_paddr = all.from,
			.p_filesz = all.to - all.from,
			.p_memsz = end - all.from,
			.p_align = PAGE,
		};
	}
	return n;
}

static void loaded_headers(const struct assembler *a, struct file *f, const struct extent *e)
{
	static const uint64_t flags[] = {
		SHF_ALLOC | SHF_EXECINSTR,       SHF_ALLOC,
		SHF_ALLOC | SHF_WRITE | SHF_TLS, SHF_ALLOC | SHF_WRITE | SHF_TLS,
		SHF_ALLOC | SHF_WRITE,           SHF_ALLOC | SHF_WRITE};
	for (unsigned k = 0; k < SECTION_KINDS; k++)
		f->headers[AT_TEXT + k] = (Elf64_Shdr){
			.sh_type = k == SECTION_BSS ? SHT_NOBITS : SHT_PROGBITS,
			.sh_flags = flags[k],
			.sh_addr = e[k].from,
			.sh_offset = e[k].any ? offset_of(a, e[k].from) : PAGE,
			.sh_size = e[k].to - e[k].from,
			.sh_addralign = k == SECTION_TEXT ? 2 : 8,
		};
}

/* The header, with program headers after it, and section headers at the end of the file. */
static void put_headers64(struct file *f, const Elf64_Ehdr *from, const Elf64_Phdr *ph)
{
	Elf64_Ehdr eh = *from;
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_phoff = eh.e_ehsize = sizeof eh;
	eh.e_phentsize = sizeof *ph;
	eh.e_shentsize = sizeof *f->headers;
	bytes_put(&f->out, f->headers, sizeof f->headers);
	if (f->out.failed)
		return;
	memcpy(f->out.at, &eh, sizeof eh);
	memcpy(f->out.at + sizeof eh, ph, eh.e_phnum * sizeof *ph);
}

static void put_headers32(struct file *f, const Elf64_Ehdr *from, const Elf64_Phdr *wide)
{
	Elf32_Ehdr eh = {.e_type = from->e_type,
	                 .e_machine = from->e_machine,
	                 .e_version = from->e_version,
	                 .e_entry = (uint32_t)from->e_entry,
	                 .e_phoff = sizeof eh,
	                 .e_shoff = (uint32_t)from->e_shoff,
	                 .e_flags = from->e_flags,
	                 .e_ehsize = sizeof eh,
	                 .e_phentsize = sizeof(Elf32_Phdr),
	                 .e_phnum = from->e_phnum,
	                 .e_shentsize = sizeof(Elf32_Shdr),
	                 .e_shnum = from->e_shnum,
	                 .e_shstrndx = from->e_shstrndx};
	memcpy(eh.e_ident, from->e_ident, sizeof eh.e_ident);
	eh.e_ident[EI_CLASS] = ELFCLASS32;
	for (unsigned i = 0; i < NAMES; i++) {
		const Elf64_Shdr *s = &f->headers[i];
		const Elf32_Shdr sh = {.sh_name = s->sh_name,
		                       .sh_type = s->sh_type,
		                       .sh_flags = (uint32_t)s->sh_flags,
		                       .sh_addr = (uint32_t)s->sh_addr,
		                       .sh_offset = (uint32_t)s->sh_offset,
		                       .sh_size = (uint32_t)s->sh_size,
		                       .sh_link = s->sh_link,
		                       .sh_info = s->sh_info,
		                       .sh_addralign = (uint32_t)s->sh_addralign,
		                       .sh_entsize = (uint32_t)s->sh_entsize};
		bytes_put(&f->out, &sh, sizeof sh);
	}
	if (f->out.failed)
		return;
	memcpy(f->out.at, &eh, sizeof eh);
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		const Elf32_Phdr ph = {.p_type = wide[i].p_type,
		                       .p_offset = (uint32_t)wide[i].p_offset,
		                       .p_vaddr = (uint32_t)wide[i].p_vaddr,
		                       .p_paddr = (uint32_t)wide[i].p_paddr,
		                       .p_filesz = (uint32_t)wide[i].p_filesz,
		                       .p_memsz = (uint32_t)wide[i].p_memsz,
		                       .p_flags = wide[i].p_flags,
		                       .p_align = (uint32_t)wide[i].p_align};
		memcpy(f->out.at + sizeof eh + i * sizeof ph, &ph, sizeof ph);
	}
}

static void put_headers(struct assembler *a, struct file *f, const struct extent *e, uint64_t entry)
{
	Elf64_Phdr ph[SECTION_KINDS + 1];
	const unsigned n = asm_file_init_program_headers(a, e, ph);
	const Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASSNONE, ELFDATA2LSB,
	                    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = entry,
		.e_shoff = f->out.n,
		.e_flags = (a->rvc_ever ? EF_RVC : 0) | EF_DOUBLE_FLOATS,
		.e_phnum = (uint16_t)n,
		.e_shnum = NAMES,
		.e_shstrndx = AT_NAMES,
	};
	(a->rv32 ? put_headers32 : put_headers64)(f, &eh, ph);
}

/* Where the text's own instructions end: before what the assembler adds. */
static uint64_t asm_file_text_end(const struct assembler *a, const struct extent *e)
{
	for (uint32_t i = 0; i < a->section_count; i++)
		if (!strcmp(a->sections[i].name, ASM_START_SECTION))
			return a->sections[i].addr;
	return e[SECTION_TEXT].to;
}

static void asm_file_build_elf(struct assembler *a, struct file *f, const struct extent *e,
                               const struct bytes *loaded, uint64_t entry)
{
	static const uint8_t page[PAGE];
	struct bytes line = {0}, info = {0}, abbrev = {0}, symbols = {0}, strings = {0};
	bytes_put(&f->out, page, PAGE);
	bytes_put(&f->out, loaded->at, loaded->n);
	while (f->out.n % 8 && !f->out.failed)
		bytes_u8(&f->out, 0);
	loaded_headers(a, f, e);
	line_table(a, e[SECTION_TEXT].from, e[SECTION_TEXT].to, &line, &info, &abbrev);
	const uint32_t locals = symbol_table(a, &symbols, &strings);
	const struct assembled note = {a->abi, asm_file_text_end(a, e)};
	struct bytes noted = {0};
	bytes_put(&noted, &note, sizeof note);
	asm_file_append_elf_section(f, AT_ASSEMBLED, SHT_PROGBITS, &noted);
	free(noted.at);
	asm_file_append_elf_section(f, AT_LINE, SHT_PROGBITS, &line);
	asm_file_append_elf_section(f, AT_INFO, SHT_PROGBITS, &info);
	asm_file_append_elf_section(f, AT_ABBREV, SHT_PROGBITS, &abbrev);
	asm_file_append_elf_section(f, AT_SYMTAB, SHT_SYMTAB, &symbols);
	f->headers[AT_SYMTAB].sh_addralign = 8;
	f->headers[AT_SYMTAB].sh_entsize = asm_file_symbol_bytes(a);
	f->headers[AT_SYMTAB].sh_link = AT_STRTAB;
	f->headers[AT_SYMTAB].sh_info = locals;
	asm_file_append_elf_section(f, AT_STRTAB, SHT_STRTAB, &strings);
	for (unsigned i = 0; i < NAMES; i++) {
		f->headers[i].sh_name = (uint32_t)f->names.n;
		bytes_put(&f->names, names[i], strlen(names[i]) + 1);
	}
	asm_file_append_elf_section(f, AT_NAMES, SHT_STRTAB, &f->names);
	put_headers(a, f, e, entry);
	if (line.failed || info.failed || abbrev.failed || symbols.failed || strings.failed ||
	    f->names.failed)
		f->out.failed = true;
	free(line.at);
	free(info.at);
	free(abbrev.at);
	free(symbols.at);
	free(strings.at);
	free(f->names.at);
}

bool write_file(struct assembler *a)
{
	struct extent e[SECTION_KINDS];
	struct bytes loaded = {0};
	struct file f = {0};
	uint64_t entry;
	asm_file_compute_extents(a, e);
	if (!e[SECTION_TEXT].any)
		return asm_error(a, 0, 0,
		                 "there are no instructions; expected at least one, after .text");
	if (!asm_file_find_code_symbol(a, "_start", &entry))
		entry = e[SECTION_TEXT].from;
	const bool ok = asm_file_emit_loaded_image(a, e, &loaded);
	if (ok)
		asm_file_build_elf(a, &f, e, &loaded, entry);
	free(loaded.at);
	if (f.out.failed)
		asm_out_of_memory(a);
	if (a->result->message_count) {
		free(f.out.at);
		return false;
	}
	a->result->elf = f.out.at;
	a->result->size = f.out.n;
	return true;
}
