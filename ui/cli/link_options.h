/* Options and links: which sessions a link can repeat, and the command line that a link is for. */
#ifndef CYCLOPS_UI_CLI_LINK_OPTIONS_H
#define CYCLOPS_UI_CLI_LINK_OPTIONS_H

#include "ui/cli/options.h"
#include "ui/link/link.h"

struct tour_place;

/* Keeps how this session begins, for links to its moments (ui/link/origin.h). Call before its
 * source is compiled. */
void link_options_begin(const struct options *o, const struct tour_place *place);
/* Builds the command line of a link's session: name first, then `more` words, NULL at the end; one
 * allocation. The texts of the link are files of the current folder. NULL with *err: there is no
 * such demo. */
char **link_options_words(const struct link *l, char *name, char *const *more, int more_count,
                          int *argc, struct err *err);
/* False with *err: a link's session can't have one of these options. */
bool link_options_allowed(const struct options *o, struct err *err);

#endif
