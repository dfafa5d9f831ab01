#include "ui/cli/cct_rescue.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/os/os.h"
#include "hwviews/flow/flow_paths.h"
#include "hwviews/flow/stack_depth.h"
#include "loader/instrument/cct_file.h"
#include "ui/render/safe_print.h"

static bool cct_rescue_read_memory(const void *ctx, uint64_t addr, void *buf, uint64_t n)
{
	return machine_peek(ctx, addr, buf, n);
}

static bool has_died(enum machine_status status)
{
	return status == MACHINE_KILLED || status == MACHINE_FAULTED || status == MACHINE_STUCK;
}

static void cct_rescue_report_lost_counts(const struct session *s)
{
	struct counters c;
	if (program_counters(s->program, 0, &c))
		say_error("its counts (%s) were in its memory and are lost; use --report "
		          "%s=FILE, which writes it however a program ends",
		          instrument_name[c.kind],
		          session_counts_paths(s)          ? "hot-paths"
		          : c.kind == INSTRUMENT_CALLGRAPH ? "callgraph"
		                                           : "counters");
}

void last_tree_write(const struct session *s, bool reported)
{
	const struct cct_source from = {.read = cct_rescue_read_memory, .ctx = s->machine};
	const char *name = cct_file_name(s->program);
	const enum machine_status status = machine_status(s->machine);
	struct err err;
	if (!name && !reported && has_died(status))
		cct_rescue_report_lost_counts(s);
	if (!name || status == MACHINE_EXITED)
		return;
	if (!has_died(status)) {
		say_error("%s is not written: the program has not ended", name);
		return;
	}
	const int fd = os_open_for_ended(machine_os_const(s->machine), name);
	if (fd < 0) {
		say_error("%s can't be written, the calling context tree is lost: %s%s", name,
		          strerror(-fd), fd == -EROFS ? "; use --rw" : "");
		return;
	}
	if (cct_file_write(s->program, &from,
	                   stack_was_deeper(s->machine, UINT64_C(1) << CCT_STACK_LOG2), fd, &err))
		say_error("its calling context tree as it stood is in %s", name);
	else
		say_error("%s is cut off: %s", name, err.msg);
	close(fd);
}
