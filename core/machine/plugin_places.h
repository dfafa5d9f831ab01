/* Plug-ins (core/pipe/plugin.h) that a configuration asks for, and the check that exactly those
 * were given. */
#ifndef CYCLOPS_CORE_MACHINE_PLUGIN_PLACES_H
#define CYCLOPS_CORE_MACHINE_PLUGIN_PLACES_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/pipe/plugin.h"

struct config;
struct param;

/* The plug-ins of `plugins`, which may be NULL, that a configuration asks for. */
struct plugins plugins_asked(const struct plugins *plugins, const struct config *cfg);
/* The parameter of a place. */
const struct param *plugin_place_param(enum plugin_place place);
/* Sets the parameters of the places that have a plug-in to external. */
void plugins_ask(const struct plugins *plugins, struct config *cfg);
/* Whether exactly the plug-ins that the configuration asks for are given, with valid tables and the
 * required functions. plugins may be NULL: none. */
bool plugins_check(const struct plugins *plugins, const struct config *cfg, struct err *err);

#endif
