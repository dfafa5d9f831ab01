/* Checks a file's metadata against its bytes, before anything moves: sections against the segments
 * that the program runs from, symbols against sections, and relocations of data against the data. A
 * program runs without any of it, so errors go unnoticed until code moves. */
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "loader/edit/edit_priv.h"

static bool check_image_report_section(const struct edit *e, const struct edit_section *s,
                                       const char *what, struct err *err)
{
	return err_set(err, "%s: damaged: section %s %s", e->p->path, s->name, what);
}

/* ---- sections ---- */
static bool check_image_section_is_loaded(const struct edit_section *s)
{
	return s->head.sh_type != SHT_NULL && (s->head.sh_flags & SHF_ALLOC) && s->head.sh_size;
}

static const struct segment *segment_of(const struct edit *e, const struct edit_section *s)
{
	for (size_t i = 0; i < e->p->segment_count; i++) {
		const struct segment *g = &e->p->segments[i];
		if (s->head.sh_addr >= g->vaddr && s->head.sh_size <= g->memsz &&
		    s->head.sh_addr - g->vaddr <= g->memsz - s->head.sh_size)
			return g;
	}
	return NULL;
}

static bool check_section(const struct edit *e, const struct edit_section *s, struct err *err)
{
	const uint64_t addr = s->head.sh_addr, line = s->head.sh_addralign;
	/* takes no memory at its address */
	const bool thread = s->head.sh_type == SHT_NOBITS && (s->head.sh_flags & SHF_TLS);
	const struct segment *g = thread ? NULL : segment_of(e, s);
	if (thread)
		return true;
	if (!g)
		return check_image_report_section(e, s, "lies in no segment that is loaded", err);
	if (line > 1 && addr % line)
		return check_image_report_section(
			e, s, "does not lie at a multiple of its alignment", err);
	if (s->head.sh_type == SHT_NOBITS)
		return addr - g->vaddr >= g->filesz ||
		       check_image_report_section(
			       e, s, "is marked as empty, but the file has bytes for it", err);
	if (addr - g->vaddr > g->filesz || s->head.sh_size > g->filesz - (addr - g->vaddr) ||
	    s->head.sh_offset - g->offset != addr - g->vaddr)
		return check_image_report_section(e, s, "is not where its segment has it", err);
	return !(s->head.sh_flags & SHF_EXECINSTR) || (g->prot & PROT_X) ||
	       check_image_report_section(
		       e, s, "is marked as code, but its segment is not executable", err);
}

static int check_image_compare_by_offset(const void *a, const void *b)
{
	const uint64_t x = (*(const struct edit_section *const *)a)->head.sh_offset,
		       y = (*(const struct edit_section *const *)b)->head.sh_offset;
	return x < y ? -1 : x > y;
}

/* Refuses bytes of the file in [from, to) that belong to no section: the new file would lack
 * them. */
static bool check_gap(const struct edit *e, uint64_t from, uint64_t to, struct err *err)
{
	for (; from < to; from++)
		if (e->p->bytes[from])
			return err_set(err,
			               "%s: damaged: the part loaded from byte 0x%" PRIx64
			               " of the file belongs to no section",
			               e->p->path, from);
	return true;
}

/* Checks that loaded bytes lie in one section each, except the headers at the beginning. */
static bool check_covered(const struct edit *e, const struct edit_section *const *all, size_t n,
                          struct err *err)
{
	size_t count;
	if (elf_getphdrnum(e->p->elf, &count))
		count = 0;
	const Elf64_Ehdr *head = elf64_getehdr(e->p->elf);
	for (size_t k = 0; k + 1 < n; k++)
		if (all[k + 1]->head.sh_offset - all[k]->head.sh_offset < all[k]->head.sh_size)
			return check_image_report_section(e, all[k], "overlaps the next one", err);
	for (size_t i = 0; i < e->p->segment_count; i++) {
		const struct segment *g = &e->p->segments[i];
		uint64_t at = g->offset;
		const uint64_t end = g->offset + g->filesz;
		if (head && at < sizeof *head + count * sizeof(Elf64_Phdr) &&
		    head->e_phoff == sizeof *head)
			at = sizeof *head + count * sizeof(Elf64_Phdr);
		for (size_t k = 0; k < n; k++) {
			if (all[k]->head.sh_offset < at || all[k]->head.sh_offset >= end)
				continue;
			if (!check_gap(e, at, all[k]->head.sh_offset, err))
				return false;
			at = all[k]->head.sh_offset + all[k]->head.sh_size;
		}
		if (!check_gap(e, at, end, err))
			return false;
	}
	return true;
}

static const struct edit_section *check_image_find_section(const struct edit *e, const char *name)
{
	for (uint32_t i = 1; i < e->section_count; i++)
		if (!strcmp(e->sections[i].name, name))
			return &e->sections[i];
	return NULL;
}

/* Checks that unwind tables found by section name are those found by program header, which the
 * program uses. */
static bool check_unwinding(const struct edit *e, struct err *err)
{
	const struct edit_section *index = check_image_find_section(e, ".eh_frame_hdr");
	size_t count;
	GElf_Phdr ph;
	if (elf_getphdrnum(e->p->elf, &count))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		int32_t far;
		if (!gelf_getphdr(e->p->elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME ||
		    !ph.p_memsz)
			continue;
		if (!index || index->head.sh_addr != ph.p_vaddr || !index->bytes ||
		    index->head.sh_size < 8)
			return err_set(
				err,
				"%s: damaged: the index of its unwind tables is at 0x%" PRIx64
				", but no section .eh_frame_hdr is there",
				e->p->path, (uint64_t)ph.p_vaddr);
		memcpy(&far, index->bytes + 4, sizeof far);
		if (!e->frame_section ||
		    e->frame_section->head.sh_addr != ph.p_vaddr + 4 + (uint64_t)(int64_t)far)
			return check_image_report_section(
				e, index, "leads to unwind tables where no section .eh_frame is",
				err);
	}
	return true;
}

bool edit_check_sections(const struct edit *e, struct err *err)
{
	const struct edit_section **all = alloc_bytes(e->section_count * sizeof *all);
	size_t n = 0;
	bool ok = all || err_set(err, "out of memory for the sections of %s", e->p->path);
	for (uint32_t i = 1; ok && i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		if (!check_image_section_is_loaded(s))
			continue;
		ok = check_section(e, s, err);
		if (s->head.sh_type != SHT_NOBITS)
			all[n++] = s;
	}
	if (ok) {
		sort_stable(all, n, sizeof *all, check_image_compare_by_offset);
		ok = check_covered(e, all, n, err) && check_unwinding(e, err);
	}
	free(all);
	return ok;
}

/* ---- symbols ---- */

/* Checks the section of a symbol that names code, or is named by a relocation. */
static bool check_image_validate_symbol(const struct edit *e, const Elf64_Sym *s, struct err *err)
{
	const unsigned type = ELF64_ST_TYPE(s->st_info);
	if (s->st_shndx == SHN_UNDEF)
		return !s->st_value ||
		       edit_bad_symbol(e, s, "has a value, but is defined nowhere", err);
	const bool known = s->st_shndx < e->section_count;
	if (!known && s->st_shndx != SHN_ABS)
		return edit_bad_symbol(e, s, "lies in no section", err);
	const struct edit_section *home = known ? &e->sections[s->st_shndx] : NULL;
	if (type == STT_TLS)
		return (home && (home->head.sh_flags & SHF_TLS)) ||
		       edit_bad_symbol(e, s, "is thread-local, but its section isn't", err);
	const bool within = home && s->st_value - home->head.sh_addr <= home->head.sh_size;
	const struct edit_section *code = edit_code_section(e, s->st_value, false);
	if (code && code != home && !(within && s->st_value == code->head.sh_addr))
		return edit_bad_symbol(e, s, "lies in code, but belongs to another section", err);
	if (home && home->code && !within)
		return edit_bad_symbol(e, s, "lies outside its section", err);
	if (type == STT_SECTION && home && s->st_value != home->head.sh_addr)
		return edit_bad_symbol(e, s, "does not lie where its section begins", err);
	if (edit_is_function(s) &&
	    (!home || !(home->head.sh_flags & SHF_EXECINSTR) || !within || s->st_value % 2))
		return edit_bad_symbol(e, s, "is a function where no code can be", err);
	if (home && home->code &&
	    s->st_size > home->head.sh_addr + home->head.sh_size - s->st_value)
		return edit_bad_symbol(e, s, "reaches over the end of its section", err);
	return true;
}

static int check_image_compare_by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* The resolvers of indirect functions, which the program calls when it starts: [*n], by address,
 * malloc'd. NULL if memory is out. */
static uint64_t *find_resolvers(const struct edit *e, size_t *n)
{
	size_t room = 0;
	for (uint32_t i = 1; i < e->section_count; i++)
		room += edit_is_run_time(&e->sections[i])
		                ? e->sections[i].head.sh_size / sizeof(Elf64_Rela)
		                : 0;
	uint64_t *all = alloc_bytes((room + 1) * sizeof *all);
	*n = 0;
	for (uint32_t i = 1; all && i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		for (size_t k = 0;
		     edit_is_run_time(s) && (k + 1) * sizeof(Elf64_Rela) <= s->head.sh_size; k++) {
			Elf64_Rela r;
			memcpy(&r, s->bytes + k * sizeof r, sizeof r);
			if (ELF64_R_TYPE(r.r_info) == R_RISCV_IRELATIVE)
				all[(*n)++] = (uint64_t)r.r_addend;
		}
	}
	if (all)
		sort_stable(all, *n, sizeof *all, check_image_compare_by_value);
	return all;
}

static bool check_image_validate_symbols(const struct edit *e, struct err *err)
{
	uint8_t *named = alloc_zeroed(e->symbol_count + 1, 1);
	size_t resolver_count;
	uint64_t *resolvers = find_resolvers(e, &resolver_count);
	bool ok = (named && resolvers) ||
	          err_set(err, "out of memory for the symbols of %s", e->p->path);
	for (size_t i = 0; ok && i < e->reloc_count; i++)
		if (e->sections[e->relocs[i].section].head.sh_flags & SHF_ALLOC)
			named[e->relocs[i].symbol] = 1;
	for (uint32_t i = 1; ok && i < e->symbol_count; i++) {
		const Elf64_Sym *s = &e->symbols[i];
		if (s->st_name >= e->names_size)
			ok = edit_bad_symbol(e, s, "has a name outside the table of names", err);
		else if (named[i] || (edit_is_function(s) && s->st_shndx != SHN_UNDEF) ||
		         edit_names_function(e, s))
			ok = check_image_validate_symbol(e, s, err);
		if (ok && !strcmp(edit_symbol_name(e, s), "__EH_FRAME_BEGIN__") &&
		    (!e->frame_section ||
		     s->st_shndx != (uint32_t)(e->frame_section - e->sections)))
			ok = edit_bad_symbol(
				e, s,
				"is where unwind tables begin, but section .eh_frame is elsewhere",
				err);
		if (ok && named[i] && ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC &&
		    !bsearch(&s->st_value, resolvers, resolver_count, sizeof *resolvers,
		             check_image_compare_by_value))
			ok = edit_bad_symbol(
				e, s, "is an indirect function, but nothing calls its resolver",
				err);
	}
	free(named);
	free(resolvers);
	return ok;
}

/* ---- data ---- */

static bool check_image_reloc_subtracts(const struct edit_reloc *r)
{
	return r->type == R_RISCV_SUB8 || r->type == R_RISCV_SUB16 || r->type == R_RISCV_SUB32 ||
	       r->type == R_RISCV_SUB64;
}

/* The value that a relocation adds to its field. *known: whether it can be computed. */
static uint64_t check_image_reloc_addend(const struct edit *e, const struct edit_reloc *r,
                                         bool *known)
{
	const Elf64_Sym *s = &e->symbols[r->symbol];
	*known &= ELF64_ST_TYPE(s->st_info) != STT_GNU_IFUNC;
	return check_image_reloc_subtracts(r) ? -r->value
	       : r->type == R_RISCV_32_PCREL  ? r->value - r->at
	                                      : r->value;
}

/* Checks the n relocations of one field together against its contents. */
static bool check_field(struct edit *e, struct edit_reloc *r, size_t n, struct err *err)
{
	const struct edit_section *s = &e->sections[r->section];
	const uint64_t offset = r->at - s->head.sh_addr;
	const unsigned bytes = edit_field_bytes(r->type);
	const bool loaded = s->head.sh_flags & SHF_ALLOC;
	uint64_t says = 0, is = 0;
	bool known = true, moves = false;
	int addresses = 0;
	for (size_t k = 0; k < n; k++) {
		if (edit_field_bytes(r[k].type) != bytes)
			return err_set(err,
			               "%s: damaged: relocations at 0x%" PRIx64
			               " in %s are of fields of different sizes",
			               e->p->path, r->at, s->name);
		says += check_image_reloc_addend(e, &r[k], &known);
		moves |= r[k].moves;
		addresses += check_image_reloc_subtracts(&r[k]) ? -1 : 1;
	}
	if (loaded && moves && bytes < 4 && addresses)
		return err_set(err,
		               "%s: damaged: relocation %s at 0x%" PRIx64
		               " in %s: no address fits into its field",
		               e->p->path, edit_reloc_name(r->type), r->at, s->name);
	if (!known || (!loaded && !moves))
		return true;
	if (!s->bytes || bytes > s->head.sh_size - offset)
		return err_set(err,
		               "%s: the relocation at 0x%" PRIx64 " reaches over the end of %s",
		               e->p->path, r->at, s->name);
	memcpy(&is, s->bytes + offset, bytes);
	if (bytes < 8)
		says &= (UINT64_C(1) << 8 * bytes) - 1;
	if (is == says)
		return true;
	/* Fields of sections that are not loaded stay unchanged. */
	for (size_t k = 0; !loaded && k < n; k++)
		r[k].moves = false;
	return !loaded || err_set(err,
	                          "%s: damaged: relocation %s at 0x%" PRIx64
	                          " in %s expects 0x%" PRIx64 ", but the code has 0x%" PRIx64,
	                          e->p->path, edit_reloc_name(r->type), r->at, s->name, says, is);
}

static bool check_data(struct edit *e, struct err *err)
{
	for (size_t i = 0, n; i < e->reloc_count; i += n) {
		const struct edit_reloc *r = &e->relocs[i];
		const char *name = e->sections[r->section].name;
		for (n = 1;
		     i + n < e->reloc_count && r[n].section == r->section && r[n].at == r->at;)
			n++;
		/* Unwind tables are parsed separately. */
		if (strcmp(name, ".eh_frame") == 0 || strcmp(name, ".debug_frame") == 0)
			continue;
		if ((e->sections[r->section].head.sh_flags & SHF_ALLOC) &&
		    (r->type == R_RISCV_SET6 || r->type == R_RISCV_SUB6))
			return err_set(err,
			               "%s: damaged: section %s has relocations of unwind tables",
			               e->p->path, name);
		size_t first = i, end = i + n;
		while (first < end && !edit_field_bytes(e->relocs[first].type))
			first++;
		size_t last = first;
		while (last < end && edit_field_bytes(e->relocs[last].type))
			last++;
		if (first < end && !check_field(e, &e->relocs[first], last - first, err))
			return false;
	}
	return true;
}

bool edit_check_symbols(struct edit *e, struct err *err)
{
	return check_image_validate_symbols(e, err) && check_data(e, err);
}
