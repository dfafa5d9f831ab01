#include "loader/dwarf/debug_limit.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

/* Host memory, measured with elfutils 0.188 and 64-bit libraries: per byte of a line table while it
 * is read, which may be a row or a file; per row that is kept, including our copy and the one made
 * for sorting. */
enum { LINE_BYTES = 128, ROW_BYTES = 160 };

static bool debug_limit_has_room(struct debug_limit *l, uint64_t bytes)
{
	l->reached |= l->most && bytes > l->most - l->taken;
	return !l->most || bytes <= l->most - l->taken;
}

bool debug_limit_take(struct debug_limit *l, uint64_t bytes)
{
	if (!debug_limit_has_room(l, bytes))
		return false;
	if (l->most)
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

/* Bytes of the table at this place, at most to the section's end. */
static uint64_t table_bytes(const Elf_Data *d, uint64_t at)
{
	const uint64_t left = at < d->d_size ? d->d_size - at : 0;
	const uint8_t *bytes = (const uint8_t *)d->d_buf + at;
	uint32_t length;
	if (left < sizeof length)
		return 0;
	memcpy(&length, bytes, sizeof length);
	/* 64-bit tables begin with ones: take all that is left */
	return length < left ? length : left;
}

bool debug_limit_lines(struct debug_limit *l, Elf *elf, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	Dwarf_Word at;
	const Elf_Data *d = debug_section_data(elf, ".debug_line", ".zdebug_line");
	if (!d || !d->d_buf || !dwarf_attr(unit, DW_AT_stmt_list, &attr) ||
	    dwarf_formudata(&attr, &at) != 0)
		return true;
	return debug_limit_has_room(l, table_bytes(d, at) * LINE_BYTES);
}

bool debug_limit_rows(struct debug_limit *l, size_t rows)
{
	return debug_limit_take(l, (uint64_t)rows * ROW_BYTES);
}
