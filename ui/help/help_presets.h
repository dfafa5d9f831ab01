/* Help on presets: the machines that --config takes by name. */
#ifndef CYCLOPS_UI_HELP_HELP_PRESETS_H
#define CYCLOPS_UI_HELP_HELP_PRESETS_H

#include "ui/console/command.h"

/* Name of the i-th preset in alphabetical order; NULL: there are fewer. */
const char *help_preset_name(unsigned i);
/* Description of a preset from its file; "" if it has none. Returns buf. */
const char *help_preset_summary(const char *name, char *buf, size_t n);
/* Lists all presets, one per line. */
void help_put_presets(struct console *c);
/* Prints a preset's description and the parameters that it sets. False: unknown name. */
bool help_put_preset(struct console *c, const char *name);

#endif
