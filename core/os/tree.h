/* The guest's tree: where a path leads, devices, folders of the host's, libraries. */
#ifndef CYCLOPS_CORE_OS_TREE_H
#define CYCLOPS_CORE_OS_TREE_H

#include "core/os/os_priv.h"

struct host_stat;

/* device.c: our own devices below /dev */
#define DEVICE_FOLDER "dev" /* from the root */
enum os_device {
	DEVICE_NONE,
	DEVICE_DIR, /* /dev itself, if the tree has no /dev */
	DEVICE_NULL,
	DEVICE_ZERO,
	DEVICE_RANDOM,
	DEVICE_URANDOM,
	DEVICE_TTY,
	DEVICE_COUNT
};

/* The device called name in the directory dir (a path from the root). */
enum os_device device_named(const char *dir, const char *name);
bool file_is_device(const struct os_file *f);
void device_stat(const struct os *os, enum os_device device, struct host_stat *out);
void device_stat_file(const struct os *os, const struct os_file *f, struct host_stat *out);
/* 0 and the kind of an open file, or -errno. slash = a slash followed the name. */
int device_open(enum os_device device, uint32_t flags, bool slash, uint8_t *kind);
int device_access(enum os_device device, bool slash, int mode);
/* Bytes a read delivers, at most n. */
int64_t device_read(struct os_state *st, const struct os_file *f, uint8_t *bytes, size_t n);

/* path.c: where a path leads, without ever leaving the root */
/* Where a path is looked up. */
struct tree {
	int root;                    /* O_PATH descriptor, or -errno */
	const struct folder *folder; /* [folders], hiding the root's names at their places */
	unsigned folders;
};

static inline struct tree own_tree(const struct os *os)
{
	return (struct tree){os->root, os->folder, os->folders};
}

struct located {
	/* O_PATH descriptor of the directory that holds it; the receiver closes it */
	int dir;
	char last[LX_NAME_MAX + 1];  /* name in dir, or "." */
	char path[LX_PATH_MAX];      /* from the root, no symbolic links, no ".."; "" = root */
	bool slash;                  /* the path ended in a slash: only a directory will do */
	enum os_device device;       /* not DEVICE_NONE: our own, hiding that name of dir */
};

/* Walks path (relative to the root) one component at a time. follow = also through a symbolic link
 * at the end (a trailing slash follows too unless `parent`). parent = the end need not exist or be
 * looked at: for creating and removing. 0 or -errno; a link that leads outside is -ENOENT. */
int path_locate(const struct tree *tree, const char *path, bool follow, bool parent,
                struct located *out);
/* folders.c: paths from the root, canonical */
/* The folder that the path is or lies in; NULL: the path is in the root's own tree. */
const struct folder *folder_of(const struct tree *t, const char *path);
/* The folder with this place. */
const struct folder *folder_at(const struct tree *t, const char *path);
/* Whether a folder lies below the path: then it is a directory, even if the root has another file
 * there. */
bool folder_below(const struct tree *t, const char *path);
/* sysroot.c: the choice between the trees */
bool path_is_sysroot(const char *path);
/* Locates a path to be read, existing or not, in the guest's tree or in the sysroot. */
int path_to_read(const struct os *os, const char *path, bool follow, struct located *out);
/* Locates a path to be made, changed, removed or gone to, in the guest's tree, or -EROFS. */
int path_to_change(const struct os *os, const char *path, bool follow, bool parent,
                   struct located *out);
/* Target of our own link at this path; NULL: none. */
const char *path_own_link(const struct os *os, const char *path);
/* Locates a path by the name that path_to_read() found. */
int path_locate_known(const struct os *os, const char *path, struct located *out);
/* Whether the path is from the root, without "..", "." or extra slashes: as path_locate() returns
 * it. */
bool path_is_canonical(const char *path);
/* Reads the guest's path at addr and resolves it against dirfd: out[LX_PATH_MAX], relative to the
 * root. 0 or -errno. An empty path is -ENOENT. */
int path_from_guest(struct call *c, int dirfd, uint64_t addr, char *out);

#endif
