/* Paths of the user's own files for the screen. */
#ifndef CYCLOPS_UI_SCREEN_CONFIG_PATH_H
#define CYCLOPS_UI_SCREEN_CONFIG_PATH_H

/* "/home/ada/.config/cyclops/NAME", below XDG_CONFIG_HOME if that is set; malloc'd. NULL if there
 * is no home, or memory is short. */
char *config_path(const char *name);

#endif
