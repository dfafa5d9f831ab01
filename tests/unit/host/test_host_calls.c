/* core/host/: files in memory, names of open files, waiting. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/descriptor_path.h"
#include "core/host/file_mask.h"
#include "core/host/folder.h"
#include "core/host/memory_file.h"
#include "core/host/own_program.h"
#include "core/host/random_bytes.h"
#include "core/host/terminal_size.h"
#include "core/host/wait_ready.h"
#include "tests/cases.h"

static bool host_test_came_answer;

static bool host_test_came(void)
{
	return host_test_came_answer;
}

TEST(memory_files)
{
	static char many[300000], back[sizeof many];
	memset(many, 'm', sizeof many);
	const int fd = memory_file_of("test", many, sizeof many);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(read(fd, back, sizeof back), sizeof many);
	assert_memory_equal(back, many, sizeof many);
	/* opened again: at its beginning, while the first is at its end */
	const int again = descriptor_reopen(fd);
	assert_true(again >= 0);
	assert_true(fcntl(again, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(read(again, back, 10), 10);
	assert_int_equal(read(fd, back, 1), 0);
	close(again);
	close(fd);
	assert_int_equal(descriptor_reopen(fd), -1);
}

TEST(descriptor_paths)
{
	char path[DESCRIPTOR_PATH_BYTES], target[PATH_MAX], room[3];
	const int fd = open("/usr/bin/..", O_RDONLY | O_DIRECTORY);
	assert_true(descriptor_target(fd, target, sizeof target));
	assert_string_equal(target, "/usr");
	struct stat a, b;
	assert_int_equal(stat(descriptor_path(fd, path), &a), 0);
	assert_int_equal(fstat(fd, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	/* too long for the room: unknown, not cut */
	assert_false(descriptor_target(fd, room, sizeof room));
	assert_string_equal(room, "");
	close(fd);
	assert_false(descriptor_target(fd, target, sizeof target));
}

TEST(folders_by_descriptor)
{
	struct dirent **names;
	char folder[] = "/tmp/host_calls.XXXXXX";
	assert_non_null(mkdtemp(folder));
	const int fd = open(folder, O_RDONLY | O_DIRECTORY), proc = open("/proc/self", O_RDONLY);
	close(openat(fd, "b", O_CREAT | O_WRONLY, 0600));
	close(openat(fd, "c", O_CREAT | O_WRONLY, 0600));
	assert_int_equal(folder_rename(fd, "c", fd, "b", 1 /* not over another */), -1);
	assert_int_equal(folder_rename(fd, "c", fd, "a", 0), 0);
	assert_int_equal(folder_list(fd, &names, alphasort), 4);
	assert_string_equal(names[2]->d_name, "a");
	assert_string_equal(names[3]->d_name, "b");
	for (int i = 0; i < 4; i++)
		free(names[i]);
	free(names);
	assert_int_equal(folder_is_of_processes(fd), 0);
	assert_int_equal(folder_is_of_processes(proc), 1);
	mkdirat(fd, "d", 0700);
	symlinkat("/etc", fd, "d/etc");
	close(proc);
	close(fd);
	assert_int_equal(folder_is_of_processes(fd), -1);
	folder_remove_all(folder);
	assert_int_equal(access(folder, F_OK), -1);
	assert_int_equal(access("/etc/passwd", F_OK), 0);
}

TEST(random_numbers)
{
	uint64_t a[2] = {0}, b[2] = {0};
	assert_true(random_bytes(a, sizeof a) && random_bytes(b, sizeof b));
	assert_memory_not_equal(a, b, sizeof a);
	assert_int_equal(random_bytes_of_process(), random_bytes_of_process());
}

TEST(permissions_of_new_files)
{
	const mode_t before = file_mask_set(027);
	assert_int_equal(file_mask_default_mode(), 0640);
	assert_int_equal(file_mask_set(before), 027);
}

TEST(waiting_for_descriptors)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(terminal_size(ends[0]).width, 0);
	assert_int_equal(wait_input(ends[0], 0), 0);
	assert_int_equal(wait_output(ends[1], -1), 1);
	assert_int_equal(wait_either_input(ends[0], ends[0], 0), 0);
	host_test_came_answer = true;
	assert_false(wait_input_unless(ends[0], host_test_came)); /* does not wait */
	host_test_came_answer = false;
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(wait_input(ends[0], -1), 1);
	assert_int_equal(wait_either_input(ends[1], ends[0], -1), 2);
	assert_true(wait_input_unless(ends[0], host_test_came));
	assert_false(wait_end_is_gone(ends[0]));
	close(ends[1]);
	assert_true(wait_end_is_gone(ends[0]));
	close(ends[0]);
}

TEST(path_of_the_program)
{
	char path[PATH_MAX], run[PATH_MAX];
	own_program(path, sizeof path);
	assert_non_null(strstr(path, "/test_host_calls"));
	own_program_to_run(run, sizeof run);
	assert_int_equal(access(run, X_OK), 0);
}
