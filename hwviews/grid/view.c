#include "hwviews/grid/view.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "core/defs/devices.h"
#include "core/prof/common/device.h"

const struct view *const views[] = {
#define VIEW(name) &view_##name,
#include "hwviews/grid/views.def"
#undef VIEW
};

const unsigned view_count = sizeof views / sizeof *views;

const struct view *view_at(const struct session *s, unsigned i)
{
	if (i < view_count)
		return views[i];
	i -= view_count;
	return s && s->more_views && i < s->more_views->count ? s->more_views->at[i] : NULL;
}

static bool view_has_name(const struct view *v, const char *name)
{
	const size_t n = strlen(name);
	if (!strcasecmp(v->name, name))
		return true;
	for (const char *w = v->also; n && w && *w; w += strspn(w, " ")) {
		const size_t len = strcspn(w, " ");
		if (len == n && !strncasecmp(w, name, n))
			return true;
		w += len;
	}
	return false;
}

const struct view *view_named(const struct session *s, const char *name)
{
	const struct view *v;
	for (unsigned i = 0; (v = view_at(s, i)); i++)
		if (view_has_name(v, name))
			return v;
	return NULL;
}

const struct view *view_find(const struct session *s, const char *name, struct err *err)
{
	const struct view *v = view_named(s, name), *prefix = NULL, *second = NULL;
	struct nearest nearest;
	if (v)
		return v;
	nearest_init(&nearest, name);
	for (unsigned i = 0; (v = view_at(s, i)); i++) {
		nearest_offer(&nearest, v->name);
		if (strncmp(v->name, name, strlen(name)) != 0)
			continue;
		if (prefix)
			second = v;
		else
			prefix = v;
	}
	if (prefix && !second)
		return prefix;
	if (prefix && second)
		err_set(err, "'%s' may be view %s or %s: give more of its name", name, prefix->name,
		        second->name);
	else
		err_set(err, "no view '%s': %s", name,
		        nearest_said(&nearest, "`help views` lists them, such as 'rob'"));
	return NULL;
}

bool device_there(const struct session *s, const char *device, struct err *err)
{
	for (unsigned i = 0; device && i < DEVICE_COUNT; i++)
		if (!strcmp(device_rows[i].name, device) &&
		    !device_exists(machine_config(s->machine), (enum device_id)i))
			return err_set(err, "this machine has no %s: start with %s", device,
			               device_rows[i].option);
	return true;
}

bool view_fill(const struct view *v, const struct session *s, const struct view_args *args,
               struct grid *out, struct err *err)
{
	static const struct grid_column nothing[] = {
		{"nothing", "", "", FLEXIBLE}};
	struct err why;
	if (v->build_own)
		return v->build_own(v, s, args, out, err) && grid_complete(out, err);
	if (device_there(s, v->device, &why))
		return v->build(s, args, out, err) && grid_complete(out, err);
	grid_init(out, v->title, nothing, 1);
	grid_empty(out, "%s", why.msg);
	return grid_complete(out, err);
}

bool view_build(const struct session *s, const char *words, const struct view_args *args,
                struct grid *out, struct err *err)
{
	enum { WORDS_MAX = 16 };
	const char *argv[WORDS_MAX];
	struct view_args all = *args;
	char *save, *copy = alloc_text(words), *name = copy ? strtok_r(copy, " \t", &save) : NULL;
	const struct view *v = name ? view_find(s, name, err) : NULL;
	bool ok = v != NULL;
	if (!name)
		err_set(err, copy ? "no view given; `help views` lists them"
		                  : "out of memory for a view");
	all.argc = 0;
	all.argv = argv;
	while (ok) {
		char *w = strtok_r(NULL, " \t", &save);
		if (!w)
			break;
		ok = all.argc < WORDS_MAX || err_set(err, "too many words for a view");
		if (ok)
			argv[all.argc++] = w;
	}
	ok = ok && view_fill(v, s, &all, out, err);
	free(copy);
	return ok;
}
