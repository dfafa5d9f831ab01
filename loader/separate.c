/* Debug information in a separate file, as in debug packages: found by the build id that both files
 * carry.
 *
 * It is looked for as usr/lib/debug/.build-id/ab/cdef.debug below the guest's / and its sysroot,
 * and as .build-id/ab/cdef.debug below the folders of --source; links that leave these are not
 * followed. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "core/os/os.h"
#include "loader/program_priv.h"

enum { BUILD_ID_MOST = 64, PATH_ROOM = 2 * BUILD_ID_MOST + 64 };

static bool has_section(Elf *elf, const char *name)
{
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr sh;
		const char *its =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (its && sh.sh_type != SHT_NOBITS && strcmp(its, name) == 0)
			return true;
	}
	return false;
}

/* Formats ".build-id/ab/cdef.debug"; false if there is no build id. */
static bool separate_format_build_id_path(const struct program *p, char *out)
{
	const void *id;
	const ssize_t n = dwelf_elf_gnu_build_id(p->elf, &id);
	const uint8_t *byte = id;
	if (n < 2 || n > BUILD_ID_MOST)
		return false;
	size_t used = (size_t)sprintf(out, ".build-id/%02x/", byte[0]);
	for (ssize_t i = 1; i < n; i++)
		used += (size_t)sprintf(out + used, "%02x", byte[i]);
	strcpy(out + used, ".debug");
	return true;
}

static bool same_id(const struct program *p, const struct program *separate)
{
	const void *a, *b;
	const ssize_t n = dwelf_elf_gnu_build_id(p->elf, &a);
	return n > 0 && dwelf_elf_gnu_build_id(separate->elf, &b) == n &&
	       memcmp(a, b, (size_t)n) == 0;
}

bool program_find_debug(struct program *p, const char *const *folders,
                        int (*open)(const void *ctx, const char *path), const void *ctx)
{
	char name[PATH_ROOM], path[PATH_ROOM + 20];
	if (has_section(p->elf, ".debug_info") || has_section(p->elf, ".zdebug_info") ||
	    !separate_format_build_id_path(p, name))
		return true;
	snprintf(path, sizeof path, "/usr/lib/debug/%s", name);
	int fd = open(ctx, path);
	for (; fd < 0 && folders && *folders; folders++)
		fd = os_open_library(&(struct os_trees){.root = *folders}, name);
	struct err err;
	struct program *separate = fd >= 0 ? program_open_separate(fd, p->path, &err) : NULL;
	if (!separate)
		return true;
	if (!same_id(p, separate)) {
		program_free(separate);
		return true;
	}
	p->separate = separate;
	symbols_deinit(&p->symbols);
	return symbols_read(p);
}
