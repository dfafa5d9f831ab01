#include "core/os/file_names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/host/random_bytes.h"
#include "core/os/linux.h"

static const char sysroot_top[] = "//"; /* component of the sysroot's root */

struct file_name {
	size_t text;     /* offset of its component */
	uint32_t parent; /* 0: it is a root */
	uint32_t next;   /* of its chain, or of the unused; 0 = none */
	uint32_t refs;   /* references to it, and names below it; 0: unused */
	bool found;      /* it is in its chain */
};

static struct file_name *name_of(const struct file_names *t, uint32_t name)
{
	return &t->all[name - 1];
}

void file_names_free(struct file_names *t)
{
	free(t->all);
	chains_free(&t->chains);
	free(t->text);
	*t = (struct file_names){0};
}

/* ---- room ---- */

static bool file_names_reserve_text(struct file_names *t, size_t text)
{
	if (t->text_cap - t->text_used >= text)
		return true;
	const size_t cap = 2 * (t->text_live + text) + 4096;
	/* on failure the machine waits and tries again */
	char *to = alloc_try_bytes(cap);
	size_t used = 0;
	if (!to)
		return false;
	for (size_t i = 0; i < t->count; i++) {
		struct file_name *n = &t->all[i];
		if (!n->refs)
			continue;
		const size_t bytes = strlen(t->text + n->text) + 1;
		memcpy(to + used, t->text + n->text, bytes);
		n->text = used;
		used += bytes;
	}
	free(t->text);
	t->text = to;
	t->text_used = used;
	t->text_cap = cap;
	return true;
}

/* A guest chooses names, but can't know which share a chain: the hash begins with a random word of
 * the process. No result depends on it. */
static uint64_t file_names_hash(uint32_t parent, const char *part, size_t bytes)
{
	uint64_t h = hash_word(random_bytes_of_process(), parent ^ (uint64_t)bytes << 32);
	for (size_t i = 0; i < bytes; i += 8) {
		uint64_t w = 0;
		memcpy(&w, part + i, bytes - i < 8 ? bytes - i : 8);
		h = hash_word(h, w);
	}
	return h;
}

static uint64_t file_names_own_hash(const struct file_names *t, const struct file_name *n)
{
	return file_names_hash(n->parent, t->text + n->text, strlen(t->text + n->text));
}

static void file_names_show(struct file_names *t, struct file_name *n)
{
	chains_insert(&t->chains, file_names_own_hash(t, n), (uint32_t)(n - t->all) + 1, &n->next);
	n->found = true;
}

static void file_names_hide(struct file_names *t, struct file_name *n)
{
	uint32_t *at = chains_at(&t->chains, file_names_own_hash(t, n));
	while (name_of(t, *at) != n)
		at = &name_of(t, *at)->next;
	*at = n->next;
	n->found = false;
}

static bool file_names_reserve_chains(struct file_names *t, size_t names)
{
	bool empty;
	if (!chains_reserve(&t->chains, names, &empty))
		return false;
	for (size_t i = 0; empty && i < t->count; i++)
		if (t->all[i].refs && t->all[i].found)
			file_names_show(t, &t->all[i]);
	return true;
}

bool file_names_reserve(struct file_names *t, size_t text)
{
	/* a component has at least two bytes; and two roots */
	const size_t need = t->count + text / 2 + 2;
	if (need > t->cap) {
		const size_t cap = 2 * need;
		/* on failure the machine waits and tries again */
		struct file_name *all =
			need < UINT32_MAX ? alloc_try_resize(t->all, cap * sizeof *all) : NULL;
		if (!all)
			return false;
		t->all = all;
		t->cap = cap;
	}
	return file_names_reserve_chains(t, need) && file_names_reserve_text(t, text + 8);
}

/* ---- looking up ---- */

/* The component at *path, *bytes long, and moves *path past it; NULL: there is none. Before the
 * first one, *path is the whole path and `root` true: the root's component. */
static const char *file_names_next_part(const char **path, bool root, size_t *bytes)
{
	const char *part = *path;
	if (root) {
		*bytes = strncmp(part, sysroot_top, 2) == 0 ? 2 : 0;
		*path += *bytes;
		return part;
	}
	if (!*part)
		return NULL;
	*bytes = strcspn(part, "/");
	*path += *bytes + (part[*bytes] == '/');
	return part;
}

static uint32_t file_names_find_part(const struct file_names *t, uint32_t parent, const char *part,
                                     size_t bytes)
{
	uint32_t i = 0;
	if (t->chains.first)
		i = *chains_at(&t->chains, file_names_hash(parent, part, bytes));
	for (; i; i = name_of(t, i)->next) {
		const struct file_name *n = name_of(t, i);
		const char *own = t->text + n->text;
		if (n->parent == parent && strlen(own) == bytes && !memcmp(own, part, bytes))
			break;
	}
	return i;
}

/* 0: there is no such name. */
static uint32_t file_names_find(const struct file_names *t, const char *path)
{
	uint32_t at = 0;
	bool root = true;
	size_t bytes;
	for (const char *part; (part = file_names_next_part(&path, root, &bytes)); root = false) {
		at = file_names_find_part(t, at, part, bytes);
		if (!at)
			return 0;
	}
	return at;
}

static uint32_t file_names_add_part(struct file_names *t, uint32_t parent, const char *part,
                                    size_t bytes)
{
	struct file_name *n = t->unused ? name_of(t, t->unused) : &t->all[t->count];
	assert(t->unused || t->count < t->cap);
	assert(bytes + 1 <= t->text_cap - t->text_used);
	if (t->unused)
		t->unused = n->next;
	else
		t->count++;
	*n = (struct file_name){.text = t->text_used, .parent = parent};
	memcpy(t->text + t->text_used, part, bytes);
	t->text[t->text_used + bytes] = '\0';
	t->text_used += bytes + 1;
	t->text_live += bytes + 1;
	if (parent)
		name_of(t, parent)->refs++;
	file_names_show(t, n);
	return (uint32_t)(n - t->all) + 1;
}

uint32_t file_names_take(struct file_names *t, const char *path)
{
	uint32_t at = 0;
	bool root = true;
	size_t bytes;
	for (const char *part; (part = file_names_next_part(&path, root, &bytes)); root = false) {
		const uint32_t below = file_names_find_part(t, at, part, bytes);
		at = below ? below : file_names_add_part(t, at, part, bytes);
	}
	name_of(t, at)->refs++;
	return at;
}

void file_names_drop(struct file_names *t, uint32_t name)
{
	while (name) {
		struct file_name *n = name_of(t, name);
		const uint32_t parent = n->parent;
		if (--n->refs)
			return;
		if (n->found)
			file_names_hide(t, n);
		t->text_live -= strlen(t->text + n->text) + 1;
		n->next = t->unused;
		t->unused = name;
		name = parent;
	}
}

bool file_names_path(const struct file_names *t, uint32_t name, char *path)
{
	char back[LX_PATH_MAX];
	size_t at = sizeof back;
	back[--at] = '\0';
	for (bool last = true; name; last = false) {
		const struct file_name *n = name_of(t, name);
		const char *part = t->text + n->text;
		const size_t bytes = strlen(part);
		const bool slash = !last && n->parent;
		if (bytes + slash > at)
			return false;
		if (slash)
			back[--at] = '/';
		memcpy(back + (at -= bytes), part, bytes);
		name = n->parent;
	}
	memcpy(path, back + at, sizeof back - at);
	return true;
}

bool file_names_equal(const struct file_names *t, uint32_t name, const char *path)
{
	char own[LX_PATH_MAX];
	return file_names_path(t, name, own) && strcmp(own, path) == 0;
}

/* ---- renaming ---- */

static bool file_names_below(const char *path, const char *top)
{
	const size_t n = strlen(top);
	return strncmp(path, top, n) == 0 && (!n || path[n] == '\0' || path[n] == '/');
}

void file_names_move(struct file_names *t, const char *from, const char *to, bool exchange)
{
	/* no file system lets a directory move into itself, but others may rename meanwhile */
	if (file_names_below(to, from) || file_names_below(from, to))
		return;
	if (!file_names_find(t, from) && !(exchange && file_names_find(t, to)))
		return;
	const uint32_t a = file_names_take(t, from), b = file_names_take(t, to);
	struct file_name *moved = name_of(t, a), *there = name_of(t, b);
	const struct file_name place_a = *moved, place_b = *there;
	file_names_hide(t, moved);
	file_names_hide(t, there);
	moved->parent = place_b.parent;
	moved->text = place_b.text;
	file_names_show(t, moved);
	if (exchange) {
		there->parent = place_a.parent;
		there->text = place_a.text;
		file_names_show(t, there);
	} else {
		/* the hidden name keeps its path, and needs its own text */
		const size_t bytes = strlen(t->text + place_b.text) + 1;
		assert(bytes <= t->text_cap - t->text_used);
		memcpy(t->text + t->text_used, t->text + place_b.text, bytes);
		there->text = t->text_used;
		t->text_used += bytes;
		t->text_live += bytes - (strlen(t->text + place_a.text) + 1);
		name_of(t, place_b.parent)->refs++;
		file_names_drop(t, place_a.parent);
	}
	file_names_drop(t, b);
	file_names_drop(t, a);
}
