#include "ui/cli/last_tree.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/os/os.h"
#include "hwviews/flow/stack_depth.h"
#include "loader/instrument/cct_file.h"
#include "ui/render/safe_print.h"

static bool read_memory(const void *ctx, uint64_t addr, void *buf, uint64_t n)
{
	return machine_peek(ctx, addr, buf, n);
}

void last_tree_write(const struct session *s)
{
	const struct cct_source from = {.read = read_memory, .ctx = s->machine};
	const char *name = cct_file_name(s->program);
	const enum machine_status status = machine_status(s->machine);
	struct err err;
	if (!name || status == MACHINE_EXITED)
		return;
	if (status != MACHINE_KILLED && status != MACHINE_FAULTED && status != MACHINE_STUCK) {
		say_error("%s is not written: the program has not ended", name);
		return;
	}
	const int fd = os_open_for_ended(machine_os_const(s->machine), name);
	if (fd < 0) {
		say_error("%s can't be written, the calling context tree is lost: %s%s", name, strerror(-fd), fd == -EROFS ? "; right: with --rw" : "");
		return;
	}
	if (cct_file_write(s->program, &from, stack_was_deeper(s->machine, UINT64_C(1) << CCT_STACK_LOG2), fd, &err))
		say_error("its calling context tree as it stood is in %s", name);
	else
		say_error("%s is cut off: %s", name, err.msg);
	close(fd);
}
