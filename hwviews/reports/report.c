#include "hwviews/reports/report.h"

#include <string.h>

#include "core/base/nearest_word.h"

const struct report *const reports[] = {
#define REPORT(name) &report_##name,
#include "hwviews/reports/reports.def"
#undef REPORT
};

const unsigned report_count = sizeof reports / sizeof *reports;

/* Number of words of this name if argv begins with exactly it; else 0. */
static int report_match_name_words(const char *name, int argc, const char *const *argv)
{
	int used = 0;
	while (*name && used < argc) {
		size_t n = strcspn(name, " ");
		if (strlen(argv[used]) != n || strncmp(argv[used], name, n) != 0)
			return 0;
		used++;
		name += n + strspn(name + n, " ");
	}
	return *name ? 0 : used;
}

const struct report *report_find(int argc, const char *const *argv, int *used, struct err *err)
{
	const struct report *found = NULL;
	*used = 0;
	for (unsigned i = 0; i < report_count; i++) {
		int words = report_match_name_words(reports[i]->name, argc, argv);
		if (words > *used) {
			*used = words;
			found = reports[i];
		}
	}
	if (found)
		return found;
	struct nearest nearest;
	nearest_init(&nearest, argc ? argv[0] : "");
	for (unsigned i = 0; i < report_count; i++)
		nearest_offer(&nearest, reports[i]->name);
	if (!argc)
		err_set(err, "no report given; `report` lists them");
	else
		err_set(err, "no report '%s': %s", argv[0],
		        nearest_said(&nearest, "`report` lists them, such as '%s'",
		                     reports[0]->name));
	return NULL;
}

bool report_build(const struct report *r, const struct session *s, const struct view_args *args,
                  struct grid *out, struct err *err)
{
	return device_there(s, r->device, err) && r->build(s, args, out, err) &&
	       grid_complete(out, err);
}
