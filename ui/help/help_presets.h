/* Help on presets: the machines that --config takes by name. */
#ifndef CYCLOPS_UI_HELP_HELP_PRESETS_H
#define CYCLOPS_UI_HELP_HELP_PRESETS_H

#include "ui/console/command.h"

/* The i-th in alphabetical order, NULL behind the last. */
const char *help_preset_name(unsigned i);
/* What the preset's file says of it; "" if it says nothing. Returns buf. */
const char *help_preset_summary(const char *name, char *buf, size_t n);
/* All of them, a line each. */
void help_put_presets(struct console *c);
/* One of them: what it is, and the parameters that it sets. False: none is called so. */
bool help_put_preset(struct console *c, const char *name);

#endif
