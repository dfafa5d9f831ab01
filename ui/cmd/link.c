/* `link`: prints a link to the present moment. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "ui/console/answer_data.h"
#include "ui/link/origin.h"
#include "ui/screen/link_layout.h"

static enum command_result cmd_link_exec(struct console *c, const char *args)
{
	char layout[LINK_NAME] = "", *tree = NULL;
	if (*args)
		return console_fail(c,
		                    "link '%s' takes no argument; `cyclops link ADDRESS` opens a "
		                    "link",
		                    args);
	if (c->of_screen)
		link_layout_of(c->of_screen, layout, sizeof layout, &tree);
	char *fragment = link_here(c, layout, tree, &c->err),
	     *address = fragment ? link_address(fragment, &c->err) : NULL;
	free(tree);
	free(fragment);
	if (!address)
		return CMD_ERROR;
	data_text(answer_data(c), "link", address);
	console_print(c, "%s\n", address);
	if (c->of_screen)
		link_layout_copy(c, address);
	else
		console_print(c, "`cyclops link` opens it, and so does a page with Cyclops.\n");
	free(address);
	return CMD_OK;
}

const struct command cmd_link = {
	.name = "link",
	.aliases = "",
	.group = "files",
	.usage = "link",
	.summary = "print a link to this moment: program, configuration, cycle and layout",
	.help = "`cyclops link ADDRESS` opens it, at exactly this cycle; going back works. The\n"
		"program is a demo or an assembly text, which the link carries. With the\n"
		"address of a page in CYCLOPS_PAGE of the environment the link is a whole one.\n"
		"On the screen it goes to the terminal's clipboard, too.",
	.exec = cmd_link_exec,
};
