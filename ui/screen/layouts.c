/* Finds the layout for a screen's size and a machine's hardware, from layouts.def. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "ui/screen/config_path.h"
#include "ui/screen/layout.h"

enum { FILE_MAX = 4096, MIX_COLUMNS = 112 };

static const struct {
	const char *name, *help, *tree;
	int cols, rows;
	enum layout_for of;
} builtin[] = {
#define LAYOUT(name, help, cols, rows, of, tree) {#name, help, tree, cols, rows, LAYOUT_##of},
#include "ui/screen/layouts.def"
#undef LAYOUT
};
enum { BUILTIN = sizeof builtin / sizeof *builtin };

static int layouts_index_by_name(const struct layouts *l, const char *name)
{
	for (unsigned i = 0; i < l->count; i++)
		if (!strcmp(l->layout[i].name, name))
			return (int)i;
	return -1;
}

static void layouts_clear_trees(struct layout *l)
{
	tiles_free(l->mixed);
	l->mixed = NULL;
	l->chosen = NULL;
	for (unsigned i = 0; i < LAYOUT_SIZES; i++) {
		tiles_free(l->size[i].root);
		l->size[i].root = NULL;
	}
}

/* Returns the layout of this name, adding it if new. NULL with *err if there are too many. */
static struct layout *layouts_add_layout(struct layouts *l, const char *name, struct err *err)
{
	int at = layouts_index_by_name(l, name);
	if (at >= 0)
		return &l->layout[at];
	if (l->count == LAYOUTS) {
		err_set(err, "there are %d layouts, and no room for '%s'", LAYOUTS, name);
		return NULL;
	}
	struct layout *new = &l->layout[l->count++];
	*new = (struct layout){0};
	snprintf(new->name, sizeof new->name, "%s", name);
	return new;
}

static bool add_builtin(struct layouts *l, const char *only, struct err *err)
{
	for (int i = 0; i < BUILTIN; i++) {
		if (only && strcmp(only, builtin[i].name) != 0)
			continue;
		struct layout *to = layouts_add_layout(l, builtin[i].name, err);
		if (!to)
			return false;
		snprintf(to->help, sizeof to->help, "%s", builtin[i].help);
		to->own = false;
		unsigned n = 0;
		while (n < LAYOUT_SIZES && to->size[n].root)
			n++;
		if (n == LAYOUT_SIZES)
			return err_set(err, "layout '%s' has over %d trees", to->name,
			               LAYOUT_SIZES);
		to->size[n].cols = builtin[i].cols;
		to->size[n].rows = builtin[i].rows;
		to->size[n].of = builtin[i].of;
		to->size[n].root = tiles_parse(builtin[i].tree, err);
		if (!to->size[n].root)
			return false;
	}
	return true;
}

/* ---- the user's own ---- */
static bool valid_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
	return n > 0 && !name[n] && n < LAYOUT_NAME && strspn(name, "0123456789") < n;
}

static bool add_own(struct layouts *l, const char *name, const char *text, struct err *err)
{
	struct node *root = tiles_parse(text, err);
	struct layout *to = root ? layouts_add_layout(l, name, err) : NULL;
	if (!to) {
		tiles_free(root);
		return false;
	}
	layouts_clear_trees(to);
	snprintf(to->help, sizeof to->help, "your own");
	to->own = true;
	to->size[0].cols = to->size[0].rows = 0;
	to->size[0].of = LAYOUT_ANY;
	to->size[0].root = root;
	return true;
}

static bool read_own(struct layouts *l, const char *dir, const char *name, struct err *err)
{
	char *path, text[FILE_MAX + 1];
	struct err why;
	if (!(path = alloc_format("%s/%s", dir, name)))
		return err_set(err, "out of memory");
	FILE *f = open_own_input(path);
	bool ok = f != NULL;
	if (!f) {
		err_set(err, "%s: %s", path, open_input_error());
	} else {
		text[fread(text, 1, FILE_MAX, f)] = '\0';
		fclose(f);
		ok = add_own(l, name, text, &why);
		if (!ok)
			err_set(err, "%s: %.300s", path, why.msg);
	}
	free(path);
	return ok;
}

static int is_layout(const struct dirent *d)
{
	return valid_name(d->d_name);
}

bool layouts_load(struct layouts *l, struct err *err)
{
	struct dirent **names;
	*l = (struct layouts){0};
	err->msg[0] = '\0';
	if (!add_builtin(l, NULL, err))
		return false;
	char *dir = config_path("layouts");
	int n = dir ? alloc_folder_names(dir, &names, is_layout, alphasort) : -1;
	for (int i = 0; i < n; i++) {
		read_own(l, dir, names[i]->d_name, err);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	free(dir);
	return true;
}

void layouts_deinit(struct layouts *l)
{
	for (unsigned i = 0; i < l->count; i++)
		layouts_clear_trees(&l->layout[i]);
	l->count = 0;
}

int layouts_find(const struct layouts *l, const char *word, struct err *err)
{
	struct nearest near;
	char *end;
	long number = strtol(word, &end, 10);
	if (*word && !*end) {
		if (number >= 1 && number <= (long)l->count)
			return (int)number - 1;
		err_set(err, "there is no layout %s; expected 1 to %u", word, l->count);
		return -1;
	}
	nearest_init(&near, word);
	for (unsigned i = 0; i < l->count; i++) {
		if (!strcmp(l->layout[i].name, word))
			return (int)i;
		nearest_offer(&near, l->layout[i].name);
	}
	err_set(err, "no layout is called '%s'; %s", word,
	        nearest_said(&near, "`layout` lists them"));
	return -1;
}

/* Index of the last tree for these features that fits, or else of the first; -1: none is for them.
 */
static int layouts_largest_fitting(const struct layout *l, unsigned of, int cols, int rows)
{
	int first = -1, best = -1;
	for (int i = 0; i < LAYOUT_SIZES && l->size[i].root; i++) {
		if (l->size[i].of != of)
			continue;
		first = first < 0 ? i : first;
		if (cols >= l->size[i].cols && rows >= l->size[i].rows)
			best = i;
	}
	return best < 0 ? first : best;
}

static const struct node *first_leaf(const struct node *n)
{
	return n->count ? first_leaf(n->child[0]) : n;
}

/* Makes a tree of the first pane of each feature, one above the other. NULL if memory is short. */
static struct node *layouts_mix_trees(const struct layout *l, unsigned of, int cols)
{
	char text[512];
	size_t used = 0;
	unsigned parts = 0;
	const unsigned kinds = (unsigned)__builtin_popcount(of), half = (kinds + 1) / 2;
	const bool wide = cols >= MIX_COLUMNS && kinds > 2;
	struct err none;
	used += (size_t)snprintf(text, sizeof text, wide ? "(columns 50 (rows" : "(rows");
	for (unsigned bit = 1; bit && bit <= of; bit <<= 1) {
		const int at = bit & of ? layouts_largest_fitting(l, bit, 0, 0) : -1;
		if (at < 0)
			continue;
		if (wide && parts == half)
			used += (size_t)snprintf(text + used, sizeof text - used,
			                         kinds - half > 1 ? ") 50 (rows" : ")");
		used += (size_t)snprintf(text + used, sizeof text - used, " 50 \"%.60s\"",
		                         first_leaf(l->size[at].root)->pane->words);
		parts++;
	}
	snprintf(text + used, sizeof text - used, wide && kinds - half > 1 ? "))" : ")");
	return tiles_parse(text, &none);
}

/* Features outrank size: a small terminal shows the machine's hardware, too. */
struct node **layout_tree(struct layout *l, int cols, int rows, unsigned what)
{
	unsigned of = LAYOUT_ANY, kinds = 0;
	if (l->chosen && *l->chosen)
		return l->chosen;
	for (int i = 0; i < LAYOUT_SIZES && l->size[i].root; i++) {
		if (l->size[i].of & ~what)
			continue;
		kinds |= l->size[i].of;
		of = __builtin_popcount(l->size[i].of) >= __builtin_popcount(of) ? l->size[i].of
		                                                                 : of;
	}
	if (kinds == of)
		return &l->size[layouts_largest_fitting(l, of, cols, rows)].root;
	const bool wide = cols >= MIX_COLUMNS;
	if (!l->mixed || l->mixed_of != kinds || l->mixed_wide != wide) {
		struct node *mixed = layouts_mix_trees(l, kinds, cols);
		if (!mixed)
			return &l->size[layouts_largest_fitting(l, of, cols, rows)].root;
		tiles_free(l->mixed);
		l->mixed = mixed;
		l->mixed_of = kinds;
		l->mixed_wide = wide;
	}
	return &l->mixed;
}

bool layouts_reset(struct layouts *l, unsigned i, struct err *err)
{
	struct layout *at = &l->layout[i];
	bool known = false;
	for (int b = 0; b < BUILTIN; b++)
		known = known || !strcmp(builtin[b].name, at->name);
	if (!known)
		return err_set(err, "'%s' is your own: there is nothing to go back to", at->name);
	layouts_clear_trees(at);
	return add_builtin(l, at->name, err);
}

/* Creates every folder of a path. */
static bool make_folders(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
		*slash = '/';
		if (!ok)
			return false;
	}
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

int layouts_save(struct layouts *l, const char *name, const struct node *tree, char **path,
                 struct err *err)
{
	int at = -1;
	*path = NULL;
	if (!valid_name(name)) {
		err_set(err,
		        "'%s' can't name a layout; expected letters, digits, - and _, at most %d, "
		        "not a number",
		        name, LAYOUT_NAME - 1);
		return -1;
	}
	char *dir = config_path("layouts"), *text = tiles_format(tree);
	if (!dir || !text) {
		err_set(err, dir ? "out of memory" : "no folder for layouts: HOME is not set");
	} else if (!make_folders(dir) || !(*path = alloc_format("%s/%s", dir, name))) {
		err_set(err, "%s: %s", dir, strerror(errno));
	} else {
		struct output_file o;
		bool ok = output_begin(&o, *path, OUTPUT_FILE_REGULAR, err);
		if (ok) {
			fprintf(o.f, "%s\n", text);
			ok = output_end(&o, *path, err);
		}
		if (ok && add_own(l, name, text, err))
			at = layouts_index_by_name(l, name);
	}
	free(dir);
	free(text);
	return at;
}
