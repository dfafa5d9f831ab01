/* The ISA string that a file was compiled for: its Tag_RISCV_arch, in the section of RISC-V
 * attributes that assemblers write (psABI, "Attributes"). Lengths and numbers in it may be
 * wrong. */
#include <gelf.h>
#include <string.h>

#include "loader/program_priv.h"

enum { SECTION_ATTRIBUTES = 0x70000003, TAG_FILE = 1, TAG_ARCH = 5 };

struct reader {
	const uint8_t *at, *end;
};

/* Reads a ULEB128 number. False if it is cut off. */
static bool read_uleb(struct reader *r, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
		const uint8_t byte = *r->at++;
		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static const char *arch_read_string(struct reader *r)
{
	const uint8_t *text = r->at, *nul = memchr(text, 0, (size_t)(r->end - r->at));
	r->at = nul ? nul + 1 : r->end;
	return nul ? (const char *)text : NULL;
}

/* Reads a part that begins with its own length, counted from `from`; *r continues after it. */
static bool read_part(struct reader *r, const uint8_t *from, struct reader *part)
{
	uint32_t length;
	if ((size_t)(r->end - r->at) < sizeof length)
		return false;
	memcpy(&length, r->at, sizeof length);
	if (length > (size_t)(r->end - from) || from + length < r->at + sizeof length)
		return false;
	*part = (struct reader){r->at + sizeof length, from + length};
	r->at = from + length;
	return true;
}

/* Attributes of the whole file: even tags have numbers, odd ones strings. */
static const char *arch_of_file(struct reader r)
{
	uint64_t tag, number;
	while (read_uleb(&r, &tag)) {
		const char *text = tag & 1 ? arch_read_string(&r) : NULL;
		if (tag & 1 ? !text : !read_uleb(&r, &number))
			return NULL;
		if (tag == TAG_ARCH)
			return text;
	}
	return NULL;
}

static const char *arch_in(struct reader all)
{
	struct reader vendor, part;
	if (all.at == all.end || *all.at++ != 'A')
		return NULL;
	while (read_part(&all, all.at, &vendor)) {
		const char *name = arch_read_string(&vendor);
		while (name && !strcmp(name, "riscv") && vendor.at < vendor.end) {
			const uint8_t *from = vendor.at;
			uint64_t tag;
			if (!read_uleb(&vendor, &tag) || !read_part(&vendor, from, &part))
				return NULL;
			if (tag == TAG_FILE)
				return arch_of_file(part);
		}
	}
	return NULL;
}

const char *program_arch(const struct program *p, uint64_t addr)
{
	const struct program *image = program_image(p, addr);
	Elf *elf = image ? image->elf : NULL;
	for (Elf_Scn *scn = elf ? elf_nextscn(elf, NULL) : NULL; scn; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr sh;
		Elf_Data *data = gelf_getshdr(scn, &sh) && sh.sh_type == SECTION_ATTRIBUTES
		                         ? elf_getdata(scn, NULL)
		                         : NULL;
		if (data && data->d_buf) {
			const uint8_t *bytes = data->d_buf;
			return arch_in((struct reader){bytes, bytes + data->d_size});
		}
	}
	return NULL;
}
