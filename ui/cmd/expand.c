/* expand, collapse: nodes of the tree in the view `cct`. */
#include <string.h>

#include "hwviews/flow/context_folds.h"
#include "hwviews/flow/context_rows.h"
#include "ui/console/args.h"

/* Finds the node that a word names in the tree that the view shows. */
static bool cmd_expand_find_node(struct console *c, const char *word, uint32_t *node,
                                 enum fold *now)
{
	struct contexts tree;
	if (!contexts_read(c->session, NULL, &tree, &c->err))
		return false;
	const bool ok = contexts_find(c->session, &tree, word, node, &c->err);
	if (ok)
		*now = context_fold(c->session, &tree, *node);
	contexts_free(&tree);
	return ok;
}

static enum command_result cmd_expand_set_fold(struct console *c, const char *args, enum fold to)
{
	char word[128];
	enum fold now;
	uint32_t node;
	const char *rest = parse_word(args, word, sizeof word);
	const bool toggle = to == FOLD_OPEN && !strcmp(word, "toggle");
	if (toggle)
		rest = parse_word(rest, word, sizeof word);
	if (*rest)
		return console_fail(
			c, "'%s' is one word too many; expected a node's number, or a procedure",
			rest);
	if (!*word || !strcmp(word, "all")) {
		context_fold_all(c->session, *word || to == FOLD_CLOSED ? to : FOLD_AUTO);
		return CMD_OK;
	}
	if (!cmd_expand_find_node(c, word, &node, &now))
		return CMD_ERROR;
	if (toggle && now != FOLD_CLOSED)
		to = FOLD_CLOSED;
	if (!context_fold_set(c->session, node, to))
		return console_fail(c, "out of memory for expanded contexts");
	return CMD_OK;
}

static enum command_result cmd_expand_exec(struct console *c, const char *args)
{
	return cmd_expand_set_fold(c, args, FOLD_OPEN);
}

static enum command_result cmd_collapse_exec(struct console *c, const char *args)
{
	return cmd_expand_set_fold(c, args, FOLD_CLOSED);
}

const struct command cmd_expand = {
	.name = "expand",
	.aliases = "",
	.group = "views",
	.usage = "expand [[toggle] NODE | all]",
	.summary = "show all callees of a calling context; alone, only the large ones again",
	.help = "For `view cct`. NODE is the number of a row, or a procedure, of which the\n"
		"largest context is meant. With `toggle`, an expanded one collapses: that is\n"
		"what e does on the screen.\n"
		"    expand 12        expand search        expand all",
	.words = "all toggle",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_expand_exec,
};

const struct command cmd_collapse = {
	.name = "collapse",
	.aliases = "",
	.group = "views",
	.usage = "collapse [NODE]",
	.summary = "show nothing below a calling context; alone, below any",
	.help = "The counterpart of `expand`; `expand` alone goes back to the large ones.",
	.complete = COMPLETE_LOCATION,
	.exec = cmd_collapse_exec,
};
