/* Files that the guest has mapped from their beginning: a debugger finds libraries by them.
 *
 * A loader (ld.so) maps the whole of a library at once, from its ELF header on, and puts other
 * segments over it: that first mapping is kept in the table while its first page is mapped. The
 * table is machine state and goes back with it; comparing maps_digest shows whether it has
 * changed. */
#include <string.h>

#include "core/base/hash.h"
#include "core/os/os_priv.h"
#include "core/os/tree.h"

static void maps_update_digest(struct os *os)
{
	struct os_state *st = os->st;
	uint64_t h = 0;
	for (unsigned i = 0; i < st->map_count; i++) {
		h = hash_word(h ? h : HASH_WORDS_START, st->map[i].start);
		h = hash_word(h, st->map[i].length);
		h = hash_bytes(h, st->map[i].path, strlen(st->map[i].path));
	}
	st->maps_digest = h;
	if (os->mapped)
		os->mapped(os->mapped_ctx);
}

void maps_gone(struct os *os, uint64_t start, uint64_t length)
{
	struct os_state *st = os->st;
	unsigned kept = 0;
	for (unsigned i = 0; i < st->map_count; i++)
		if (st->map[i].start - start >= length)
			st->map[kept++] = st->map[i];
	if (kept == st->map_count)
		return;
	memset(&st->map[kept], 0, (st->map_count - kept) * sizeof *st->map);
	st->map_count = kept;
	maps_update_digest(os);
}

void maps_note(struct os *os, const struct os_file *f, uint64_t start, uint64_t length)
{
	struct os_state *st = os->st;
	if (st->map_count == OS_MAPS)
		return; /* the program runs on, its library unnamed */
	/* A small library has all its segments in the file's first page. */
	for (unsigned i = 0; i < st->map_count; i++)
		if (start - st->map[i].start < st->map[i].length &&
		    strcmp(st->map[i].path, f->path) == 0)
			return;
	struct os_map *m = &st->map[st->map_count++];
	m->start = start;
	m->length = length;
	memcpy(m->path, f->path, sizeof m->path);
	maps_update_digest(os);
}

void os_set_mapped(struct os *os, os_mapped_fn *fn, void *ctx)
{
	os->mapped = fn;
	os->mapped_ctx = ctx;
}

const struct os_map *os_maps(const struct os *os, unsigned *count)
{
	*count = os->st->map_count;
	return os->st->map;
}

const char *maps_state_error(const struct os_state *st)
{
	if (st->map_count > OS_MAPS)
		return "more files are mapped than there is room for";
	for (unsigned i = 0; i < st->map_count; i++)
		if (st->map[i].start % PAGE_BYTES || st->map[i].length > MEM_TOP ||
		    st->map[i].start > MEM_TOP - st->map[i].length ||
		    !path_is_canonical(st->map[i].path))
			return "a mapped file lies where none can be";
	return NULL;
}
