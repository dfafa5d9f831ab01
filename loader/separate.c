/* Debug information in a separate file, as in debug packages: found by the build id that both files
 * carry, or by the name and checksum in .gnu_debuglink.
 *
 * By build id it is looked for as usr/lib/debug/.build-id/ab/cdef.debug below the guest's / and
 * its sysroot, and as .build-id/ab/cdef.debug below the folders of --source; by name in these
 * folders. Links that leave them are not followed. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The name in .gnu_debuglink, and the file's checksum; NULL: none, or a name with a folder. */
static const char *separate_link(const struct program *p, uint32_t *sum)
{
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(p->elf, &crc);
	if (!name || !*name || strchr(name, '/') || !strcmp(name, "..") ||
	    strlen(name) >= PATH_ROOM)
		return NULL;
	*sum = crc;
	return name;
}

/* Whether the file's CRC-32 is `sum`. */
static bool separate_has_checksum(int fd, uint32_t sum)
{
	uint8_t block[1 << 16];
	uint32_t table[16], crc = UINT32_MAX;
	ssize_t n;
	off_t at = 0;
	for (unsigned i = 0; i < 16; i++) {
		table[i] = i;
		for (unsigned k = 0; k < 4; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (; (n = pread(fd, block, sizeof block, at)) > 0; at += n)
		for (ssize_t i = 0; i < n; i++) {
			crc = table[(crc ^ block[i]) & 15] ^ crc >> 4;
			crc = table[(crc ^ (uint32_t)(block[i] >> 4)) & 15] ^ crc >> 4;
		}
	return n == 0 && ~crc == sum;
}

static struct program *separate_by_build_id(const struct program *p, const char *const *folders,
                                            int (*open)(const void *ctx, const char *path),
                                            const void *ctx)
{
	char name[PATH_ROOM], path[PATH_ROOM + 20];
	struct err err;
	if (!separate_format_build_id_path(p, name))
		return NULL;
	snprintf(path, sizeof path, "/usr/lib/debug/%s", name);
	int fd = open(ctx, path);
	for (; fd < 0 && folders && *folders; folders++)
		fd = os_open_library(&(struct os_trees){.root = *folders}, name);
	struct program *separate = fd >= 0 ? program_open_separate(fd, p->path, &err) : NULL;
	if (separate && !same_id(p, separate)) {
		program_free(separate);
		separate = NULL;
	}
	return separate;
}

static struct program *separate_by_link(const struct program *p, const char *const *folders,
                                        const char *name, uint32_t sum)
{
	struct err err;
	for (; folders && *folders; folders++) {
		const int fd = os_open_library(&(struct os_trees){.root = *folders}, name);
		if (fd < 0)
			continue;
		if (separate_has_checksum(fd, sum))
			return program_open_separate(fd, p->path, &err);
		close(fd);
	}
	return NULL;
}

bool program_find_debug(struct program *p, const char *const *folders,
                        int (*open)(const void *ctx, const char *path), const void *ctx)
{
	uint32_t sum = 0;
	if (has_section(p->elf, ".debug_info") || has_section(p->elf, ".zdebug_info"))
		return true;
	const char *link = separate_link(p, &sum);
	struct program *separate = separate_by_build_id(p, folders, open, ctx);
	if (!separate && link)
		separate = separate_by_link(p, folders, link, sum);
	p->separate = separate;
	if (separate) {
		symbols_deinit(&p->symbols);
		return symbols_read(p);
	}
	if (link)
		snprintf(p->debug_missing, sizeof p->debug_missing,
		         "its debug information is in %.200s: give that file's folder as --source",
		         link);
	return true;
}

const char *program_debug_missing(const struct program *p)
{
	return p->debug_missing;
}
