/* Pages of `help` that list what a table has: views, events, statistics, parameters, keys. */
#ifndef CYCLOPS_UI_HELP_HELP_TABLES_H
#define CYCLOPS_UI_HELP_HELP_TABLES_H

#include "ui/help/help_pages.h"
#include "core/prof/common/device.h"

void help_list_views(struct console *c);
void help_list_reports(struct console *c);
void help_list_events(struct console *c);
void help_list_fields(struct console *c);
void help_list_stats(struct console *c);
void help_list_params(struct console *c);
void help_list_csrs(struct console *c);
void help_list_keys(struct console *c);
void help_list_mouse(struct console *c);

#endif
