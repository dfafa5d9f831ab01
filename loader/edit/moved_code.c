#include "loader/edit/moved_code.h"

#include <gelf.h>
#include <string.h>

#include "loader/program_priv.h"

const void *program_section(const struct program *p, const char *name, uint64_t *bytes)
{
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	if (elf_getshdrstrndx(p->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(p->elf, scn))) {
		const char *its =
			gelf_getshdr(scn, &head) ? elf_strptr(p->elf, names, head.sh_name) : NULL;
		if (!its || strcmp(its, name) != 0 || head.sh_type == SHT_NOBITS ||
		    head.sh_offset > p->n || head.sh_size > p->n - head.sh_offset ||
		    head.sh_offset % 8)
			continue;
		*bytes = head.sh_size;
		return p->bytes + head.sh_offset;
	}
	return NULL;
}

static uint64_t end_of_code(const struct program *p, uint64_t text)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	uint64_t end = text;
	while ((scn = elf_nextscn(p->elf, scn)))
		if (gelf_getshdr(scn, &head) && (head.sh_flags & SHF_EXECINSTR) &&
		    head.sh_addr >= text && head.sh_size < UINT64_MAX - head.sh_addr &&
		    head.sh_addr + head.sh_size > end)
			end = head.sh_addr + head.sh_size;
	return end;
}

bool program_moved_code(const struct program *p, struct moved_code *out)
{
	uint64_t bytes;
	const uint32_t *words = program_section(p, MOVED_SECTION, &bytes);
	if (!words || bytes < 8)
		return false;
	memcpy(&out->text, words, sizeof out->text);
	out->end = end_of_code(p, out->text);
	out->pairs = words + 2;
	out->count = bytes / 8 - 1;
	return true;
}

/* The first pair whose word `side` is not below value. */
static uint64_t moved_code_find_index(const struct moved_code *m, unsigned side, uint64_t value)
{
	uint64_t lo = 0, hi = m->count;
	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		if (m->pairs[2 * mid + side] < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The pair whose word `side` is value; NULL if none. */
static const uint32_t *moved_code_find_pair(const struct moved_code *m, unsigned side,
                                            uint64_t value)
{
	const uint64_t lo = moved_code_find_index(m, side, value);
	return lo < m->count && m->pairs[2 * lo + side] == value ? &m->pairs[2 * lo] : NULL;
}

uint64_t moved_code_to(const struct moved_code *m, uint64_t old)
{
	const uint32_t *pair = moved_code_find_pair(m, 1, old);
	return pair ? m->text + pair[0] : 0;
}

uint64_t moved_code_from(const struct moved_code *m, uint64_t now)
{
	const uint32_t *pair = now >= m->text ? moved_code_find_pair(m, 0, now - m->text) : NULL;
	return pair ? pair[1] : 0;
}

uint64_t moved_index(const struct moved_code *m, uint64_t now)
{
	return now > m->text ? moved_code_find_index(m, 0, now - m->text) : 0;
}

uint64_t moved_was_index(const struct moved_code *m, uint64_t was)
{
	return moved_code_find_index(m, 1, was);
}

bool moved_code_covers(const struct moved_code *m, uint64_t now)
{
	return now >= m->text && now < m->end;
}
