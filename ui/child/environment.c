#include "ui/child/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
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
