/* The images of a program in a machine: itself, its interpreter and the libraries that are mapped
 * now.
 *
 * The machine's maps (core/os/maps.c) decide which ones these are, and may change with each motion,
 * forwards or back: each look-up begins with images_refresh(), which costs a comparison while
 * nothing has changed. Files are opened as the guest opened them, by the same rules, and used only
 * if they begin like the guest's memory. An image is read once and kept. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/os/os.h"
#include "loader/program_priv.h"

/* Merges the symbols of all images, by address; if memory is short, only the program's remain. */
void images_merge(const struct program *p)
{
	struct images *all = &p->debug->images;
	size_t n = p->symbols.count, at = 0;
	for (unsigned i = 0; i < all->count; i++)
		n += all->active[i]->symbols.count;
	if (all->merged)
		return;
	all->merged = true;
	free(all->symbols);
	all->symbols = all->count ? alloc_zeroed(n + 1, sizeof *all->symbols) : NULL;
	all->symbol_count = n;
	const struct program *left[IMAGES_MAX + 1] = {p};
	size_t from[IMAGES_MAX + 1] = {0};
	for (unsigned i = 0; i < all->count; i++)
		left[i + 1] = all->active[i];
	/* Images don't overlap; firmware, whose symbols are in the program's table, lies after all
	 * others. */
	while (all->symbols && at < n) {
		unsigned best = 0;
		for (unsigned i = 0; i <= all->count; i++)
			if (from[i] < left[i]->symbols.count &&
			    (from[best] == left[best]->symbols.count ||
			     left[i]->symbols.syms[from[i]].addr <
			             left[best]->symbols.syms[from[best]].addr))
				best = i;
		all->symbols[at++] = left[best]->symbols.syms[from[best]++];
	}
}

void images_refresh(const struct program *p)
{
	struct images *all = &p->debug->images;
	const uint64_t digest = all->watched ? os_state_const(all->watched)->maps_digest : 0;
	if (all->fresh && all->digest == digest)
		return;
	all->fresh = true; /* opening and reading images needs no images */
	all->digest = digest;
	all->count = 0;
	unsigned n = 0;
	const struct os_map *m = all->watched ? os_maps(all->watched, &n) : NULL;
	for (unsigned i = 0; i < n; i++) {
		struct program *image = all->image_of(p, &m[i]);
		if (image)
			all->active[all->count++] = image;
	}
	if (p->loader)
		all->active[all->count++] = p->loader;
	for (unsigned i = 0; i < all->count; i++)
		program_extent(all->active[i], &all->start[i], &all->end[i]);
	all->merged = false;
}

/* The image that was mapped at an address where nothing is now: reports cover whole runs. p if
 * there was none. */
static const struct program *gone_from(const struct program *p, uint64_t addr)
{
	const struct images *all = &p->debug->images;
	if (!all->known_count || !all->watched || addr >= MEM_TOP ||
	    mem_is_mapped(all->mem, addr & ~(uint64_t)(PAGE_BYTES - 1), PAGE_BYTES))
		return p;
	for (size_t i = all->known_count; i-- > 0;) {
		uint64_t start = 0, end = 0;
		if (all->known[i].image)
			program_extent(all->known[i].image, &start, &end);
		if (addr >= start && addr < end)
			return all->known[i].image;
	}
	return p;
}

const struct program *images_at(const struct program *p, uint64_t addr)
{
	const struct images *all = &p->debug->images;
	images_refresh(p);
	for (unsigned i = 0; i < all->count; i++)
		if (addr >= all->start[i] && addr < all->end[i])
			return all->active[i];
	return gone_from(p, addr);
}

const struct program *program_library(const struct program *p, unsigned i)
{
	if (!program_has_images(p))
		return NULL;
	images_refresh(p);
	return i < p->debug->images.count ? p->debug->images.active[i] : NULL;
}

const struct program *program_library_at(const struct program *p, uint64_t addr)
{
	const struct program *image = program_image(p, addr);
	return image->role == IMAGE_LIBRARY || image->role == IMAGE_INTERPRETER ? image : NULL;
}

void program_extent(const struct program *p, uint64_t *start, uint64_t *end)
{
	const struct segment *s = p->segments, *last = &s[p->segment_count - 1];
	*start = s->vaddr & ~(uint64_t)(PAGE_BYTES - 1);
	*end = (last->vaddr + last->memsz + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

const struct segment *segment_at(const struct program *p, uint64_t addr)
{
	return segment_within(program_image(p, addr), addr);
}
