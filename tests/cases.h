/* The tests of a cmocka program, each listed where it is defined; cases.c has main(), which runs them
 * in the order of their lines. All tests of a program stand in one file.
 *
 *   TEST(name) { ... }                           a test; `state` is what set-up has left there
 *   TEST_WITH(name, setup, teardown) { ... }     one with a set-up and teardown of its own
 *   TEST_EACH(setup, teardown)                   at the end: those of the tests that have none
 *   TEST_GROUP(setup, teardown)                  at the end: once, before and after all tests
 *
 * cmocka.h is here with the headers it must follow. */
#ifndef CYCLOPS_TESTS_CASES_H
#define CYCLOPS_TESTS_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Adds a test that stands at this line. Called before main(). */
void cases_add(const struct CMUnitTest *test, int line);

/* The set-up and teardown of each test without one, and those of the group; either may be NULL.
 * Called before main(). */
void cases_each(CMFixtureFunction setup, CMFixtureFunction teardown);
void cases_group(CMFixtureFunction setup, CMFixtureFunction teardown);

#define TEST_WITH(name, setup, teardown)                                                         \
	static void name(void **state);                                                          \
	__attribute__((constructor)) static void name##_is_listed(void)                          \
	{                                                                                        \
		cases_add(&(const struct CMUnitTest)cmocka_unit_test_setup_teardown(name, setup, \
		                                                                    teardown),   \
		          __LINE__);                                                             \
	}                                                                                        \
	static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

#define TEST_EACH(setup, teardown)                                             \
	__attribute__((constructor)) static void cases_each_is_set(void)       \
	{                                                                      \
		cases_each(setup, teardown);                                   \
	}

#define TEST_GROUP(setup, teardown)                                            \
	__attribute__((constructor)) static void cases_group_is_set(void)      \
	{                                                                      \
		cases_group(setup, teardown);                                  \
	}

#endif
