#include "ui/cli/folder_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RIGHT "right: --dir /PLACE=FOLDER, or --dir /PLACE=FOLDER:rw to let the program write there"

/* Where the program is to have it: [place, place + n), made canonical. NULL with *err. */
static char *take_place(const char *place, size_t n, struct err *err)
{
	char *at = malloc(n + 1), *end = at;
	if (!at) {
		err_set(err, "--dir: out of memory");
		return NULL;
	}
	for (const char *s = place; s < place + n;) {
		const char *slash = memchr(s, '/', (size_t)(place + n - s)), *next = slash ? slash : place + n;
		const size_t name = (size_t)(next - s);
		if ((name == 1 && s[0] == '.') || (name == 2 && memcmp(s, "..", 2) == 0)) {
			err_set(err, "--dir %.*s: a place without . and .. is needed", (int)n, place);
			free(at);
			return NULL;
		}
		if (name && end > at)
			*end++ = '/';
		memcpy(end, s, name);
		end += name;
		s = next + (slash != NULL);
	}
	*end = '\0';
	const char *why = !*at ? "its / is the current directory: start cyclops in that folder, or give it another place"
	                  : strcmp(at, "dev") == 0 || strncmp(at, "dev/", 4) == 0 ? "/dev is the machine's own"
	                  : strlen(at) >= OS_PATH / 2 ? "that place has too long a name" : NULL;
	if (!why)
		return at;
	err_set(err, "--dir %.*s: %s", (int)n, place, why);
	free(at);
	return NULL;
}

/* The folder's name with :rw or without, where :rw is no part of the name. */
static char *take_host(const char *value, bool *writing, struct err *err)
{
	static const char suffix[] = ":rw";
	struct stat st;
	const size_t n = strlen(value), s = sizeof suffix - 1;
	char *host = strdup(value);
	if (!host) {
		err_set(err, "--dir: out of memory");
		return NULL;
	}
	*writing = n > s && strcmp(host + n - s, suffix) == 0;
	if (*writing)
		host[n - s] = '\0';
	if (stat(host, &st) == 0 && S_ISDIR(st.st_mode))
		return host;
	if (*host)
		err_set(err, "--dir: %.300s: %s", host, stat(host, &st) == 0 ? strerror(ENOTDIR) : strerror(errno));
	else
		err_set(err, "--dir: which folder? " RIGHT);
	free(host);
	return NULL;
}

bool folder_options_add(struct folder_options *o, const char *value, struct err *err)
{
	const char *equals = strchr(value, '=');
	if (*value != '/' || !equals)
		return err_set(err, "--dir %s: " RIGHT, value);
	if (o->count == OS_FOLDERS)
		return err_set(err, "--dir: at most %d of them", OS_FOLDERS);
	bool writing;
	char *at = take_place(value, (size_t)(equals - value), err), *host = at ? take_host(equals + 1, &writing, err) : NULL;
	for (unsigned i = 0; host && i < o->count; i++)
		if (strcmp(o->folder[i].at, at) == 0) {
			err_set(err, "--dir: /%s is %s already", at, o->folder[i].host);
			free(host);
			host = NULL;
		}
	if (!host) {
		free(at);
		return false;
	}
	o->folder[o->count++] = (struct os_folder){at, host, writing};
	return true;
}

void folder_options_deinit(struct folder_options *o)
{
	while (o->count) {
		const struct os_folder *f = &o->folder[--o->count];
		free((char *)(uintptr_t)f->at);
		free((char *)(uintptr_t)f->host);
	}
}
