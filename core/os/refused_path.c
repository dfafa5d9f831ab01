/* A program that asks for a file outside of its tree gets ENOENT. A warning then names the file
 * once, and the option that would give it.
 *
 * Host side, for messages only: the program sees no difference. Nothing is opened; names are looked
 * up as the host has them, for the first few questions that failed, and not when they are
 * repeated. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/descriptor_path.h"
#include "core/os/host.h"
#include "core/os/tree.h"

enum { TRIES = 64 }; /* most questions looked at */

/* Files that C libraries try and do without, and files of another machine. */
static const char *const usual[] = {"/etc/ld.so.cache",
                                    "/etc/ld.so.preload",
                                    "/etc/localtime",
                                    "/etc/nsswitch.conf",
                                    "/usr/share/zoneinfo",
                                    "/usr/share/locale",
                                    "/usr/lib",
                                    "/lib",
                                    "/proc",
                                    "/sys",
                                    "/dev"};

static bool refused_path_is_usual(const char *path)
{
	static const char shared[] = "/dev/shm/"; /* shared memory: the program's own files */
	if (strncmp(path, shared, strlen(shared)) == 0)
		return false;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		const size_t n = strlen(usual[i]);
		if (strncmp(path, usual[i], n) == 0 && (path[n] == '/' || !path[n]))
			return true;
	}
	return false;
}

/* Path from the root without . and .. in `out`, [PATH_MAX], "" or "/a/b"; false if it went above
 * the root. */
static bool refused_path_normalize(const char *path, char *out)
{
	bool within = true;
	size_t n = 0;
	while (*(path += strspn(path, "/"))) {
		const size_t len = strcspn(path, "/");
		if (len == 2 && path[0] == '.' && path[1] == '.') {
			within &= n > 0;
			while (n && out[--n] != '/')
				;
		} else if (!(len == 1 && path[0] == '.') && n + len + 1 < PATH_MAX) {
			out[n++] = '/';
			memcpy(out + n, path, len);
			n += len;
		}
		path += len;
	}
	out[n] = '\0';
	return within;
}

/* Cuts the last name off a path. */
static void cut_name(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Finds the real path, in real[PATH_MAX], of the host's file of this name, or of the folder for a
 * file to be made. */
static bool host_real(const char *path, bool makes, char *real)
{
	char name[PATH_MAX];
	if (strlen(path) >= sizeof name)
		return false;
	strcpy(name, path);
	if (makes)
		cut_name(name);
	return *name && realpath(name, real);
}

/* Rest of real below the root, "" or "/rest"; NULL: it lies elsewhere. */
static const char *from_root(const char *real, const char *root)
{
	const size_t n = strlen(root);
	return strncmp(real, root, n) == 0 && (real[n] == '/' || !real[n]) ? real + n : NULL;
}

static void refused_path_report_outside(struct os *os, const char *asked, const char *guest,
                                        const char *real, bool makes)
{
	char place[PATH_MAX], folder[PATH_MAX];
	strcpy(place, guest);
	strcpy(folder, real);
	if (makes || !is_folder(real))
		cut_name(place);
	if (!makes && !is_folder(real))
		cut_name(folder);
	os->outside_told = true;
	if (strncmp(place, "/dev/", 5) == 0 && makes)
		os_warnf(os,
		         "the program asked for %.200s: named shared memory and semaphores do not "
		         "exist here; within a program memfd_create and sem_init work",
		         asked);
	else if (!*place || !*folder || strncmp(place, "/dev/", 5) == 0) /* --dir can't help */
		os_warnf(os,
		         "the program asked for %.200s, which is outside of its / (the current "
		         "directory): start cyclops in %.200s, or copy it here",
		         asked, *folder ? folder : "/");
	else
		os_warnf(os,
		         "the program asked for %.120s, which is outside of its / (the current "
		         "directory): --dir %.120s=%.120s%s lets it %s that folder",
		         asked, place, folder, makes ? ":rw" : "", makes ? "write to" : "read");
}

void outside_note(struct os *os, const char *path, bool makes)
{
	char root[PATH_MAX], name[2 * PATH_MAX], real[PATH_MAX], flat[PATH_MAX];
	if (!os->warn || os->outside_told || os->root < 0 || path_is_sysroot(path) ||
	    refused_path_is_usual(path) || os->outside_tries++ >= TRIES)
		return;
	if (!descriptor_target(os->root, root, sizeof root) || !root[1])
		return; /* nothing is outside of "/" */
	const bool within = refused_path_normalize(path, flat);
	if (*path == '/' && host_real(path, makes, real)) {
		const char *rest = from_root(real, root);
		if (!rest) {
			refused_path_report_outside(os, path, flat, real, makes);
		} else {
			os->outside_told = true;
			os_warnf(os,
			         "the program asked for %.200s: its / is the current directory, "
			         "where the path is %.200s%s",
			         path, rest,
			         makes   ? strrchr(path, '/')
			         : *rest ? ""
			                 : "/");
		}
		return;
	}
	snprintf(name, sizeof name, "%s/%s", root, path);
	if (*path == '/' || !host_real(name, makes, real) || from_root(real, root))
		return;
	if (!within) {
		refused_path_report_outside(os, path, flat, real, makes);
		return;
	}
	os->outside_told = true;
	os_warnf(os,
	         "the program asked for %.200s, a link out of its / (the current directory): copy "
	         "%.200s here",
	         path, real);
}
