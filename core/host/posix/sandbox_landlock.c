/* Landlock: the kernel refuses every file that no rule names, landlock(7). The numbers are the
 * kernel's interface; headers of Debian 12 lack those of later versions. */
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/host/posix/sandbox_kernel.h"
#include "core/host/sandbox.h"

/* struct landlock_ruleset_attr as of version 6. */
struct landlock_rules {
	uint64_t files, network, scopes;
};
_Static_assert(sizeof(struct landlock_rules) == 24, "as the kernel has it");

enum {
	FILE_EXECUTE = 1 << 0,
	FILE_WRITE = 1 << 1,
	FILE_READ = 1 << 2,
	FOLDER_READ = 1 << 3,
	FILES_OF_VERSION_1 = (1 << 13) - 1,
	FOLDER_REFER = 1 << 13,  /* version 2 */
	FILE_TRUNCATE = 1 << 14, /* version 3 */
	FILE_IOCTL = 1 << 15,    /* version 5 */
	ONLY_OF_FILES = FILE_EXECUTE | FILE_WRITE | FILE_READ | FILE_TRUNCATE | FILE_IOCTL,
	TCP_BIND_AND_CONNECT = 3, /* version 4 */
	SOCKETS_AND_SIGNALS = 3,  /* version 6 */
};

static bool landlock_add(int rules, const char *path, uint64_t rights)
{
	struct stat st;
	const int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return true; /* missing: nothing to allow */
	struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = fd};
	if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= ONLY_OF_FILES;
	const bool ok =
		syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
	close(fd);
	return ok;
}

bool sandbox_enter_landlock(const struct sandbox *s)
{
	const long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (version < 1)
		return false;
	const struct landlock_rules all = {
		.files = FILES_OF_VERSION_1 | (version >= 2 ? FOLDER_REFER : 0) |
	                 (version >= 3 ? FILE_TRUNCATE : 0) | (version >= 5 ? FILE_IOCTL : 0),
		.network = version >= 4 ? TCP_BIND_AND_CONNECT : 0,
		.scopes = version >= 6 ? SOCKETS_AND_SIGNALS : 0,
	};
	const int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
	bool ok = rules >= 0;
	for (unsigned i = 0; i < s->count && ok; i++) {
		const unsigned rights = s->paths[i].rights;
		uint64_t allowed = FILE_READ | FOLDER_READ;
		if (rights & SANDBOX_EXECUTE)
			allowed |= FILE_EXECUTE;
		if (rights & SANDBOX_WRITE)
			allowed |= all.files & ~(uint64_t)FILE_EXECUTE;
		if (!s->paths[i].target)
			ok = landlock_add(rules, s->paths[i].path, allowed);
	}
	if (ok && s->own_process) {
		char own[40];
		snprintf(own, sizeof own, "/proc/%d", (int)getpid());
		ok = landlock_add(rules, own, FILE_READ | FOLDER_READ);
	}
	ok = ok && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	     syscall(SYS_landlock_restrict_self, rules, 0) == 0;
	if (rules >= 0)
		close(rules);
	return ok;
}
