#include "loader/dwarf/debug_limit.h"

#include <gelf.h>
#include <string.h>

bool debug_limit_take(struct debug_limit *l, uint64_t bytes)
{
	if (!l->most)
		return true;
	if (bytes > l->most - l->taken) {
		l->reached = true;
		return false;
	}
	l->taken += bytes;
	return true;
}

static const char *section_name(Elf *elf, Elf_Scn *scn, GElf_Shdr *shdr)
{
	size_t names;
	if (!gelf_getshdr(scn, shdr) || elf_getshdrstrndx(elf, &names) != 0)
		return "";
	const char *name = elf_strptr(elf, names, shdr->sh_name);
	return name ? name : "";
}

/* The unpacked size of a section named .zdebug_*, which begins with "ZLIB" and eight bytes, highest
 * first. */
static uint64_t old_size(Elf_Scn *scn)
{
	const Elf_Data *d = elf_rawdata(scn, NULL);
	const uint8_t *bytes = d ? d->d_buf : NULL;
	uint64_t size = 0;
	if (!bytes || d->d_size < 12 || memcmp(bytes, "ZLIB", 4) != 0)
		return 0;
	for (unsigned i = 4; i < 12; i++)
		size = size << 8 | bytes[i];
	return size;
}

bool debug_limit_open(struct debug_limit *l, Elf *elf)
{
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr shdr;
		GElf_Chdr packed;
		const char *name = section_name(elf, scn, &shdr);
		uint64_t bytes = 0;
		if (!strncmp(name, ".zdebug_", 8))
			bytes = old_size(scn);
		else if (shdr.sh_type != SHT_NOBITS && (shdr.sh_flags & SHF_COMPRESSED) &&
		         gelf_getchdr(scn, &packed))
			bytes = packed.ch_size;
		if (!debug_limit_take(l, bytes))
			return false;
	}
	return true;
}

Elf_Scn *debug_section(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn))
		if (!strcmp(section_name(elf, scn, shdr), name))
			return scn;
	return NULL;
}

Elf_Data *debug_section_data(Elf *elf, const char *name, const char *packed)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = debug_section(elf, name, &shdr);
	scn = scn ? scn : debug_section(elf, packed, &shdr);
	return scn ? elf_getdata(scn, NULL) : NULL;
}
