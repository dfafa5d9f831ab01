#include "ui/child/environment.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"

/* Lists of folders between colons: of shells, interpreters, gcc, the dynamic linker, ncurses. */
static const char *const lists[] = {
	"PATH",          "LD_LIBRARY_PATH", "LD_PRELOAD",     "COMPILER_PATH",
	"LIBRARY_PATH",  "CPATH",           "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
	"XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "TERMINFO_DIRS",  "CCACHE_PATH",
	"LD_AUDIT",      "FPATH",           "PYTHONPATH",     "PERL5LIB",
};

/* Variables that name a single folder, file or program. */
static const char *const places[] = {
	"HOME",
	"TMPDIR",
	"XDG_CONFIG_HOME",
	"XDG_DATA_HOME",
	"XDG_STATE_HOME",
	"XDG_CACHE_HOME",
	"XDG_RUNTIME_DIR",
	"TERMINFO",
	"INPUTRC",
	"SHELL",
	"GCC_EXEC_PREFIX",
	"LOCPATH",
	"GCONV_PATH",
	"ENV",
	"BASH_ENV",
	"ZDOTDIR",
	"HISTFILE",
	"EDITRC",
	"LESSKEY",
	"LESSKEYIN",
};

/* Keeps the entries that begin with a slash. */
static void keep_absolute(char *list)
{
	char *to = list;
	for (const char *from = list; *from;) {
		const size_t n = strcspn(from, ":");
		const bool more = from[n] == ':';
		if (*from == '/') {
			if (to > list)
				*to++ = ':';
			memmove(to, from, n);
			to += n;
		}
		from += n + more;
	}
	*to = '\0';
}

void environment_make_absolute(void)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const char *value = getenv(lists[i]);
		char *list = value ? alloc_text(value) : NULL;
		if (list)
			keep_absolute(list);
		if (list && *list)
			setenv(lists[i], list, 1);
		else
			unsetenv(lists[i]);
		free(list);
	}
	if (!getenv("PATH"))
		setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		const char *value = getenv(places[i]);
		if (value && *value != '/')
			unsetenv(places[i]);
	}
}

/* ---- files that libraries open ---- */
/* Writes a path; false: it is too long, or a part of it is missing. */
static bool environment_path(char *out, const char *folder, const char *name)
{
	const int n = folder && name ? snprintf(out, PATH_MAX, "%s/%s", folder, name) : -1;
	return n > 0 && n < PATH_MAX;
}

static bool environment_is_pipe(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

enum environment_entry { ENTRY_NONE, ENTRY_FILE, ENTRY_PIPE };

/* Looks for a terminal's description below a folder, by its first letter or that letter's code. */
static enum environment_entry environment_terminfo_entry(const char *folder, const char *type)
{
	char letter[3][4], name[300], path[PATH_MAX];
	const unsigned char first = (unsigned char)*type;
	enum environment_entry found = ENTRY_NONE;
	snprintf(letter[0], sizeof letter[0], "%c", first);
	snprintf(letter[1], sizeof letter[1], "%02x", first);
	snprintf(letter[2], sizeof letter[2], "%x", first);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "%s/%s", letter[i], type);
		if (!environment_path(path, folder, name))
			continue;
		if (environment_is_pipe(path))
			return ENTRY_PIPE;
		found = access(path, R_OK) == 0 ? ENTRY_FILE : found;
	}
	return found;
}

void environment_avoid_pipe_of_terminal(const char *type)
{
	static const char *const of_system[] = {"/etc/terminfo", "/lib/terminfo",
	                                        "/usr/share/terminfo"};
	char own[PATH_MAX];
	enum environment_entry found = ENTRY_NONE;
	if (!type || !*type || strchr(type, '/') || strlen(type) > 255)
		return;
	const char *first = getenv("TERMINFO");
	if (first)
		found = environment_terminfo_entry(first, type);
	if (found == ENTRY_NONE && environment_path(own, getenv("HOME"), ".terminfo"))
		found = environment_terminfo_entry(own, type);
	for (size_t i = 0; found == ENTRY_PIPE && i < sizeof of_system / sizeof *of_system; i++)
		if (environment_terminfo_entry(of_system[i], type) == ENTRY_FILE) {
			setenv("TERMINFO", of_system[i], 1);
			return;
		}
	if (found == ENTRY_PIPE && strcmp(type, "dumb") != 0) {
		setenv("TERM", "dumb", 1);
		environment_avoid_pipe_of_terminal("dumb");
	}
}

void environment_avoid_pipes(void)
{
	char own[PATH_MAX];
	const char *keys = getenv("INPUTRC");
	if (!keys && environment_path(own, getenv("HOME"), ".inputrc"))
		keys = own;
	if (keys && environment_is_pipe(keys))
		setenv("INPUTRC", "/etc/inputrc", 1);
	environment_avoid_pipe_of_terminal(getenv("TERM"));
}

/* ---- compilers ---- */
/* An entry that ends in '_' is a prefix of names. */
static const char *const bare[] = {
	"PATH=", "HOME=",   "LANG=",           "LANGUAGE=",          "LC_",
	"TERM=", "TMPDIR=", "XDG_CACHE_HOME=", "SOURCE_DATE_EPOCH=", "CCACHE_",
};

static bool environment_is_bare(const char *variable)
{
	const char *value = variable + strcspn(variable, "=");
	size_t i = 0, n = sizeof bare / sizeof *bare;
	while (i < n && strncmp(variable, bare[i], strlen(bare[i])) != 0)
		i++;
	value += *value == '=';
	/* A wrapper's program or folder, too, is named by its whole path. */
	return i < n && *value != '.' && (*value == '/' || !strchr(value, '/'));
}

void environment_keep_bare(void)
{
	char **to = environ;
	for (char **from = environ; from && *from; from++)
		if (environment_is_bare(*from))
			*to++ = *from;
	if (to)
		*to = NULL;
	setenv("SOURCE_DATE_EPOCH", "0", 0);
}
