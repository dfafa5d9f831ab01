/* Files of the page belong to one user: all may read them. */
#include "core/host/file_mask.h"

#include "core/host/web/page.h"

static mode_t file_mask = 022;

mode_t file_mask_set(mode_t mask)
{
	const mode_t before = file_mask;
	file_mask = mask & 0777;
	page_set_mask(file_mask);
	return before;
}

mode_t file_mask_default_mode(void)
{
	return 0666 & ~file_mask;
}
