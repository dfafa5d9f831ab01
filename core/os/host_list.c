/* Questions to the host about a directory's contents: records by name, as getdents64() gives
 * them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os/host.h"
#include "core/os/host_questions.h"
#include "core/os/inode.h"
#include "core/os/tree.h"

static int host_list_compare_names(const struct dirent **a, const struct dirent **b)
{
	/* the same everywhere, unlike the host's order */
	return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t record_bytes(const char *name)
{
	return (sizeof(struct lx_dirent) + strlen(name) + 1 + 7) & ~(size_t)7;
}

static size_t host_list_append_record(uint8_t *at, size_t pos, const char *name, uint64_t ino,
                                      uint8_t type)
{
	size_t n = record_bytes(name);
	struct lx_dirent d = {
		.ino = ino, .off = (int64_t)(pos + n), .reclen = (uint16_t)n, .type = type};
	memset(at + pos, 0, n);
	memcpy(at + pos, &d, sizeof d);
	memcpy(at + pos + sizeof d, name, strlen(name));
	return pos + n;
}

/* Inode number and type of one name of a directory, as stat() reports them. 0: it no longer exists;
 * or -errno. */
static int64_t host_list_inode_number(struct os *os, int fd, const char *dir, const char *name,
                                      uint8_t *type)
{
	enum { TYPE_SHIFT = 12 };
	char path[LX_PATH_MAX];
	struct host_stat h;
	struct stat st;
	const enum os_device device = device_named(dir, name);
	const bool up = strcmp(name, "..") == 0;
	const size_t root = path_is_sysroot(dir) ? 2 : 0; /* bytes of its tree's root */
	const char *slash = strrchr(dir + root, '/');
	const struct tree own = own_tree(os);
	const bool top = !dir[root] || folder_at(&own, dir),
		   here = strcmp(name, ".") == 0 || (up && top);
	if (up)
		snprintf(path, sizeof path, "%.*s", (int)(slash ? (size_t)(slash - dir) : root),
		         dir);
	else
		snprintf(path, sizeof path, "%s%s%s", dir, dir[root] ? "/" : "", name);
	const struct folder *folder = here ? NULL : folder_at(&own, path);
	const int has = host_has(folder ? folder->fd : fd, here || folder ? "." : name, &st);
	if (has <= 0)
		return has;
	if (device != DEVICE_NONE || (!here && !S_ISDIR(st.st_mode) && folder_below(&own, path)))
		device_stat(os, device != DEVICE_NONE ? device : DEVICE_DIR, &h);
	else
		inode_fill(os, &st, here ? dir : path, &h);
	*type = (uint8_t)(h.mode >> TYPE_SHIFT);
	return (int64_t)h.ino;
}

/* Marks the numbers in a repeated listing as given out. */
static void see_listed(struct os *os, const struct journal_entry *e)
{
	const uint8_t *records = journal_payload(e);
	struct lx_dirent d;
	for (uint64_t pos = 0; pos < e->n; pos += d.reclen) {
		memcpy(&d, records + pos, sizeof d);
		inode_seen(os, d.ino);
	}
}

int64_t host_list(struct os *os, unsigned file)
{
	const char *dir = os->st->file[file].path;
	uint32_t key = ask_key(dir, &file, sizeof file);
	const struct journal_entry *done = log_replay(os, JOURNAL_LIST, key);
	if (done) {
		see_listed(os, done);
		return done->ret;
	}
	int fd = host_descriptor(os, file), n = fd;
	struct dirent **names = NULL;
	while (fd >= 0 && (n = scandirat(fd, ".", &names, NULL, host_list_compare_names)) < 0 &&
	       errno == EINTR)
		;
	int err = fd < 0 ? fd : n < 0 ? -errno : 0;
	size_t room = 0, text = 0;
	for (int i = 0; i < n && names; i++) {
		room += record_bytes(names[i]->d_name);
		text += strlen(dir) + strlen(names[i]->d_name) + 2;
	}
	if (!err && !inodes_reserve(os, (size_t)n, text))
		err = -ENOMEM;
	struct journal_entry *e = log_open(os, JOURNAL_LIST, key, room);
	if (e) {
		e->ret = err;
		for (int i = 0; i < n && names && !err; i++) {
			uint8_t type;
			const int64_t ino =
				host_list_inode_number(os, fd, dir, names[i]->d_name, &type);
			if (ino > 0)
				e->n = host_list_append_record(log_payload(e), e->n,
				                               names[i]->d_name, (uint64_t)ino,
				                               type);
			else
				err = (int)ino;
		}
		e->ret = err;
		e->n = err ? 0 : e->n;
		log_close(os, e);
	}
	for (int i = 0; i < n && names; i++)
		free(names[i]);
	free(names);
	return e ? e->ret : -ENOMEM;
}
