#include "ui/screen/config_path.h"

#include <stdio.h>
#include <stdlib.h>

char *config_path(const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path = NULL;
	int n = -1;
	if (config && *config == '/')
		n = asprintf(&path, "%s/cyclops/%s", config, name);
	else if (home && *home)
		n = asprintf(&path, "%s/.config/cyclops/%s", home, name);
	return n < 0 ? NULL : path;
}
