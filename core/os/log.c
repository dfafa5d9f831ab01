/* Keeps the host's answers in the journal, and repeats them when the past is executed again. A cut
 * takes back the answers after it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/os/host_file.h"
#include "core/os/os_priv.h"

const struct journal_entry *log_replay(struct os *os, enum journal_kind kind, uint32_t key)
{
	bool strayed;
	const struct journal_entry *e = journal_answer(os->journal, kind, key, os->now, &strayed);
	if (strayed) {
		os_warnf(os,
		         "the guest's system calls differ from the recorded ones: the journal ends "
		         "at entry %llu",
		         (unsigned long long)os->journal->st->pos);
		os_log_cut(os);
	}
	return e;
}

struct journal_entry *log_open(struct os *os, enum journal_kind kind, uint32_t key, size_t room)
{
	struct journal_entry *e = journal_open(os->journal, kind, key, os->now, room);
	if (!e)
		host_memory_refuse(os->scarce, JOURNAL_WHAT);
	return e;
}

void log_close(struct os *os, struct journal_entry *e)
{
	/* A failure of the host is no answer: the question is asked again later. */
	if (os->scarce && host_failed(e->ret))
		host_refuse(os, e->ret);
	else if (os->scarce && e->ret == -ENOMEM && !os->scarce->waits)
		host_memory_refuse(os->scarce, "the answer to a system call");
	else if (!os->scarce || e->ret != -ENOMEM)
		journal_close(os->journal, e);
}

/* Input consumed after the cut is read again, in its order. */
static void unread_behind(struct os *os)
{
	const struct journal *j = os->journal;
	for (uint64_t i = j->entries; i-- > j->st->pos;) {
		const struct journal_entry *e = journal_at(j, i);
		if (e->kind == JOURNAL_STDIN && !os->stdin_regular)
			stdin_unread(os, journal_payload(e), (size_t)e->n);
	}
}

void os_log_cut(struct os *os)
{
	bool behind = os->journal->st->pos < os->journal->entries;
	os->halved = false;
	out_cut(os);
	if (!behind)
		return;
	unread_behind(os);
	inodes_cut(os);
	journal_cut(os->journal);
	/* A descriptor opened after the cut may carry a serial that will be given out again. */
	for (unsigned i = 0; i < OS_FILES; i++)
		if (os->host[i].serial > os->st->next_serial)
			os->host[i].serial = 0;
}
