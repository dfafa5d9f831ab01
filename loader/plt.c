/* Names of the stubs by which a dynamically linked file calls others: "qsort@plt", as in objdump
 * and gdb. The file has no symbols for them.
 *
 * A stub is identified by its code, which loads the slot that its relocation names: other code gets
 * no name. */
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "loader/program_priv.h"

enum { HEADER_BYTES = 32, STUB_BYTES = 16 };
/* auipc t3, HI; ld t3, LO(t3) */
enum { AUIPC_T3 = 0xe17, AUIPC_MASK = 0xfff, LD_T3_T3 = 0xe3e03, LD_MASK = 0xfffff };

static Elf_Scn *plt_find_section(Elf *elf, const char *name, uint32_t type, GElf_Shdr *sh)
{
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
		const char *is = gelf_getshdr(scn, sh) ? elf_strptr(elf, names, sh->sh_name) : NULL;
		if (is && sh->sh_type == type && strcmp(is, name) == 0)
			return scn;
	}
	return NULL;
}

/* The slot that a stub at this address (as in the file) loads from; 0 if it is no stub. */
static uint64_t plt_stub_got_slot(const uint8_t *stub, uint64_t addr)
{
	uint32_t word[2];
	memcpy(word, stub, sizeof word);
	if ((word[0] & AUIPC_MASK) != AUIPC_T3 || (word[1] & LD_MASK) != LD_T3_T3)
		return 0;
	return addr + (uint64_t)(int64_t)(int32_t)(word[0] & ~(uint32_t)AUIPC_MASK) +
	       (uint64_t)(int64_t)((int32_t)word[1] >> 20);
}

bool plt_read(const struct program *p, struct plt *out)
{
	GElf_Shdr code, relocs, symbols;
	Elf *elf = p->elf;
	Elf_Scn *code_section = plt_find_section(elf, ".plt", SHT_PROGBITS, &code),
		*reloc_section = plt_find_section(elf, ".rela.plt", SHT_RELA, &relocs);
	Elf_Scn *symbol_section = reloc_section ? elf_getscn(elf, relocs.sh_link) : NULL;
	Elf_Data *stubs = code_section ? elf_rawdata(code_section, NULL) : NULL;
	Elf_Data *relas = reloc_section ? elf_getdata(reloc_section, NULL) : NULL,
		 *syms = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
	*out = (struct plt){0};
	if (!stubs || !stubs->d_buf || !relas || !syms || !gelf_getshdr(symbol_section, &symbols) ||
	    relocs.sh_entsize != sizeof(Elf64_Rela) || symbols.sh_entsize != sizeof(Elf64_Sym))
		return true;
	const size_t count = relas->d_size / sizeof(Elf64_Rela);
	/* Room suffices if each name is used once, as linkers write them; if many relocations share
	 * a long name, some stubs get none. */
	size_t used = 0;
	out->stubs = alloc_zeroed(count + 1, sizeof *out->stubs);
	out->text = alloc_bytes(p->n);
	if (!out->stubs || !out->text) {
		plt_deinit(out);
		return false;
	}
	for (size_t i = 0;
	     i < count && i <= INT32_MAX && stubs->d_size >= HEADER_BYTES + (i + 1) * STUB_BYTES;
	     i++) {
		const uint64_t at = HEADER_BYTES + i * STUB_BYTES;
		GElf_Rela rela;
		GElf_Sym sym;
		if (!gelf_getrela(relas, (int)i, &rela) ||
		    GELF_R_TYPE(rela.r_info) != R_RISCV_JUMP_SLOT ||
		    GELF_R_SYM(rela.r_info) > INT32_MAX ||
		    plt_stub_got_slot((const uint8_t *)stubs->d_buf + at, code.sh_addr + at) !=
		            rela.r_offset ||
		    !gelf_getsym(syms, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		const char *name = elf_strptr(elf, symbols.sh_link, sym.st_name);
		const size_t n = name ? strlen(name) : 0;
		if (!n || n + sizeof PLT_SUFFIX > p->n - used)
			continue;
		char *text = out->text + used;
		memcpy(text, name, n);
		memcpy(text + n, PLT_SUFFIX, sizeof PLT_SUFFIX);
		used += n + sizeof PLT_SUFFIX;
		out->stubs[out->count++] =
			(struct symbol){text, code.sh_addr + at + p->bias, STUB_BYTES, true};
	}
	return true;
}

void plt_deinit(struct plt *plt)
{
	free(plt->stubs);
	free(plt->text);
	*plt = (struct plt){0};
}
