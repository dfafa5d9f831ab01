#include "core/os/inode.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/os/host_file.h"
#include "core/os/host_questions.h"
#include "core/os/inode_priv.h"
#include "core/os/scheduling.h"
#include "core/os/tree.h"

/* Removed files, unless open, are forgotten when they are more than REMOVED_MOST and more than a
 * quarter of all. */
enum { REMOVED_MOST = 1024, REMOVED_SHARE = 4 };
enum { RULE_FILE = 0644, RULE_EXECUTABLE = 0755, RULE_LINK = 0777, DIRECTORY_BYTES = 4096 };

void inodes_free(struct os *os)
{
	for (size_t i = 0; i < os->inodes.count; i++)
		listing_drop(os->inodes.all[i].listing);
	free(os->inodes.all);
	chains_free(&os->inodes.chains);
	file_names_free(&os->inodes.names);
	os->inodes = (struct inodes){0};
}

/* ---- room ---- */

static uint64_t inode_hash(uint64_t dev, uint64_t ino)
{
	return hash_word(hash_word(HASH_WORDS_START, dev), ino);
}

static void inode_hash_insert(struct inodes *t, struct inode *n)
{
	chains_insert(&t->chains, inode_hash(n->dev, n->ino), (uint32_t)(n - t->all) + 1, &n->next);
}

static void inode_hash_remove(struct inodes *t, const struct inode *n)
{
	uint32_t *at = chains_at(&t->chains, inode_hash(n->dev, n->ino));
	while (&t->all[*at - 1] != n)
		at = &t->all[*at - 1].next;
	*at = n->next;
}

static bool reserve_chains(struct inodes *t, size_t files)
{
	bool empty;
	if (!chains_reserve(&t->chains, files, &empty))
		return false;
	for (size_t i = 0; empty && i < t->count; i++)
		if (inode_is_found(&t->all[i]))
			inode_hash_insert(t, &t->all[i]);
	return true;
}

static bool reserve_files(struct inodes *t, size_t files)
{
	const size_t need = t->count + files;
	if (need <= t->cap)
		return true;
	if (need >= UINT32_MAX)
		return false;
	const size_t cap = 2 * need < 64 ? 64 : 2 * need;
	/* on failure the machine waits and tries again */
	struct inode *all = alloc_try_resize(t->all, cap * sizeof *all);
	if (!all)
		return false;
	t->all = all;
	t->cap = cap;
	return true;
}

/* ---- finding ---- */

static void let_go(struct inodes *t, struct inode *n)
{
	if (inode_is_found(n))
		inode_hash_remove(t, n);
	t->removed -= n->state == INODE_REMOVED;
	file_names_drop(&t->names, n->name);
	listing_drop(n->listing);
	*n = (struct inode){.state = INODE_UNUSED, .next = t->unused};
	t->unused = (uint32_t)(n - t->all) + 1;
}

/* The file with these host numbers; a named file is preferred to a removed one. */
static struct inode *inode_find_by_number(struct inodes *t, uint64_t dev, uint64_t ino)
{
	struct inode *removed = NULL;
	if (!t->chains.first)
		return NULL;
	for (uint32_t i = *chains_at(&t->chains, inode_hash(dev, ino)); i; i = t->all[i - 1].next) {
		struct inode *n = &t->all[i - 1];
		if (n->dev != dev || n->ino != ino)
			continue;
		if (n->state == INODE_LIVE)
			return n;
		removed = n;
	}
	return removed;
}

/* path NULL: none. */
static void set_name(struct inodes *t, struct inode *n, const char *path)
{
	const uint32_t before = n->name;
	n->name = path ? file_names_take(&t->names, path) : NO_NAME;
	file_names_drop(&t->names, before);
}

static struct inode *inode_add_live(struct os *os, const struct stat *st)
{
	struct inodes *t = &os->inodes;
	const struct lx_timespec found = {.sec = (int64_t)os->epoch};
	struct inode *n = t->unused ? &t->all[t->unused - 1] : &t->all[t->count];
	assert(t->unused || t->count < t->cap);
	if (t->unused)
		t->unused = n->next;
	else
		t->count++;
	*n = (struct inode){.dev = st->st_dev,
	                    .ino = st->st_ino,
	                    .name = NO_NAME,
	                    .links = 1,
	                    .mode = MODE_BY_RULE,
	                    .state = INODE_LIVE,
	                    .atime = found,
	                    .mtime = found,
	                    .ctime = found};
	inode_hash_insert(t, n);
	return n;
}

/* Looks up the files that a checkpoint lists by name. False: the host fails. */
static bool inode_resolve_names(struct os *os)
{
	struct inodes *t = &os->inodes;
	char path[LX_PATH_MAX];
	for (size_t i = 0; i < t->count; i++) {
		struct inode *n = &t->all[i];
		struct located at;
		struct stat st;
		if (n->state != INODE_UNRESOLVED)
			continue;
		int err = file_names_path(&t->names, n->name, path)
		                  ? path_locate_known(os, path, &at)
		                  : -ENAMETOOLONG;
		bool there = !err;
		if (there) {
			const int has =
				at.device == DEVICE_NONE ? host_has(at.dir, at.last, &st) : 0;
			there = has > 0;
			err = has < 0 ? has : 0;
			close(at.dir);
		}
		if (os->scarce && host_failed(err)) {
			host_refuse(os, err);
			return false;
		}
		if (!there || inode_find_by_number(t, st.st_dev, st.st_ino)) {
			let_go(t, n);
			continue;
		}
		n->dev = st.st_dev;
		n->ino = st.st_ino;
		n->state = INODE_LIVE;
		inode_hash_insert(t, n);
	}
	t->unresolved = false;
	return true;
}

bool inodes_reserve(struct os *os, size_t files, size_t text)
{
	struct inodes *t = &os->inodes;
	if (t->unresolved && !inode_resolve_names(os))
		return false;
	return reserve_files(t, files) && reserve_chains(t, t->count + files) &&
	       file_names_reserve(&t->names, text);
}

/* path != NULL: the file was found by it, so it is not a removed one. */
static struct inode *inode_of(struct os *os, const struct stat *st, const char *path)
{
	struct inodes *t = &os->inodes;
	struct inode *n = inode_find_by_number(t, st->st_dev, st->st_ino);
	if (!n || (path && n->state == INODE_REMOVED))
		n = inode_add_live(os, st);
	if (path)
		set_name(t, n, path);
	return n;
}

void inode_named(struct os *os, const struct stat *st, const char *path)
{
	inode_of(os, st, path);
}

/* ---- answering ---- */

static uint32_t inode_guest_permissions(const struct inode *n, mode_t host)
{
	if (n->mode != MODE_BY_RULE)
		return n->mode;
	if (S_ISLNK(host))
		return RULE_LINK;
	return S_ISDIR(host) || (host & S_IXUSR) ? RULE_EXECUTABLE : RULE_FILE;
}

void inode_fill(struct os *os, const struct stat *st, const char *path, struct host_stat *out)
{
	struct inode *n = inode_of(os, st, path);
	if (!n->number)
		n->number = ++os->st->inodes;
	*out = (struct host_stat){
		.dev = GUEST_DEV,
		.ino = n->number,
		.size = S_ISDIR(st->st_mode) ? DIRECTORY_BYTES : st->st_size,
		.mode = (st->st_mode & S_IFMT) | inode_guest_permissions(n, st->st_mode),
		.nlink = n->state == INODE_REMOVED ? 0 : n->links,
		.atime = n->atime,
		.mtime = n->mtime,
		.ctime = n->ctime,
	};
}

void inode_seen(struct os *os, uint64_t number)
{
	if (number > os->st->inodes)
		os->st->inodes = number;
}

/* ---- changes by the guest ---- */

static void inode_update_times(const struct os *os, struct inode *n, bool contents)
{
	n->ctime = os_time_of_day(os);
	if (contents)
		n->mtime = n->ctime;
}

void inode_created(struct os *os, const struct stat *st, const char *path, uint32_t mode)
{
	struct inodes *t = &os->inodes;
	/* An older file with these numbers of the host's no longer exists, whatever removed it. */
	for (struct inode *old; (old = inode_find_by_number(t, st->st_dev, st->st_ino));)
		let_go(t, old);
	struct inode *n = inode_add_live(os, st);
	set_name(t, n, path);
	n->mode = (uint16_t)mode;
	inode_update_times(os, n, true);
	n->atime = n->mtime;
}

void inode_written(struct os *os, const struct stat *st)
{
	inode_update_times(os, inode_of(os, st, NULL), true);
}

void inode_set_mode(struct os *os, const struct stat *st, uint32_t mode)
{
	struct inode *n = inode_of(os, st, NULL);
	n->mode = (uint16_t)mode;
	inode_update_times(os, n, false);
}

void inode_set_times(struct os *os, const struct stat *st, const struct lx_timespec t[2])
{
	struct inode *n = inode_of(os, st, NULL);
	if (t[0].nsec != LX_UTIME_OMIT)
		n->atime = t[0];
	if (t[1].nsec != LX_UTIME_OMIT)
		n->mtime = t[1];
	inode_update_times(os, n, false);
}

void inode_linked(struct os *os, const struct stat *st)
{
	struct inode *n = inode_of(os, st, NULL);
	n->links++;
	inode_update_times(os, n, false);
}

/* Forgets removed files that are not open: the host may give their numbers to another file. */
static void inode_sweep_removed(struct os *os)
{
	struct inodes *t = &os->inodes;
	/* on failure the next removal tries again */
	bool *open = t->removed > REMOVED_MOST && t->removed > t->count / REMOVED_SHARE
	                     ? alloc_try_zeroed(t->count, sizeof *open)
	                     : NULL;
	if (!open)
		return;
	for (unsigned i = 0; i < OS_FILES; i++) {
		struct stat st;
		const struct inode *n = os->host[i].fd >= 0 && fstat(os->host[i].fd, &st) == 0
		                                ? inode_find_by_number(t, st.st_dev, st.st_ino)
		                                : NULL;
		if (n)
			open[n - t->all] = true;
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->all[i].state == INODE_REMOVED && !open[i])
			let_go(t, &t->all[i]);
	free(open);
}

void inode_unlinked(struct os *os, const struct stat *st, const char *path)
{
	struct inode *n = inode_of(os, st, NULL);
	const bool other = st->st_nlink > 1 && !S_ISDIR(st->st_mode);
	inode_update_times(os, n, false);
	n->links -= n->links > 1;
	if (!other || file_names_equal(&os->inodes.names, n->name, path))
		set_name(&os->inodes, n, NULL);
	if (other)
		return;
	n->state = INODE_REMOVED;
	os->inodes.removed++;
	inode_sweep_removed(os);
}

void inode_renamed(struct os *os, const struct stat *st, const char *from, const struct stat *to_st,
                   const char *to, bool exchange)
{
	if (to_st && to_st->st_dev == st->st_dev && to_st->st_ino == st->st_ino)
		return; /* two names of one file: nothing happens */
	if (to_st && !exchange)
		inode_unlinked(os, to_st, to);
	const bool swapped = to_st && exchange;
	if (S_ISDIR(st->st_mode) || (swapped && S_ISDIR(to_st->st_mode)))
		file_names_move(&os->inodes.names, from, to, swapped);
	inode_update_times(os, inode_of(os, st, to), false);
	if (swapped)
		inode_update_times(os, inode_of(os, to_st, from), false);
}

void inode_touch_parent(struct os *os, const struct located *at)
{
	char path[LX_PATH_MAX];
	struct stat st;
	if (fstat(at->dir, &st) != 0)
		return;
	strcpy(path, at->path);
	char *slash = strrchr(path, '/');
	*(slash ? slash : path) = '\0';
	struct inode *n = inode_of(os, &st, path);
	inode_update_times(os, n, true);
	listing_drop(n->listing);
	n->listing = NULL;
}

struct listing **inode_listing(struct os *os, const struct stat *st)
{
	return &inode_of(os, st, NULL)->listing;
}

void inodes_cut(struct os *os)
{
	for (size_t i = 0; i < os->inodes.count; i++)
		if (os->inodes.all[i].number > os->st->inodes)
			os->inodes.all[i].number = 0;
}
