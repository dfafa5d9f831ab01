/* Folders of the host that the guest has in its tree (--dir), as if they were mounted there:
 * whatever its "/" has of that name is hidden.
 *
 * A path from the guest's root says which folder it lies in: the deepest whose place it begins
 * with. Nothing else is kept, so what a restored machine has open is found, and may be written, by
 * the folders of this process and no others. Folders on the way to such a place that the tree does
 * not have are made up, as /dev is: one may pass through, and there is nothing to list. */
#include <fcntl.h>
#include <string.h>

#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/os/host.h"
#include "core/os/tree.h"

/* Characters of `path` behind the place, "" or "/rest"; NULL: it is neither that place nor below
 * it. */
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
