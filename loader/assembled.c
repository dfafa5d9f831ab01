#include "loader/assembled_note.h"

#include <gelf.h>
#include <string.h>

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
