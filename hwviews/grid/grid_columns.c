/* A grid's columns: selecting those of a table, and filling a row's cells from the table. */
#include <assert.h>
#include <string.h>

#include "hwviews/grid/grid.h"

/* Returned for every column by a grid without memory. */
static struct grid_column lost_column;

static void remove_column(struct grid *g, unsigned at)
{
	assert(!g->row_count);
	memmove(g->columns + at, g->columns + at + 1,
	        (g->column_count - at - 1) * sizeof *g->columns);
	g->column_count--;
	g->essential = g->essential < g->column_count ? g->essential : g->column_count;
}

static unsigned find_column(const struct grid *g, const char *name, size_t n)
{
	for (unsigned c = 0; c < g->column_count; c++)
		if (strlen(g->columns[c].name) == n && !memcmp(g->columns[c].name, name, n))
			return c;
	assert(g->out_of_memory);
	return g->column_count;
}

void grid_init_for(struct grid *g, const char *title, const struct grid_column *columns, unsigned n,
                   const struct session *s)
{
	unsigned always = 0;
	grid_init(g, title, columns, n);
	for (unsigned c = g->column_count; c-- > 0;)
		if (g->columns[c].there && !g->columns[c].there(s))
			remove_column(g, c);
	/* Columns that only some machines have don't count as essential: they displace no other. */
	for (g->essential = 0; g->essential < g->column_count && always < GRID_ESSENTIAL;)
		always += !g->columns[g->essential++].there;
}

struct grid_column *grid_column_named(struct grid *g, const char *name)
{
	const unsigned c = find_column(g, name, strlen(name));
	return c < g->column_count ? &g->columns[c] : &lost_column;
}

void grid_drop_column(struct grid *g, const char *name)
{
	const unsigned c = find_column(g, name, strlen(name));
	if (c < g->column_count)
		remove_column(g, c);
}

void grid_keep_columns(struct grid *g, const char *names)
{
	unsigned kept = 0;
	for (size_t n; *names; names += n + (names[n] == ' '), kept++) {
		n = strcspn(names, " ");
		const unsigned c = find_column(g, names, n);
		if (c >= g->column_count)
			return;
		const struct grid_column column = g->columns[c];
		memmove(g->columns + kept + 1, g->columns + kept, (c - kept) * sizeof *g->columns);
		g->columns[kept] = column;
	}
	g->column_count = kept;
	g->essential = kept < GRID_ESSENTIAL ? kept : GRID_ESSENTIAL;
}

void grid_cells(struct grid *g, const void *row)
{
	while (g->fill < g->column_count && !g->out_of_memory) {
		const unsigned at = g->fill;
		g->columns[at].fill(g, row);
		assert(g->fill == at + 1 || g->out_of_memory);
	}
}

void grid_skip_to(struct grid *g, const char *name)
{
	const unsigned c = find_column(g, name, strlen(name));
	assert(c >= g->fill || g->out_of_memory);
	g->fill = c;
}

unsigned grid_of(const struct grid *g)
{
	return g->columns[g->fill].of;
}

static uint64_t uint_member(const struct grid *g, const void *row)
{
	uint64_t v;
	memcpy(&v, (const char *)row + grid_of(g), sizeof v);
	return v;
}

static const char *text_member(const struct grid *g, const void *row)
{
	const char *text;
	memcpy(&text, (const char *)row + grid_of(g), sizeof text);
	return text;
}

void fill_uint(struct grid *g, const void *row)
{
	grid_uint(g, ROLE_NUMBER, uint_member(g, row));
}

void fill_uint_dim(struct grid *g, const void *row)
{
	grid_uint(g, ROLE_DIM, uint_member(g, row));
}

void fill_text(struct grid *g, const void *row)
{
	grid_text(g, ROLE_PLAIN, "%s", text_member(g, row));
}

void fill_text_dim(struct grid *g, const void *row)
{
	grid_text(g, ROLE_DIM, "%s", text_member(g, row));
}

void grid_uint_if(struct grid *g, bool there, enum role role, uint64_t v)
{
	if (there)
		grid_uint(g, role, v);
	else
		grid_blank(g);
}
