#include "loader/dwarf/elf_place.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "core/isa/regs.h"
#include "loader/dwarf/walk.h"
#include "loader/program_priv.h"

enum { DTV_SLOT_BYTES = 16 };
#define DTV_UNALLOCATED UINT64_MAX

/* One relocation of a file, with its symbol. */
struct reloc {
	GElf_Rela rela;
	GElf_Sym sym;
	const char *name; /* "" if it has none */
};

/* Calls fn for relocations of these two types until fn returns true; returns whether it did. */
static bool each_reloc(const struct program *image, unsigned a, unsigned b,
                       bool (*fn)(void *ctx, const struct reloc *r), void *ctx)
{
	GElf_Shdr sh, symbols;
	for (Elf_Scn *scn = elf_nextscn(image->elf, NULL); scn;
	     scn = elf_nextscn(image->elf, scn)) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA ||
		    !(sh.sh_flags & SHF_ALLOC) || sh.sh_entsize != sizeof(Elf64_Rela))
			continue;
		Elf_Scn *symbol_section = elf_getscn(image->elf, sh.sh_link);
		Elf_Data *data = elf_getdata(scn, NULL),
			 *syms = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
		if (!data || !syms || !gelf_getshdr(symbol_section, &symbols) ||
		    symbols.sh_entsize != sizeof(Elf64_Sym))
			continue;
		const size_t n = data->d_size / sizeof(Elf64_Rela);
		for (size_t i = 0;
		     i < n && i <= INT32_MAX && walk_take(walk_of(image), sizeof(Elf64_Rela));
		     i++) {
			struct reloc r = {.name = ""};
			if (!gelf_getrela(data, (int)i, &r.rela) ||
			    (GELF_R_TYPE(r.rela.r_info) != a && GELF_R_TYPE(r.rela.r_info) != b))
				continue;
			const uint64_t index = GELF_R_SYM(r.rela.r_info);
			const char *name =
				index && index <= INT32_MAX && gelf_getsym(syms, (int)index, &r.sym)
					? elf_strptr(image->elf, symbols.sh_link, r.sym.st_name)
					: NULL;
			r.name = name ? name : "";
			if (fn(ctx, &r))
				return true;
		}
	}
	return false;
}

/* The mangled name of a variable. */
static const char *linkage_name(const struct scope_name *name)
{
	Dwarf_Attribute attr;
	Dwarf_Die die = name->die;
	const char *linkage = dwarf_attr_integrate(&die, DW_AT_linkage_name, &attr)
	                              ? dwarf_formstring(&attr)
	                              : NULL;
	return linkage ? linkage : name->name;
}

struct wanted {
	const char *name;
	uint64_t addr;
};

static bool is_copy(void *ctx, const struct reloc *r)
{
	struct wanted *w = ctx;
	w->addr = r->rela.r_offset;
	return strcmp(r->name, w->name) == 0;
}

bool elf_place_copied(const struct scope_name *name, uint64_t *addr)
{
	const struct program *p = name->program;
	Dwarf_Attribute attr;
	Dwarf_Die die = name->die;
	bool external = false;
	if (!p || name->image == p || name->kind != SCOPE_VARIABLE ||
	    !dwarf_attr_integrate(&die, DW_AT_external, &attr) ||
	    dwarf_formflag(&attr, &external) != 0 || !external)
		return false;
	struct wanted w = {.name = linkage_name(name)};
	if (!each_reloc(p, R_RISCV_COPY, R_RISCV_COPY, is_copy, &w))
		return false;
	*addr = w.addr + p->bias;
	return true;
}

/* Finds the thread-local symbol of this name, and its offset in the image's block. False unless
 * there is exactly one. */
static bool thread_symbol(const struct program *image, const char *name, uint64_t *offset)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	Elf *elf = program_debug_elf(image);
	unsigned found = 0;
	for (unsigned t = 0; t < 2 && !found; t++) {
		GElf_Shdr sh;
		for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
			Elf_Data *data = gelf_getshdr(scn, &sh) && sh.sh_type == types[t] &&
			                                 sh.sh_entsize == sizeof(Elf64_Sym)
			                         ? elf_getdata(scn, NULL)
			                         : NULL;
			const size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
			for (size_t i = 0; i < n && i <= INT32_MAX &&
			                   walk_take(walk_of(image), sizeof(Elf64_Sym));
			     i++) {
				GElf_Sym sym;
				if (!gelf_getsym(data, (int)i, &sym) ||
				    GELF_ST_TYPE(sym.st_info) != STT_TLS ||
				    sym.st_shndx == SHN_UNDEF)
					continue;
				const char *is = elf_strptr(elf, sh.sh_link, sym.st_name);
				if (is && strcmp(is, name) == 0) {
					found++;
					*offset = sym.st_value;
				}
			}
		}
	}
	return found == 1;
}

/* A library's thread-local block, found by its GOT slot. */
struct block {
	const struct place_frame *f;
	const struct program *image;
	uint64_t tp, at;
};

/* Finds the thread's block of this module number. */
static bool elf_place_find_tls_block(const struct block *b, uint64_t module, uint64_t *at)
{
	uint64_t dtv, count;
	return frame_read(b->f->mem, b->tp - 16, &dtv, sizeof dtv) &&
	       frame_read(b->f->mem, dtv - DTV_SLOT_BYTES, &count, sizeof count) && module &&
	       module <= count &&
	       frame_read(b->f->mem, dtv + module * DTV_SLOT_BYTES, at, sizeof *at) &&
	       *at != DTV_UNALLOCATED && *at;
}

static bool finds_block(void *ctx, const struct reloc *r)
{
	struct block *b = ctx;
	uint64_t slot;
	const bool own = !*r->name || r->sym.st_shndx != SHN_UNDEF;
	if (!own || !frame_read(b->f->mem, r->rela.r_offset + b->image->bias, &slot, sizeof slot))
		return false;
	if (GELF_R_TYPE(r->rela.r_info) == R_RISCV_TLS_DTPMOD64)
		return elf_place_find_tls_block(b, slot, &b->at);
	b->at = b->tp + slot - (*r->name ? r->sym.st_value : 0) - (uint64_t)r->rela.r_addend;
	return true;
}

static bool thread_offset(const struct scope_name *name, uint64_t *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Die die = name->die;
	/* Variables of a frame are never found so: symbols of statics in functions have other
	 * names. */
	return name->program && name->kind == SCOPE_VARIABLE &&
	       dwarf_tag(&die) == DW_TAG_variable &&
	       !dwarf_attr_integrate(&die, DW_AT_location, &attr) &&
	       name->image->role != IMAGE_FIRMWARE &&
	       thread_symbol(name->image, linkage_name(name), offset);
}

bool elf_place_is_thread(const struct scope_name *name)
{
	uint64_t offset;
	return thread_offset(name, &offset);
}

bool elf_place_thread(const struct place_frame *f, const struct scope_name *name, uint64_t *addr)
{
	uint64_t offset;
	const struct program *image = name->image;
	if (!(f->regs->known >> REG_TP & 1) || !thread_offset(name, &offset))
		return false;
	struct block b = {.f = f, .image = image, .tp = f->regs->r[REG_TP]};
	if (image->role == IMAGE_PROGRAM)
		b.at = b.tp; /* the first block begins there */
	else if (!each_reloc(image, R_RISCV_TLS_DTPMOD64, R_RISCV_TLS_TPREL64, finds_block, &b))
		return false;
	*addr = b.at + offset;
	return b.tp != 0;
}
