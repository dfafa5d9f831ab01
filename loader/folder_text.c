#include "loader/folder_text.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define RIGHT "expected /PLACE=FOLDER, or /PLACE=FOLDER:rw to let the program write there"

/* Checks where the program sees the folder; makes it a canonical path, in its place. */
static bool folder_text_normalize_place(char *place, struct err *err)
{
	char *end = place;
	for (const char *s = place; *s;) {
		const size_t n = strcspn(s, "/");
		if ((n == 1 && s[0] == '.') || (n == 2 && memcmp(s, "..", 2) == 0))
			return err_set(err, "a place without . and .. is needed");
		if (n && end > place)
			*end++ = '/';
		memmove(end, s, n);
		end += n;
		s += n + (s[n] == '/');
	}
	*end = '\0';
	if (!*place)
		return err_set(err, "its / is the current directory: start cyclops in that folder, "
		                    "or give it another place");
	if (strcmp(place, "dev") == 0 || strncmp(place, "dev/", 4) == 0)
		return err_set(err, "/dev is the machine's own");
	return strlen(place) < OS_PATH / 2 || err_set(err, "that place has too long a name");
}

/* Splits an optional :rw from the folder's name. */
static bool take_host(char *host, bool *writing, struct err *err)
{
	static const char suffix[] = ":rw";
	const size_t n = strlen(host), s = sizeof suffix - 1;
	*writing = n >= s && strcmp(host + n - s, suffix) == 0;
	if (*writing)
		host[n - s] = '\0';
	return *host || err_set(err, "no folder given; " RIGHT);
}

bool folder_is_there(const struct os_folder *f, struct err *err)
{
	struct stat st;
	if (stat(f->host, &st) != 0)
		return err_set(err, "%.300s: %s", f->host, strerror(errno));
	return S_ISDIR(st.st_mode) || err_set(err, "%.300s: %s", f->host, strerror(ENOTDIR));
}

bool folder_text_add(struct os_folder *all, unsigned *count, const char *text, char *room,
                     struct err *err)
{
	struct os_folder f = {.at = room + 1};
	strcpy(room, text);
	char *equals = strchr(room, '=');
	if (*room != '/' || !equals)
		return err_set(err, RIGHT);
	if (*count == OS_FOLDERS)
		return err_set(err, "at most %d of them", OS_FOLDERS);
	*equals = '\0';
	f.host = equals + 1;
	if (!folder_text_normalize_place(room + 1, err) || !take_host(equals + 1, &f.writing, err))
		return false;
	for (unsigned i = 0; i < *count; i++)
		if (strcmp(all[i].at, f.at) == 0)
			return err_set(err, "/%s is %s already", f.at, all[i].host);
	all[(*count)++] = f;
	return true;
}
