/* The generated reference, read by its tests. */
#ifndef CYCLOPS_TESTS_UNIT_UI_REFERENCE_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_UI_REFERENCE_FIXTURE_H

#include "tests/unit/ui/console_fixture.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/defs/stats.h"
#include "core/isa/csr.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/session/uop_fields.h"
#include "scripting/binding.h"
#include "scripting/expr/expr.h"
#include "scripting/modules.h"
#include "ui/cli/cli.h"
#include "ui/help/glossary.h"
#include "ui/help/help_pages.h"
#include "ui/reference/markdown.h"
#include "ui/reference/reference.h"
#include "ui/screen/keys.h"
#include "ui/screen/part_keys.h"

enum { PAGES_MAX = 32 };

struct pages {
	struct console c;
	char *text[PAGES_MAX]; /* owned */
	size_t written;        /* by pages, through the console's own output */
};

static inline void count_written(void *ctx, const char *text, size_t n)
{
	(void)text;
	((struct pages *)ctx)->written += n;
}

static inline char *page_text(struct pages *p, unsigned i)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	assert_non_null(f);
	reference_put(f, &reference_pages[i], &p->c);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(strlen(text), n);
	return text;
}

static inline int reference_fixture_setup_pages(void **state)
{
	static struct pages p;
	struct err err;
	p = (struct pages){0};
	if (reference_page_count > PAGES_MAX || !console_init(&p.c, NULL, count_written, &p, &err))
		return -1;
	for (unsigned i = 0; i < reference_page_count; i++)
		p.text[i] = page_text(&p, i);
	*state = &p;
	return 0;
}

static inline int reference_fixture_teardown_pages(void **state)
{
	struct pages *p = *state;
	for (unsigned i = 0; i < reference_page_count; i++)
		free(p->text[i]);
	console_deinit(&p->c);
	return 0;
}

static inline const char *reference_fixture_page_text(const struct pages *p, const char *name)
{
	for (unsigned i = 0; i < reference_page_count; i++)
		if (!strcmp(reference_pages[i].name, name))
			return p->text[i];
	fail_msg("there is no page %s", name);
	return NULL;
}

static inline void assert_in(const char *text, const char *what, const char *of)
{
	if (!strstr(text, what))
		fail_msg("'%s' does not occur where %s is explained", what, of);
}

/* A text as prose, in a cell. */
static inline const char *reference_fixture_format_prose(const char *text, bool cell)
{
	static char buf[8192];
	FILE *f = fmemopen(buf, sizeof buf, "w");
	md_prose(f, text, cell);
	fclose(f);
	return buf;
}

#endif
