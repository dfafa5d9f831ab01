/* Snapshots: a reference to the whole tree, after which no page may be written in place. */
#include "core/mem/mem_priv.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/alloc.h"

struct mem_image *mem_snapshot(struct mem *mem)
{
	/* on failure history is thinned */
	struct mem_image *img = alloc_try_bytes(sizeof *img);
	if (!img)
		return NULL;
	img->space = space_share(&mem->space);
	memory_account_take(&img->space.pool->ledger, sizeof *img);
	img->owner = mem;
	mem_flush_write_tags(mem);
	return img;
}

void mem_restore(struct mem *mem, const struct mem_image *img)
{
	assert(img->owner == mem);
	struct space now = space_share(&img->space);
	code_move(mem, &now);
	space_release(&mem->space);
	mem->space = now;
	mem_flush(mem);
}

void mem_image_free(struct mem_image *img)
{
	if (!img)
		return;
	memory_account_give(&img->space.pool->ledger, sizeof *img);
	space_release(&img->space);
	free(img);
}

bool mem_image_same(const struct mem_image *a, const struct mem_image *b, uint64_t addr, uint64_t n)
{
	if (a->space.regions != b->space.regions || addr >= MEM_END || n > MEM_END - addr)
		return false;
	for (uint64_t pn = addr >> PAGE_LOG2; n && pn <= (addr + n - 1) >> PAGE_LOG2; pn++)
		if (tree_find(&a->space, pn) != tree_find(&b->space, pn))
			return false;
	return true;
}

void mem_image_walk(const struct mem_image *img, const struct ledger_walk *w)
{
	if (ledger_visit(w, img, sizeof *img))
		tree_walk(&img->space, w);
}
