/* Reads sections, symbols, and the relocations that the linker kept. */
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/edit/edit_priv.h"

enum { LINE_MOST = 1 << 21 }; /* bytes that a section may be aligned to: a large page */

#define HOW_TO_LINK "link it with -Wl,--emit-relocs"

/* Whether a section's name can be printed: refusals name sections. */
static bool is_printable(const char *name)
{
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			return false;
	return true;
}

static bool read_sections(struct edit *e, struct err *err)
{
	size_t count, names;
	if (elf_getshdrnum(e->p->elf, &count) || elf_getshdrstrndx(e->p->elf, &names) || count < 2)
		return err_set(err,
		               "%s: no sections; the editor needs a program that isn't stripped "
		               "(" HOW_TO_LINK ")",
		               e->p->path);
	e->sections = alloc_zeroed(count, sizeof *e->sections);
	if (!e->sections)
		return err_set(err, "out of memory for the sections of %s", e->p->path);
	e->section_count = (uint32_t)count;
	uint64_t sum = 0; /* of their bytes */
	for (uint32_t i = 0; i < count; i++) {
		struct edit_section *s = &e->sections[i];
		Elf_Scn *scn = elf_getscn(e->p->elf, i);
		GElf_Shdr head;
		if (!scn || !gelf_getshdr(scn, &head))
			return err_set(err, "%s: section %u can't be read: %s", e->p->path, i,
			               elf_errmsg(-1));
		s->head = head;
		const char *name = elf_strptr(e->p->elf, names, head.sh_name);
		s->name = name ? name : "";
		if (!is_printable(s->name))
			return err_set(err,
			               "%s: damaged: section %u has a name that can't be shown",
			               e->p->path, i);
		if (i == 0 || head.sh_type == SHT_NULL) {
			/* ignore other fields of an unused header */
			s->head = (Elf64_Shdr){.sh_type = SHT_NULL};
			continue;
		}
		if (head.sh_addralign > LINE_MOST || (head.sh_addralign & (head.sh_addralign - 1)))
			return err_set(err, "%s: section %u is aligned to 0x%" PRIx64 " bytes",
			               e->p->path, i, (uint64_t)head.sh_addralign);
		if (head.sh_type == SHT_NOBITS)
			continue;
		/* Check empty ones, too: the new file would be filled up to them. */
		if (head.sh_offset > e->p->n || head.sh_size > e->p->n - head.sh_offset)
			return err_set(err, "%s: section %u lies outside the file", e->p->path, i);
		if (!head.sh_size)
			continue;
		/* Sections are copied; in a valid file none share bytes. */
		sum += head.sh_size;
		if (sum > e->p->n)
			return err_set(err, "%s: damaged: section %u overlaps others", e->p->path,
			               i);
		s->bytes = alloc_bytes(head.sh_size);
		if (!s->bytes)
			return err_set(err, "out of memory for section %u", i);
		memcpy(s->bytes, e->p->bytes + head.sh_offset, head.sh_size);
		/* Linkage tables jump through slots of data, and do not move. */
		s->code = head.sh_type == SHT_PROGBITS && (head.sh_flags & SHF_ALLOC) &&
		          (head.sh_flags & SHF_EXECINSTR) && !strstr(s->name, "plt");
		if (s->code) {
			e->code_first = e->code_first ? e->code_first : i;
			e->code_last = i;
		}
		if (!strcmp(s->name, ".eh_frame"))
			e->frame_section = s;
	}
	if (names >= count || e->sections[names].head.sh_type != SHT_STRTAB)
		return err_set(err, "%s: damaged: section %zu has no names of sections", e->p->path,
		               names);
	return true;
}

static bool read_symbols(struct edit *e, struct err *err)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		if (e->sections[i].head.sh_type == SHT_SYMTAB && e->symtab)
			return err_set(err, "%s: damaged: it has two tables of symbols",
			               e->p->path);
		if (e->sections[i].head.sh_type == SHT_SYMTAB)
			e->symtab = i;
	}
	if (!e->symtab)
		return err_set(err,
		               "%s: stripped: the editor needs its symbols (" HOW_TO_LINK
		               ", without -s)",
		               e->p->path);
	const struct edit_section *s = &e->sections[e->symtab];
	if (s->head.sh_link >= e->section_count || s->head.sh_entsize != sizeof(Elf64_Sym) ||
	    !s->bytes)
		return err_set(err, "%s: damaged symbol table", e->p->path);
	const struct edit_section *names = &e->sections[s->head.sh_link];
	if (names->head.sh_type != SHT_STRTAB || !names->bytes || names->bytes[0] ||
	    names->bytes[names->head.sh_size - 1])
		return err_set(err, "%s: damaged table of symbol names", e->p->path);
	e->names = (const char *)names->bytes;
	e->names_size = names->head.sh_size;
	e->symbol_count = (uint32_t)(s->head.sh_size / sizeof(Elf64_Sym));
	e->symbols = alloc_bytes(s->head.sh_size);
	if (!e->symbols)
		return err_set(err, "out of memory for the symbols of %s", e->p->path);
	memcpy(e->symbols, s->bytes, s->head.sh_size);
	return true;
}

static int edit_image_compare_by_place(const void *a, const void *b)
{
	const struct edit_reloc *x = a, *y = b;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return 0;
}

static bool lies_in_moving(const struct edit *e, const Elf64_Sym *s)
{
	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= e->section_count)
		return false;
	const struct edit_section *section = &e->sections[s->st_shndx];
	return section->code || section == e->frame_section;
}

/* Whether the editor supports a relocation. Linkers do not keep those that a program applies to
 * itself at start. */
static bool edit_image_reloc_is_known(uint32_t type)
{
	return type <= R_RISCV_64 ||
	       (type >= R_RISCV_TLS_DTPREL32 && type <= R_RISCV_TLS_TPREL64) ||
	       (type >= R_RISCV_BRANCH && type <= R_RISCV_SUB64) ||
	       (type >= R_RISCV_ALIGN && type <= R_RISCV_32_PCREL);
}

static bool keep_reloc(struct edit *e, const struct edit_section *rela, const Elf64_Rela *r,
                       struct err *err)
{
	const uint32_t symbol = (uint32_t)ELF64_R_SYM(r->r_info),
		       type = (uint32_t)ELF64_R_TYPE(r->r_info);
	const struct edit_section *s = &e->sections[rela->head.sh_info];
	if (type == R_RISCV_NONE || type == R_RISCV_RELAX || type == R_RISCV_ALIGN)
		return true;
	if (!edit_image_reloc_is_known(type))
		return err_set(
			err, "%s: a relocation in %s is of type %u, which the editor doesn't know",
			e->p->path, rela->name, type);
	if (symbol >= e->symbol_count)
		return err_set(err, "%s: a relocation in %s names symbol %u of %u", e->p->path,
		               rela->name, symbol, e->symbol_count);
	if (r->r_offset - s->head.sh_addr >= s->head.sh_size)
		return err_set(err,
		               "%s: a relocation in %s is about 0x%" PRIx64 ", outside its section",
		               e->p->path, rela->name, (uint64_t)r->r_offset);
	/* A reference to an indirect function means its entry in the linkage table, which has no
	 * symbol. */
	const Elf64_Sym *named = &e->symbols[symbol];
	const bool direct = ELF64_ST_TYPE(named->st_info) != STT_GNU_IFUNC;
	e->relocs[e->reloc_count++] =
		(struct edit_reloc){.at = r->r_offset,
	                            .type = type,
	                            .section = rela->head.sh_info,
	                            .of = named->st_shndx,
	                            .symbol = symbol,
	                            .value = direct ? named->st_value + (uint64_t)r->r_addend : 0,
	                            .moves = direct && lies_in_moving(e, named)};
	return true;
}

static bool is_kept_table(const struct edit_section *s)
{
	return s->head.sh_type == SHT_RELA && s->bytes && !(s->head.sh_flags & SHF_ALLOC);
}

/* Checks a kept relocation table: it must refer to a section, whose code, if any, moves. */
static bool edit_image_check_reloc_table(const struct edit *e, const struct edit_section *s,
                                         struct err *err)
{
	if (!is_kept_table(s))
		return (s->head.sh_flags & SHF_ALLOC) || s->head.sh_type == SHT_RELA ||
		       strncmp(s->name, ".rela.", 6) != 0 ||
		       err_set(err, "%s: damaged: section %s has no relocations", e->p->path,
		               s->name);
	if (s->head.sh_link != e->symtab || !s->head.sh_info ||
	    s->head.sh_info >= e->section_count || s->head.sh_entsize != sizeof(Elf64_Rela) ||
	    s->head.sh_size % sizeof(Elf64_Rela))
		return err_set(err, "%s: damaged: the relocations in %s name no section",
		               e->p->path, s->name);
	const struct edit_section *about = &e->sections[s->head.sh_info];
	return about->code || !(about->head.sh_flags & SHF_EXECINSTR) ||
	       err_set(err, "%s: damaged: %s has relocations of %s, which is no code that moves",
	               e->p->path, s->name, about->name);
}

static bool read_relocs(struct edit *e, struct err *err)
{
	size_t room = 0;
	bool of_code = false;
	for (uint32_t i = 1; i < e->section_count; i++) {
		if (!edit_image_check_reloc_table(e, &e->sections[i], err))
			return false;
		if (!is_kept_table(&e->sections[i]))
			continue;
		room += e->sections[i].head.sh_size / sizeof(Elf64_Rela);
		of_code |= e->sections[e->sections[i].head.sh_info].code;
	}
	if (!of_code)
		return err_set(err,
		               "%s: its linker kept no relocations, without which code can't be "
		               "moved (" HOW_TO_LINK ")",
		               e->p->path);
	e->relocs = alloc_bytes(room * sizeof *e->relocs);
	if (!e->relocs)
		return err_set(err, "out of memory for the relocations of %s", e->p->path);
	for (uint32_t i = 1; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		for (size_t k = 0; is_kept_table(s) && k < s->head.sh_size / sizeof(Elf64_Rela);
		     k++) {
			Elf64_Rela r;
			memcpy(&r, s->bytes + k * sizeof r, sizeof r);
			if (!keep_reloc(e, s, &r, err))
				return false;
		}
	}
	sort_stable(e->relocs, e->reloc_count, sizeof *e->relocs, edit_image_compare_by_place);
	return true;
}

bool edit_read_image(struct edit *e, struct err *err)
{
	if (e->p->interpreter)
		return err_set(err,
		               "%s: dynamically linked; the editor takes programs of one file "
		               "(link it with -static)",
		               e->p->path);
	if (e->p->bias)
		return err_set(err,
		               "%s: position-independent; the editor takes programs with a fixed "
		               "place (link it with -static -no-pie)",
		               e->p->path);
	return read_sections(e, err) && edit_check_sections(e, err) && read_symbols(e, err) &&
	       read_relocs(e, err) && edit_check_symbols(e, err);
}

struct edit_section *edit_code_section(const struct edit *e, uint64_t addr, bool end)
{
	for (uint32_t i = e->code_first; i <= e->code_last; i++) {
		struct edit_section *s = &e->sections[i];
		if (s->code && (addr - s->head.sh_addr < s->head.sh_size ||
		                (end && addr == s->head.sh_addr + s->head.sh_size)))
			return s;
	}
	return NULL;
}

bool edit_is_run_time(const struct edit_section *s)
{
	return s->head.sh_type == SHT_RELA && (s->head.sh_flags & SHF_ALLOC) && s->bytes;
}

/* The first relocation of this section or a later one. */
static size_t first_reloc(const struct edit *e, uint32_t section)
{
	size_t lo = 0, hi = e->reloc_count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (e->relocs[mid].section < section)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void edit_relocs_of(const struct edit *e, uint32_t section, size_t *first, size_t *end)
{
	*first = first_reloc(e, section);
	*end = first_reloc(e, section + 1);
}

uint32_t edit_inst_at(const struct edit *e, uint64_t addr)
{
	const struct edit_section *s = edit_code_section(e, addr, false);
	const uint64_t from = s ? addr - s->head.sh_addr : 1;
	const uint32_t i = from & 1 ? 0 : s->inst[from / 2];
	return i ? i - 1 : EDIT_NONE;
}

unsigned edit_difference_bytes(uint32_t type)
{
	switch (type) {
	case R_RISCV_ADD8: case R_RISCV_SET8: case R_RISCV_SUB8:
		return 1;
	case R_RISCV_ADD16: case R_RISCV_SET16: case R_RISCV_SUB16:
		return 2;
	case R_RISCV_ADD32: case R_RISCV_SET32: case R_RISCV_SUB32:
		return 4;
	default:
		return 0;
	}
}

unsigned edit_field_bytes(uint32_t type)
{
	if (type == R_RISCV_64 || type == R_RISCV_ADD64 || type == R_RISCV_SUB64)
		return 8;
	return type == R_RISCV_32 || type == R_RISCV_32_PCREL ? 4 : edit_difference_bytes(type);
}

const char *edit_symbol_name(const struct edit *e, const Elf64_Sym *s)
{
	return s->st_name < e->names_size ? e->names + s->st_name : "";
}

bool edit_names_function(const struct edit *e, const Elf64_Sym *s)
{
	const unsigned type = ELF64_ST_TYPE(s->st_info);
	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= e->section_count ||
	    !e->sections[s->st_shndx].code)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && (ELF64_ST_BIND(s->st_info) != STB_LOCAL || s->st_size));
}

bool edit_is_function(const Elf64_Sym *s)
{
	return ELF64_ST_TYPE(s->st_info) == STT_FUNC || ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC;
}

bool edit_bad_symbol(const struct edit *e, const Elf64_Sym *s, const char *what, struct err *err)
{
	const char *name = edit_symbol_name(e, s);
	return err_set(err, "%s: damaged: symbol %s (0x%" PRIx64 ") %s", e->p->path,
	               *name ? name : "without a name", (uint64_t)s->st_value, what);
}

const char *edit_reloc_name(uint32_t type)
{
#define N(id) [R_RISCV_##id] = "R_RISCV_" #id
	static const char *const names[] = {
		N(32),           N(64),           N(BRANCH),       N(JAL),         N(CALL),
		N(CALL_PLT),     N(GOT_HI20),     N(TLS_GOT_HI20), N(TLS_GD_HI20), N(PCREL_HI20),
		N(PCREL_LO12_I), N(PCREL_LO12_S), N(HI20),         N(LO12_I),      N(LO12_S),
		N(TPREL_HI20),   N(TPREL_LO12_I), N(TPREL_LO12_S), N(TPREL_ADD),   N(ADD8),
		N(ADD16),        N(ADD32),        N(ADD64),        N(SUB8),        N(SUB16),
		N(SUB32),        N(SUB64),        N(RVC_BRANCH),   N(RVC_JUMP),    N(RVC_LUI),
		N(GPREL_I),      N(GPREL_S),      N(TPREL_I),      N(TPREL_S),     N(SUB6),
		N(SET6),         N(SET8),         N(SET16),        N(SET32),       N(32_PCREL),
	};
#undef N
	return type < sizeof names / sizeof *names && names[type] ? names[type] : "?";
}
