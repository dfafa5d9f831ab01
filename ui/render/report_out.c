#include "ui/render/report_out.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "hwviews/reports/report.h"
#include "ui/render/render_csv.h"
#include "ui/render/render_json.h"
#include "ui/render/render_text.h"

enum { WORDS_MAX = 16 };

static bool report_cut_option(char *words, const char *word)
{
	size_t n = strlen(word);
	for (char *at = words; (at = strstr(at, word)); at += n) {
		if ((at != words && at[-1] != ' ') || (at[n] && at[n] != ' '))
			continue;
		memmove(at, at + n, strlen(at + n) + 1);
		return true;
	}
	return false;
}

void report_cut_format(char *words, struct report_style *style)
{
	if (report_cut_option(words, "--json"))
		style->as = REPORT_JSON;
	if (report_cut_option(words, "--csv"))
		style->as = REPORT_CSV;
	if (style->as != REPORT_TEXT)
		style->rows = 0;
}

static int report_split_words(char *words, const char *argv[])
{
	int argc = 0;
	char *save;
	for (char *w = strtok_r(words, " \t", &save); w && argc < WORDS_MAX;
	     w = strtok_r(NULL, " \t", &save))
		argv[argc++] = w;
	return argc;
}

static void report_render_grid(FILE *f, const struct grid *g, const struct report *r,
                               const struct session *s, const struct report_style *style)
{
	char right[64] = "cycle ", digits[32];
	uint64_t cycle = machine_cycle(s->machine);
	strcat(right, group_digits(cycle, digits));
	if (style->as == REPORT_JSON)
		render_json(f, g, r->name, cycle);
	else if (style->as == REPORT_CSV)
		render_csv(f, g);
	else
		render_text(f, g,
		            &(struct text_style){
				    .width = style->width, .ascii = style->ascii, .right = right});
}

bool report_write(FILE *f, const struct session *s, const char *words,
                  const struct report_style *style, struct err *err)
{
	const char *argv[WORDS_MAX];
	char *copy = alloc_text(words);
	int used, argc = copy ? report_split_words(copy, argv) : 0;
	struct grid g;
	const struct report *r = copy ? report_find(argc, argv, &used, err) : NULL;
	bool ok = copy || err_set(err, "out of memory");
	if (r) {
		const struct view_args args = {.argc = argc - used,
		                               .argv = argv + used,
		                               .rows = style->rows,
		                               .columns = style->width};
		ok = report_build(r, s, &args, &g, err);
	}
	if (r && ok) {
		report_render_grid(f, &g, r, s, style);
		grid_deinit(&g);
	}
	free(copy);
	return r && ok;
}

bool report_known(const char *words, const struct session *s, struct err *err)
{
	const char *argv[WORDS_MAX];
	char *copy = alloc_text_n(words, strcspn(words, "="));
	int used;
	if (!copy)
		return err_set(err, "out of memory");
	const struct report *r = report_find(report_split_words(copy, argv), argv, &used, err);
	free(copy);
	return r && (!s || device_there(s, r->device, err));
}

static bool report_into(const char *path, const struct session *s, const char *name,
                        const struct report_style *style, struct err *err)
{
	struct output_file o;
	struct err why;
	if (!output_begin(&o, path, OUTPUT_FILE_ANY, &why))
		return err_set(err, "--report %s=%s", name, why.msg);
	if (report_write(o.f, s, name, style, err))
		return output_end(&o, path, &why) || err_set(err, "--report %s=%s", name, why.msg);
	output_drop(&o);
	return false;
}

bool report_to(const struct session *s, const char *words, struct err *err)
{
	const char *path = strchr(words, '=');
	char *name = alloc_text_n(words, strcspn(words, "="));
	struct report_style style = {.as = REPORT_TEXT, .rows = REPORT_ROWS};
	if (!name)
		return err_set(err, "out of memory");
	if (path) {
		path++;
		style.as = output_ends_in(path, ".json")  ? REPORT_JSON
		           : output_ends_in(path, ".csv") ? REPORT_CSV
		                                   : REPORT_TEXT;
		style.rows = 0;
	}
	const bool ok = path ? report_into(path, s, name, &style, err)
	                     : report_write(stderr, s, name, &style, err);
	free(name);
	return ok;
}
