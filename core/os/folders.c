/* Folders of the host in the guest's tree (--dir), as if mounted there: what the tree has under
 * that name is hidden.
 *
 * A path from the guest's root lies in the deepest folder whose place it begins with. No other
 * state is kept, so this process's folders alone decide where a restored machine's open files are
 * found, and whether they may be written. Directories on the way to such a place that the tree
 * lacks are made up, as /dev is: paths lead through them, and they list nothing. */
#include <fcntl.h>
#include <string.h>

#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/os/host.h"
#include "core/os/tree.h"

/* Rest of `path` after the place, "" or "/rest"; NULL: it is neither that place nor below it. */
static const char *folder_path_suffix(const char *path, const char *place)
{
	const size_t n = strlen(place);
	return strncmp(path, place, n) == 0 && (path[n] == '\0' || path[n] == '/') ? path + n
	                                                                           : NULL;
}

const struct folder *folder_of(const struct tree *t, const char *path)
{
	const struct folder *best = NULL;
	for (unsigned i = 0; i < t->folders; i++)
		if (folder_path_suffix(path, t->folder[i].at) &&
		    (!best || strlen(t->folder[i].at) > strlen(best->at)))
			best = &t->folder[i];
	return best;
}

const struct folder *folder_at(const struct tree *t, const char *path)
{
	const struct folder *f = folder_of(t, path);
	return f && strlen(f->at) == strlen(path) ? f : NULL;
}

bool folder_below(const struct tree *t, const char *path)
{
	for (unsigned i = 0; i < t->folders; i++) {
		const char *rest = folder_path_suffix(t->folder[i].at, path);
		if (rest && *rest)
			return true;
	}
	return false;
}

void os_set_folders(struct os *os, const struct os_folder *folders, unsigned n)
{
	while (os->folders)
		if (os->folder[--os->folders].fd >= 0)
			close(os->folder[os->folders].fd);
	for (unsigned i = 0; i < n && i < OS_FOLDERS; i++) {
		struct folder *f = &os->folder[os->folders++];
		*f = (struct folder){.fd = host_open_folder(folders[i].host),
		                     .writing = folders[i].writing};
		strncpy(f->at, folders[i].at, sizeof f->at - 1);
		if (f->writing && f->fd >= 0)
			output_guest_folder(f->fd);
	}
}
