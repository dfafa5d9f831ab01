/* Runs one of glibc's tests in this process; glibc's driver would make another. */
#include <stdio.h>
#include <support/check.h>
#include <support/support.h>
#include <support/test-driver.h>

const char support_objdir_root[] = ".", support_srcdir_root[] = ".";
const char *test_dir = ".";
unsigned int test_verbose;

int support_test_main(int argc, char **argv, const struct test_config *c)
{
	int status;
	if (c->prepare_function)
		c->prepare_function(argc, argv);
	status = c->test_function ? c->test_function() : c->test_function_argv(argc, argv);
	status = support_report_failure(status);
	printf("status %d\n", status);
	fflush(stdout);
	if (c->cleanup_function)
		c->cleanup_function();
	return status;
}
