/* Saving the table of files: a header, the files that have a name, and the names. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/host_questions.h"
#include "core/os/inode.h"
#include "core/os/inode_priv.h"
#include "core/os/tree.h"

struct inodes_file {
	char magic[8];
	uint64_t count, text;
};

struct inode_saved {
	uint64_t number;
	struct lx_timespec atime, mtime, ctime;
	uint64_t name; /* offset in the names */
	uint32_t links, mode;
};

static const char inodes_magic[8] = {'C', 'Y', 'C', 'I', 'N', 'O', 'D', '1'};

/* Whether to save a file, and then its path. */
static bool is_saved(const struct inodes *t, const struct inode *n, char *path)
{
	return n->state != INODE_UNUSED && n->name != NO_NAME &&
	       file_names_path(&t->names, n->name, path);
}

static struct inode_saved save_one(const struct os *os, const struct inode *n, uint64_t name)
{
	return (struct inode_saved){
		.number = n->number > os->st->inodes ? 0 : n->number,
		.atime = n->atime,
		.mtime = n->mtime,
		.ctime = n->ctime,
		.name = name,
		.links = n->links,
		.mode = n->mode,
	};
}

void os_save_files(const struct os *os, void **bytes, size_t *n)
{
	const struct inodes *t = &os->inodes;
	struct inodes_file head = {0};
	char path[LX_PATH_MAX];
	memcpy(head.magic, inodes_magic, sizeof head.magic);
	for (size_t i = 0; i < t->count; i++) {
		if (!is_saved(t, &t->all[i], path))
			continue;
		head.count++;
		head.text += strlen(path) + 1;
	}
	*n = sizeof head + head.count * sizeof(struct inode_saved) + head.text;
	uint8_t *p = alloc_bytes(*n);
	*bytes = p;
	if (!p) {
		*n = 0;
		return;
	}
	memcpy(p, &head, sizeof head);
	p += sizeof head;
	uint8_t *text = p + head.count * sizeof(struct inode_saved);
	uint64_t used = 0;
	for (size_t i = 0; i < t->count; i++) {
		if (!is_saved(t, &t->all[i], path))
			continue;
		const struct inode_saved s = save_one(os, &t->all[i], used);
		const size_t len = strlen(path) + 1;
		memcpy(p, &s, sizeof s);
		p += sizeof s;
		memcpy(text + used, path, len);
		used += len;
	}
}

static bool time_ok(const struct lx_timespec *t)
{
	return t->nsec >= 0 && t->nsec < LX_NSEC;
}

static bool saved_ok(const struct inode_saved *s, const char *text, uint64_t bytes)
{
	return s->name < bytes && (!s->name || !text[s->name - 1]) &&
	       path_is_canonical(text + s->name) && strlen(text + s->name) < LX_PATH_MAX &&
	       time_ok(&s->atime) && time_ok(&s->mtime) && time_ok(&s->ctime) && s->links >= 1 &&
	       (s->mode == MODE_BY_RULE || !(s->mode & ~(uint32_t)MODE_BITS));
}

static struct inode load_one(const struct inode_saved *s, uint32_t name)
{
	return (struct inode){
		.number = s->number,
		.atime = s->atime,
		.mtime = s->mtime,
		.ctime = s->ctime,
		.name = name,
		.links = s->links,
		.mode = (uint16_t)s->mode,
		.state = INODE_UNRESOLVED,
	};
}

bool os_load_files(struct os *os, const void *bytes, size_t n)
{
	struct inodes_file head;
	if (n < sizeof head)
		return false;
	memcpy(&head, bytes, sizeof head);
	const uint64_t rest = n - sizeof head, each = sizeof(struct inode_saved);
	if (memcmp(head.magic, inodes_magic, sizeof inodes_magic) != 0 ||
	    head.count > rest / each || head.text != rest - head.count * each)
		return false;
	const uint8_t *records = (const uint8_t *)bytes + sizeof head;
	const char *text = (const char *)records + head.count * each;
	if (head.text && text[head.text - 1])
		return false;

	const struct inodes old = os->inodes;
	os->inodes = (struct inodes){0};
	bool ok = inodes_reserve(os, head.count, head.text);
	for (uint64_t i = 0; ok && i < head.count; i++) {
		struct inode_saved s;
		memcpy(&s, records + i * each, sizeof s);
		ok = saved_ok(&s, text, head.text);
		if (ok)
			os->inodes.all[os->inodes.count++] =
				load_one(&s, file_names_take(&os->inodes.names, text + s.name));
	}
	if (!ok) {
		inodes_free(os);
		os->inodes = old;
		return false;
	}
	os->inodes.unresolved = true;
	const struct inodes loaded = os->inodes;
	os->inodes = old;
	inodes_free(os);
	os->inodes = loaded;
	return true;
}

const char *inodes_state_error(const struct os *os)
{
	for (size_t i = 0; i < os->inodes.count; i++)
		if (os->inodes.all[i].state == INODE_UNRESOLVED &&
		    os->inodes.all[i].number > os->st->inodes)
			return "a file has a number that was not given out yet";
	return NULL;
}
