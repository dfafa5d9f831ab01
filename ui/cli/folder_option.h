/* --dir GUEST=HOST[:rw]: folders of the host that the program has beside the current directory. */
#ifndef CYCLOPS_UI_CLI_FOLDER_OPTION_H
#define CYCLOPS_UI_CLI_FOLDER_OPTION_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/os/os.h"

struct folder_options {
	struct os_folder folder[OS_FOLDERS]; /* [count], in the order given; owned */
	unsigned count;
};

/* False with *err: nothing is added. */
bool folder_options_add(struct folder_options *o, const char *value, struct err *err);
void folder_options_deinit(struct folder_options *o);

#endif
