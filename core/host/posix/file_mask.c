#include "core/host/file_mask.h"

#include <sys/stat.h>

mode_t file_mask_set(mode_t mask)
{
	return umask(mask);
}

mode_t file_mask_default_mode(void)
{
	const mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}
