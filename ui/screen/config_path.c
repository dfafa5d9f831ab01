#include "ui/screen/config_path.h"

#include <stdlib.h>

#include "core/base/alloc.h"

char *config_path(const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	if (config && *config == '/')
		return alloc_format("%s/cyclops/%s", config, name);
	if (home && *home == '/')
		return alloc_format("%s/.config/cyclops/%s", home, name);
	return NULL;
}
