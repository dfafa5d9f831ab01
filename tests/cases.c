/* main() of cmocka programs whose tests are TEST(). */
#include "tests/cases.h"

#include <stdlib.h>

enum { CASES_MAX = 256 };

static struct CMUnitTest cases_tests[CASES_MAX];
static int cases_lines[CASES_MAX];
static size_t cases_count;
static CMFixtureFunction cases_setup, cases_teardown, cases_each_setup, cases_each_teardown;

void cases_add(const struct CMUnitTest *test, int line)
{
	size_t at = cases_count;
	if (cases_count++ == CASES_MAX)
		abort();
	for (; at && cases_lines[at - 1] > line; at--) {
		cases_tests[at] = cases_tests[at - 1];
		cases_lines[at] = cases_lines[at - 1];
	}
	cases_tests[at] = *test;
	cases_lines[at] = line;
}

void cases_each(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	cases_each_setup = setup;
	cases_each_teardown = teardown;
}

void cases_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	cases_setup = setup;
	cases_teardown = teardown;
}

/* Weak: a program may have its own. */
__attribute__((weak)) int main(void)
{
	for (size_t i = 0; i < cases_count; i++) {
		if (!cases_tests[i].setup_func && !cases_tests[i].teardown_func) {
			cases_tests[i].setup_func = cases_each_setup;
			cases_tests[i].teardown_func = cases_each_teardown;
		}
	}
	return _cmocka_run_group_tests("tests", cases_tests, cases_count, cases_setup, cases_teardown);
}
