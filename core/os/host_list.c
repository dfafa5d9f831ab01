/* Questions to the host about a directory's contents: records by name, as getdents64() gives
 * them.
 *
 * A directory is read as a whole, since the guest sees names in one order, whatever the host's is.
 * It is read again only if it has changed: by the guest (inode_touch_parent()), or by its time of
 * modification. A description lists what was there at its first call after opening or rewinding,
 * but for names that are gone by then. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/alloc.h"
#include "core/host/folder.h"
#include "core/os/host.h"
#include "core/os/host_questions.h"
#include "core/os/inode.h"
#include "core/os/inode_priv.h"
#include "core/os/tree.h"

struct listed {
	int64_t at;    /* offset of its record in the directory */
	char *name;    /* borrowed from the listing's block */
	uint32_t next; /* its own index; of a name that is gone, a later one */
};

struct listing {
	unsigned refs;
	struct timespec changed; /* the directory's modification when it was read */
	uint32_t count;
	struct listed of[]; /* [count + 1], by name; at the end, only the offset */
};

static int host_list_compare_names(const struct dirent **a, const struct dirent **b)
{
	/* the same everywhere, unlike the host's order */
	return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t record_bytes(const char *name)
{
	return (sizeof(struct lx_dirent) + strlen(name) + 1 + 7) & ~(size_t)7;
}

static size_t host_list_append_record(uint8_t *at, size_t pos, const struct listed *of,
                                      uint64_t ino, uint8_t type)
{
	const size_t n = record_bytes(of->name);
	struct lx_dirent d = {.ino = ino, .off = of[1].at, .reclen = (uint16_t)n, .type = type};
	memset(at + pos, 0, n);
	memcpy(at + pos, &d, sizeof d);
	memcpy(at + pos + sizeof d, of->name, strlen(of->name));
	return pos + n;
}

/* ---- what a directory held ---- */

void listing_drop(struct listing *l)
{
	if (l && --l->refs == 0)
		free(l);
}

static struct listing *listing_make(struct dirent **names, uint32_t count)
{
	size_t text = 0;
	for (uint32_t i = 0; i < count; i++)
		text += strlen(names[i]->d_name) + 1;
	struct listing *l = alloc_try_bytes(sizeof *l + ((size_t)count + 1) * sizeof *l->of + text);
	if (!l)
		return NULL;
	char *at = (char *)&l->of[count + 1];
	int64_t offset = 0;
	*l = (struct listing){.refs = 1, .count = count};
	for (uint32_t i = 0; i < count; i++) {
		l->of[i] = (struct listed){.at = offset, .name = at, .next = i};
		at = stpcpy(at, names[i]->d_name) + 1;
		offset += (int64_t)record_bytes(names[i]->d_name);
	}
	l->of[count] = (struct listed){.at = offset, .next = count};
	return l;
}

/* Reads the directory; NULL with *err. */
static struct listing *listing_read(int fd, int *err)
{
	struct dirent **names = NULL;
	const int n = folder_list(fd, &names, host_list_compare_names);
	*err = n < 0 ? -errno : 0;
	struct listing *l = n < 0 ? NULL : listing_make(names, (uint32_t)n);
	if (n >= 0 && !l)
		*err = -ENOMEM;
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return l;
}

/* Whether a later change gives the directory another time of modification: file systems count in
 * ticks of the host's clock, some in seconds. */
static bool listing_is_settled(const struct timespec *changed, const struct timespec *now)
{
	const int64_t fine_ns = 20000000, coarse_ns = 3 * (int64_t)LX_NSEC;
	const int64_t past_ns = (now->tv_sec - changed->tv_sec) * (int64_t)LX_NSEC + now->tv_nsec -
	                        changed->tv_nsec;
	return past_ns > (changed->tv_nsec ? fine_ns : coarse_ns);
}

/* The directory's entries now, for the caller to drop; NULL with *err. */
static struct listing *listing_now(struct os *os, int fd, int *err)
{
	struct timespec now;
	struct stat st;
	if (!inodes_reserve(os, 1, 0)) {
		*err = -ENOMEM;
		return NULL;
	}
	clock_gettime(CLOCK_REALTIME_COARSE, &now); /* decides when to read again, not the answer */
	*err = fstat(fd, &st) != 0 ? -errno : 0;
	if (*err)
		return NULL;
	struct listing **kept = inode_listing(os, &st);
	struct listing *l = *kept;
	if (!l || l->changed.tv_sec != st.st_mtim.tv_sec ||
	    l->changed.tv_nsec != st.st_mtim.tv_nsec) {
		l = listing_read(fd, err);
		if (!l)
			return NULL;
		l->changed = st.st_mtim;
		if (!listing_is_settled(&l->changed, &now))
			return l;
		listing_drop(*kept);
		*kept = l;
	}
	l->refs++;
	return l;
}

/* Index of the first name from i on that is not known to be gone; shortens the links of gone names.
 */
static uint32_t listing_present(struct listing *l, uint32_t i)
{
	uint32_t end = i;
	while (l->of[end].next != end)
		end = l->of[end].next;
	for (uint32_t next; i != end; i = next) {
		next = l->of[i].next;
		l->of[i].next = end;
	}
	return end;
}

/* Index of the first name after `name` or, if that is NULL, of the record at this offset; -EINVAL:
 * no record begins there. */
static int64_t listing_place(const struct listing *l, int64_t offset, const char *name)
{
	uint32_t low = 0, high = l->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct listed *of = &l->of[middle];
		if (name ? strcmp(of->name, name) <= 0 : of->at < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return name || l->of[low].at == offset || offset > l->of[l->count].at ? (int64_t)low
	                                                                      : -EINVAL;
}

/* The last name that the description listed; NULL: its offset has been moved since, or the journal
 * has forgotten the listing. */
static const char *listing_last_name(const struct os *os, const struct os_file *f)
{
	const struct journal_entry *e = f->listing ? journal_at(os->journal, f->listing - 1) : NULL;
	const uint8_t *records = e ? journal_payload(e) : NULL;
	const char *name = NULL;
	struct lx_dirent d = {0};
	for (uint64_t pos = 0; e && e->kind == JOURNAL_LIST && pos < e->n; pos += d.reclen) {
		memcpy(&d, records + pos, sizeof d);
		name = (const char *)records + pos + sizeof d;
	}
	return d.off == f->offset ? name : NULL;
}

/* Gives the description a listing if it has none. Returns the place in the listing, or -errno. */
static int64_t listing_continue(struct os *os, unsigned file, int fd)
{
	struct host_file *hf = &os->host[file];
	const struct os_file *f = &os->st->file[file];
	const char *name = NULL;
	if (!f->listing || !hf->listing || hf->listed != f->listing) {
		int err;
		struct listing *l = listing_now(os, fd, &err);
		if (!l)
			return err;
		listing_drop(hf->listing);
		hf->listing = l;
		name = listing_last_name(os, f);
	}
	return listing_place(hf->listing, f->offset, name);
}

/* ---- answers ---- */

/* Inode number and type of one name of a directory, as stat() reports them: 1; 0: it no longer
 * exists; or -errno. */
static int host_list_look(struct os *os, int fd, const char *dir, const char *name, uint64_t *ino,
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
	*ino = h.ino;
	return 1;
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

/* Appends records of names from place i on that fit into `room` to the open entry; the place after
 * them, or -errno. */
static int64_t host_list_append(struct os *os, unsigned file, uint32_t i, uint64_t room,
                                struct journal_entry *e)
{
	struct listing *l = os->host[file].listing;
	const char *dir = os->st->file[file].path;
	const int fd = os->host[file].fd;
	uint32_t end = i, count = 0;
	size_t text = LX_PATH_MAX;
	for (uint64_t bytes = 0; end < l->count; end = listing_present(l, end + 1), count++) {
		bytes += record_bytes(l->of[end].name);
		if (bytes > room)
			break;
		text += strlen(l->of[end].name) + 1;
	}
	if (!count)
		return -EINVAL;
	if (!inodes_reserve(os, count, text))
		return -ENOMEM;
	while (i < end) {
		uint64_t ino;
		uint8_t type;
		const int has = host_list_look(os, fd, dir, l->of[i].name, &ino, &type);
		if (has < 0)
			return has;
		if (has)
			e->n = host_list_append_record(log_payload(e), e->n, &l->of[i], ino, type);
		else
			l->of[i].next = i + 1;
		i = listing_present(l, i + 1);
	}
	return i;
}

static const struct journal_entry *host_list_live(struct os *os, unsigned file, uint32_t key,
                                                  uint64_t room)
{
	struct host_file *hf = &os->host[file];
	const int fd = host_descriptor(os, file);
	int64_t place = fd < 0 ? fd : listing_continue(os, file, fd);
	struct listing *l = hf->listing;
	uint64_t left = 0;
	if (place >= 0) {
		place = listing_present(l, (uint32_t)place);
		left = (uint64_t)(l->of[l->count].at - l->of[place].at);
	}
	struct journal_entry *e = log_open(os, JOURNAL_LIST, key, left < room ? left : room);
	if (!e)
		return NULL;
	while (place >= 0 && place < l->count && !e->n)
		place = host_list_append(os, file, (uint32_t)place, room, e);
	e->n = place < 0 ? 0 : e->n;
	e->ret = place < 0 ? place : (int64_t)e->n;
	log_close(os, e);
	if (e->n)
		hf->listed = os->journal->st->pos;
	return e;
}

int64_t host_list(struct os *os, unsigned file, uint64_t room, const void **records)
{
	const struct os_file *f = &os->st->file[file];
	const uint64_t args[] = {file, (uint64_t)f->offset, f->listing, room};
	const uint32_t key = ask_key(f->path, args, sizeof args);
	const struct journal_entry *e = log_replay(os, JOURNAL_LIST, key);
	if (e)
		see_listed(os, e);
	else
		e = host_list_live(os, file, key, room);
	*records = e ? journal_payload(e) : NULL;
	return e ? e->ret : -ENOMEM;
}
