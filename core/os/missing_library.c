/* Explains why a dynamically linked program finds no library. ld.so names the missing library, and
 * ends with status 127; the message here adds where it looked, and what helps.
 *
 * Host side, for messages only: notes the library last looked for with each open() that fails, also
 * when it is repeated. */
#include <stdio.h>
#include <string.h>

#include "core/os/os_priv.h"

enum { NOT_FOUND_STATUS = 127 }; /* of ld.so */

/* Debian's packages of the compilers' libraries. */
static const struct {
	const char *begins, *package;
} packages[] = {
	{"libstdc++.so", "libstdc++6-riscv64-cross"},
	{"libgcc_s.so", "libgcc-s1-riscv64-cross"},
	{"libgomp.so", "libgomp1-riscv64-cross"},
	{"libatomic.so", "libatomic1-riscv64-cross"},
	{"libgfortran.so", "libgfortran5-riscv64-cross"},
	{"libc.so", "libc6-riscv64-cross"},
	{"libm.so", "libc6-riscv64-cross"},
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Whether a name is that of a shared library, lib.so or lib.so.6, and not of ld.so's own files
 * (ld.so.cache). */
static bool is_library(const char *name)
{
	const char *so = strstr(name, ".so");
	return so && strncmp(name, "ld.so.", 6) != 0 && (so[3] == '\0' || so[3] == '.');
}

/* True if users know the folder; false for the variants that ld.so tries in each. */
static bool missing_is_usual_folder(const char *folder, size_t n)
{
	static const char tls[] = "/tls";
	return !memmem(folder, n, "/glibc-hwcaps", 13) &&
	       !(n >= sizeof tls - 1 &&
	         memcmp(folder + n - (sizeof tls - 1), tls, sizeof tls - 1) == 0);
}

void missing_note(struct os *os, const char *path, bool found)
{
	struct missing *m = &os->missing;
	const char *name = base_name(path);
	const size_t folder = name == path ? 0 : (size_t)(name - path) - (name - path > 1),
		     used = strlen(m->folders);
	if (!is_library(name) || strlen(name) >= sizeof m->name)
		return;
	if (strcmp(m->name, name) != 0) {
		if (found)
			return;
		*m = (struct missing){0};
		strcpy(m->name, name);
		missing_note(os, path, found);
		return;
	}
	if (found)
		*m = (struct missing){0};
	else if (missing_is_usual_folder(path, folder) && used + folder + 3 < sizeof m->folders)
		snprintf(m->folders + used, sizeof m->folders - used, "%s%.*s", used ? ", " : "",
		         folder ? (int)folder : 1, folder ? path : "/");
}

void missing_tell(struct os *os, int status)
{
	const struct missing *m = &os->missing;
	const char *package = NULL;
	if (status != NOT_FOUND_STATUS || !m->name[0])
		return;
	for (size_t i = 0; i < sizeof packages / sizeof *packages && !package; i++)
		if (strncmp(m->name, packages[i].begins, strlen(packages[i].begins)) == 0)
			package = packages[i].package;
	os_warnf(os,
	         "%s is in none of %s, of the program's own / (the current directory) and of its "
	         "sysroot%s: copy it there, or "
	         "--env LD_LIBRARY_PATH=FOLDER, a folder below / (--dir puts others "
	         "there), or --sysroot FOLDER%s%s",
	         m->name, m->folders[0] ? m->folders : "its folders",
	         os->sysroot >= 0 ? "" : ", which is not there",
	         package ? ", or apt-get install " : "", package ? package : "");
}
