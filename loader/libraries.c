/* Opens the files that a program maps while it runs: its libraries. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/os/os.h"
#include "loader/program_priv.h"

enum { KNOWN_MAX = 256 }; /* a guest may map one file again and again */

/* Whether the mapping holds an ELF file for this machine; other files are not opened. */
static bool library_is_elf(const struct mem *mem, uint64_t start)
{
	Elf64_Ehdr eh;
	return mem_peek(mem, start, &eh, sizeof eh) && memcmp(eh.e_ident, ELFMAG, SELFMAG) == 0 &&
	       eh.e_machine == EM_RISCV;
}

/* Whether the file begins as memory does: it may have been replaced. */
static bool library_matches_memory(const struct program *image, const struct mem *mem,
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
static bool library_is_covered(const struct program *image, const struct os_map *m)
{
	uint64_t start, end;
	program_extent(image, &start, &end);
	return m->length >= end - start;
}

/* Opens an image within the limit on the host memory of all images, sim.debug_memory as for debug
 * information. Takes the descriptor over. */
static int library_open_bounded(const struct program *p, int fd)
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

static int library_open_mapped(const void *program, const char *path)
{
	const struct program *p = program;
	return library_open_bounded(p, os_open_mapped(p->debug->images.watched, path));
}

/* The image of a mapping; NULL if it is no readable ELF file. */
static struct program *library_image_of(const struct program *p, const struct os_map *m)
{
	struct images *all = &p->debug->images;
	for (size_t i = 0; i < all->known_count; i++)
		if (all->known[i].start == m->start && strcmp(all->known[i].path, m->path) == 0 &&
		    all->known[i].length == m->length &&
		    (!all->known[i].image ||
		     library_matches_memory(all->known[i].image, all->mem, m->start)))
			return all->known[i].image;
	if (all->known_count == KNOWN_MAX || !library_is_elf(all->mem, m->start))
		return NULL;
	struct known_image *more =
		alloc_resize_array(all->known, all->known_count + 1, sizeof *more);
	if (!more)
		return NULL;
	all->known = more;
	char name[OS_PATH + 1], *path = alloc_text(m->path);
	struct err err;
	snprintf(name, sizeof name, "/%s", m->path + (m->path[0] == '/' ? 2 : 0));
	const int fd = path ? library_open_bounded(p, os_open_mapped(all->watched, m->path)) : -1;
	struct program *image = fd >= 0 ? program_open_library(fd, name, m->start, &err) : NULL;
	if (image && (!library_matches_memory(image, all->mem, m->start) ||
	              !library_is_covered(image, m))) {
		program_free(image);
		image = NULL;
	}
	if (image && !program_find_debug(image, p->source_folders, library_open_mapped, p)) {
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

void program_watch(const struct program *p, struct os *os, const struct mem *mem)
{
	struct images *all = &p->debug->images;
	if (all->watched && all->watched != os)
		os_watch(all->watched, NULL);
	os_watch(os, &all->watched);
	all->mem = mem;
	all->image_of = library_image_of;
	all->fresh = false;
}
