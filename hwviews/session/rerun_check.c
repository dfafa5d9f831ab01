#include "hwviews/session/rerun_check.h"

#include <stdio.h>
#include <sys/stat.h>

#include "core/defs/config.h"
#include "core/host/descriptor_path.h"
#include "core/os/journal.h"

int rerun_input(const struct session *s)
{
	struct stat st;
	if (s->launch.stdin_fd < 0 || fstat(s->launch.stdin_fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	return descriptor_reopen(s->launch.stdin_fd);
}

/* True if the program's input can't be read again: it was typed, or came from a pipe. */
static bool input_is_gone(const struct session *s)
{
	struct stat st;
	return s->launch.input || (s->launch.stdin_fd >= 0 &&
	                           (fstat(s->launch.stdin_fd, &st) != 0 || !S_ISREG(st.st_mode)));
}

bool rerun_possible(const struct session *s, struct err *err)
{
	const struct journal *j = machine_journal(s->machine);
	if (launch_writes(&s->launch))
		return err_set(err, "the program may write files (--rw, --dir), and running it "
		                    "again would write them again: start without that");
	if (CONFIG(machine_config(s->machine), firmware))
		return err_set(err, "with firmware a second run differs: start without --firmware");
	for (uint64_t i = 0; i < j->st->pos; i++) {
		const struct journal_entry *e = journal_at(j, i);
		if (input_is_gone(s) && (!e || e->kind == JOURNAL_STDIN))
			return err_set(err, "the program has read input that can't be repeated: "
			                    "give it a file, `run < FILE`");
		if (e && journal_is_change(e->kind))
			return err_set(err,
			               "the machine was changed by hand, which can't be repeated");
	}
	return true;
}
