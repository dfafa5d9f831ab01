/* Cells of CSV: text that a spreadsheet would compute or split stays one line of text. */
#include "hwviews/grid/csv_cell.h"
#include "tests/cases.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text, *cell;
} cases[] = {
	{"", ""},
	{"plain", "plain"},
	{"a,b", "\"a,b\""},
	{"a;b", "\"a;b\""},
	{"say \"hi\"", "\"say \"\"hi\"\"\""},
	{" edge", "\" edge\""},
	{"two\nlines\r\n", "\"two lines  \""},
	{"a\tb", "\"a b\""},
	/* formulas */
	{"=1+1", "'=1+1"},
	{"+x", "'+x"},
	{"-x", "'-x"},
	{"@SUM(A1)", "'@SUM(A1)"},
	{"-", "-"},
	{"\x01=1", "'=1"},
	{"\t=1", "\"' =1\""},
	{"\r\n =1", "\"'   =1\""},
	{"\xe2\x80\x8b=1", "'=1"},                      /* after a zero-width space */
	{"\xc2\xa0=1", "'\xc2\xa0=1"},                  /* after a space that doesn't break */
	{"\xcc\x81=1", "'\xcc\x81=1"},                  /* after an accent */
	{"\xff=1", "'\xef\xbf\xbd=1"},                  /* after invalid UTF-8 */
	{"\xef\xbc\x9d" "1", "'\xef\xbc\x9d" "1"},      /* a wide one */
	{"\xe2\x88\x92x", "'\xe2\x88\x92x"},            /* a minus sign */
	{"=cmd|' /C calc'!A0,\"x\"", "\"'=cmd|' /C calc'!A0,\"\"x\"\"\""},
	/* numbers */
	{"-5", "-5"},
	{"+5", "+5"},
	{"-.5", "-.5"},
	{"-12.5e+3", "-12.5e+3"},
	{"-5e", "'-5e"},
	{"-5+1", "'-5+1"},
	{"-0x5", "'-0x5"},
	{"-inf", "'-inf"},
	{"1=2", "1=2"},
	/* where ';' separates */
	{";=1+1;", "\";'=1+1;\""},
	{"a; @x", "\"a;' @x\""},
	{"-1;-2", "\"-1;-2\""},
	{"=1;=2", "\"'=1;'=2\""},
};

TEST(cells_stay_texts)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *out = NULL;
		size_t n;
		FILE *f = open_memstream(&out, &n);
		assert_non_null(f);
		csv_cell(f, cases[i].text);
		fclose(f);
		assert_string_equal(out, cases[i].cell);
		free(out);
	}
}
