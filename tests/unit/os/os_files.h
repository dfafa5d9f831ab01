/* Files of a guest's tree, made and read by tests of system calls. */
#ifndef CYCLOPS_TESTS_UNIT_OS_OS_FILES_H
#define CYCLOPS_TESTS_UNIT_OS_OS_FILES_H

#include "tests/unit/os/os_fixture.h"

static inline struct guest *os_files_guest(void **state)
{
	return &((struct tree *)*state)->g;
}

#endif
