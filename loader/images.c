/* The images of a program in a machine: itself, its interpreter and the libraries that are mapped
 * now.
 *
 * The machine's maps (core/os/maps.c) decide which ones these are, and may change with each motion,
 * forwards or back: each look-up begins with images_refresh(), which costs a comparison while
 * nothing has changed. Files are opened as the guest opened them, by the same rules, and used only
 * if they begin like the guest's memory. An image is read once and kept. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/os/os.h"
#include "loader/program_priv.h"

enum { KNOWN_MAX = 256 }; /* a guest may map one file again and again */

void program_watch(const struct program *p, struct os *os, const struct mem *mem)
{
	struct images *all = &p->debug->images;
	if (all->watched && all->watched != os)
		os_watch(all->watched, NULL);
	os_watch(os, &all->watched);
	all->mem = mem;
	all->fresh = false;
}

void images_free(struct images *all)
{
	if (all->watched)
		os_watch(all->watched, NULL);
	for (size_t i = 0; i < all->known_count; i++) {
		program_free(all->known[i].image);
		free(all->known[i].path);
	}
	free(all->known);
	free(all->symbols);
}

/* Whether the mapping holds an ELF file for this machine; other files are not opened. */
static bool is_elf(const struct mem *mem, uint64_t start)
{
	Elf64_Ehdr eh;
	return mem_peek(mem, start, &eh, sizeof eh) && memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 &&
	       eh.e_machine == EM_RISCV;
}

/* Whether the file begins as memory does: it may have been replaced. */
static bool images_file_matches_memory(const struct program *image, const struct mem *mem,
                                       uint64_t start)
{
	uint8_t first[PAGE_BYTES];
	const size_t n = image->segments[0].filesz < sizeof first
	                         ? (size_t)image->segments[0].filesz
	                         : sizeof first;
	return image->segments[0].offset == 0 && mem_peek(mem, start, first, n) &&
	       memcmp(first, image->bytes, n) == 0;
}

/* Whether the mapping has room for the whole image: else the guest only reads the file, and its
 * code is not there. */
static bool images_map_covers_image(const struct program *image, const struct os_map *m)
{
	uint64_t start, end;
	program_extent(image, &start, &end);
	return m->length >= end - start;
}

/* Opens an image within the limit on the host memory of all images, sim.debug_memory as for debug
 * information. Takes the descriptor over. */
static int open_bounded(const struct program *p, int fd)
{
	struct images *all = &p->debug->images;
	struct stat st;
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size + all->bytes <= p->debug->limit.most) {
		all->bytes += (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return -ENOMEM;
}

static int open_mapped(const void *program, const char *path)
{
	const struct program *p = program;
	return open_bounded(p, os_open_mapped(p->debug->images.watched, path));
}

/* The image of a mapping; NULL if it is no readable ELF file. */
static struct program *image_of(const struct program *p, const struct os_map *m)
{
	struct images *all = &p->debug->images;
	for (size_t i = 0; i < all->known_count; i++)
		if (all->known[i].start == m->start && strcmp(all->known[i].path, m->path) == 0 &&
		    all->known[i].length == m->length &&
		    (!all->known[i].image ||
		     images_file_matches_memory(all->known[i].image, all->mem, m->start)))
			return all->known[i].image;
	if (all->known_count == KNOWN_MAX || !is_elf(all->mem, m->start))
		return NULL;
	struct known_image *more =
		alloc_resize_array(all->known, all->known_count + 1, sizeof *more);
	if (!more)
		return NULL;
	all->known = more;
	char name[OS_PATH + 1], *path = alloc_text(m->path);
	struct err err;
	snprintf(name, sizeof name, "/%s", m->path + (m->path[0] == '/' ? 2 : 0));
	const int fd = path ? open_bounded(p, os_open_mapped(all->watched, m->path)) : -1;
	struct program *image = fd >= 0 ? program_open_library(fd, name, m->start, &err) : NULL;
	if (image && (!images_file_matches_memory(image, all->mem, m->start) ||
	              !images_map_covers_image(image, m))) {
		program_free(image);
		image = NULL;
	}
	if (image && !program_find_debug(image, p->source_folders, open_mapped, p)) {
		program_free(image);
		image = NULL;
	}
	if (image)
		image->debug->limit.most = p->debug->limit.most;
	if (path)
		all->known[all->known_count++] =
			(struct known_image){path, m->start, m->length, image};
	return image;
}

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
	/* Images don't overlap, but firmware, in the program's table, lies after all of them. */
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
		struct program *image = image_of(p, &m[i]);
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
