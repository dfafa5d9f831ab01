/* Snapshots: one more reference to everything, and nothing may be written in place any more. */
#include "core/mem/mem_priv.h"

#include <assert.h>
#include <stdlib.h>

struct mem_image *mem_snapshot(struct mem *mem)
{
	struct mem_image *img = malloc(sizeof *img);
	if (!img)
		return NULL;
	img->space = space_share(&mem->space);
	img->owner = mem;
	mem_flush_write_tags(mem);
	return img;
}

void mem_restore(struct mem *mem, const struct mem_image *img)
{
	assert(img->owner == mem);
	struct space now = space_share(&img->space);
	space_release(&mem->space);
	mem->space = now;
	mem_flush(mem);
}

void mem_image_free(struct mem_image *img)
{
	if (!img)
		return;
	space_release(&img->space);
	free(img);
}

size_t mem_image_bytes(const struct mem_image *img)
{
	const struct regions *t = img->space.regions;
	size_t table = t->refs == 1 ? sizeof *t + t->room * sizeof *t->r : 0;
	return sizeof *img + table + tree_bytes(&img->space, true);
}
