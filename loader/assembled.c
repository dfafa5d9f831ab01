#include "loader/assembled_note.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "core/os/os.h"
#include "loader/program_priv.h"

static bool assembled_find(Elf *elf, struct assembled *out)
{
	size_t names;
	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr sh;
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		const Elf_Data *data =
			name && !strcmp(name, ASSEMBLED_SECTION) ? elf_getdata(scn, NULL) : NULL;
		if (data && data->d_buf && data->d_size == sizeof *out) {
			memcpy(out, data->d_buf, sizeof *out);
			return out->abi < OS_ABIS && out->text_end < MEM_TOP;
		}
	}
	return false;
}

struct assembled program_assembled(const struct program *p)
{
	struct assembled a;
	return assembled_find(p->elf, &a) ? a : (struct assembled){0};
}

void program_last_place(const struct program *p, char *buf, size_t n)
{
	const struct assembled a = program_assembled(p);
	const struct symbol *s = a.text_end ? program_symbol_at(p, a.text_end - 1) : NULL;
	struct source_line at;
	*buf = '\0';
	const bool line = a.text_end && program_line_at(p, a.text_end - 1, &at) && at.line;
	const char *slash = line ? strrchr(at.file, '/') : NULL, *file = slash ? slash + 1 : NULL;
	if (line && !file)
		file = at.file;
	if (line && s)
		snprintf(buf, n, "at %s (%s:%u)", s->name, file, at.line);
	else if (line || s)
		snprintf(buf, n, line ? "at %s:%u" : "at %s", line ? file : s->name, at.line);
}

bool program_ran_past_end(const struct program *p, uint64_t pc, char *buf, size_t n)
{
	enum { NEAR_BYTES = 16 };
	const struct assembled a = program_assembled(p);
	char place[256];
	*buf = '\0';
	if (!a.text_end || pc - a.text_end >= NEAR_BYTES)
		return false;
	program_last_place(p, place, sizeof place);
	snprintf(buf, n, "ran past its last instruction%s%s; it needs exit: %s",
	         *place ? ", " : "", place, os_abi_exit((enum os_abi)a.abi));
	return true;
}
