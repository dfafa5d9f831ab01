/* What core/os writes into the journal and reads there, and what else lies on the host's side of it. */
#include <stdlib.h>
#include <string.h>

#include "core/os/os_priv.h"

const struct journal_entry *log_replay(struct os *os, enum journal_kind kind, uint32_t key)
{
	bool strayed;
	const struct journal_entry *e = journal_answer(os->journal, kind, key, os->now, &strayed);
	if (strayed) {
		os_warnf(os, "the guest no longer asks what it asked before: the journal ends at entry %llu",
		         (unsigned long long)os->journal->st->pos);
		os_log_cut(os);
	}
	return e;
}

struct journal_entry *log_open(struct os *os, enum journal_kind kind, uint32_t key, size_t room)
{
	struct journal_entry *e = journal_open(os->journal, kind, key, os->now, room);
	if (!e)
		scarce_refuse(os->scarce, JOURNAL_WHAT);
	return e;
}

void log_close(struct os *os, struct journal_entry *e)
{
	/* The host itself has no memory: not an answer, but a question for later. */
	if (e->ret == -ENOMEM && os->scarce)
		scarce_refuse(os->scarce, "what a system call asks of it");
	else
		journal_close(os->journal, e);
}

/* Input that was consumed after the cut comes again, in its order. */
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
	out_cut(os);
	if (!behind)
		return;
	unread_behind(os);
	journal_cut(os->journal);
	/* A descriptor opened behind the cut may carry a serial that is now given out again. */
	for (unsigned i = 0; i < OS_FILES; i++)
		if (os->host[i].serial > os->st->next_serial)
			os->host[i].serial = 0;
}

/* ---- saving output: a header, then what is kept of each stream ---- */
struct output_file {
	char magic[8];
	struct {
		uint64_t high, first, n;
	} out[2];
};

static const char output_magic[8] = {'C', 'Y', 'C', 'O', 'U', 'T', '0', '2'};

void os_save_output(const struct os *os, void **bytes, size_t *n)
{
	struct output_file head = {0};
	memcpy(head.magic, output_magic, sizeof head.magic);
	const char *kept[2];
	for (int i = 0; i < 2; i++) {
		size_t len;
		kept[i] = os_output(os, i + 1, &head.out[i].first, &len);
		head.out[i].n = len;
		head.out[i].high = os->st->out_bytes[i];
	}

	*n = sizeof head + head.out[0].n + head.out[1].n;
	uint8_t *p = malloc(*n);
	*bytes = p;
	if (!p) {
		*n = 0;
		return;
	}
	memcpy(p, &head, sizeof head);
	p += sizeof head;
	for (int i = 0; i < 2; i++) {
		if (head.out[i].n)
			memcpy(p, kept[i], head.out[i].n);
		p += head.out[i].n;
	}
}

static bool output_ok(const struct output_file *h, size_t n)
{
	if (memcmp(h->magic, output_magic, sizeof output_magic) != 0)
		return false;
	uint64_t total = sizeof *h;
	for (int i = 0; i < 2; i++) {
		if (h->out[i].n > n || h->out[i].first > h->out[i].high ||
		    h->out[i].high - h->out[i].first != h->out[i].n)
			return false;
		total += h->out[i].n;
	}
	return total == n;
}

bool os_load_output(struct os *os, const void *bytes, size_t n)
{
	struct output_file head;
	if (n < sizeof head)
		return false;
	memcpy(&head, bytes, sizeof head);
	if (!output_ok(&head, n))
		return false;
	const uint8_t *p = (const uint8_t *)bytes + sizeof head;

	struct out_stream out[2] = {0};
	bool ok = true;
	for (int i = 0; i < 2; i++) {
		size_t len = head.out[i].n;
		out[i] = (struct out_stream){.n = len, .cap = len + 1, .first = head.out[i].first,
		                             .high = head.out[i].high, .bytes = malloc(len + 1)};
		ok = ok && out[i].bytes;
		if (ok)
			memcpy(out[i].bytes, p, len);
		p += len;
	}
	if (!ok) {
		free(out[0].bytes);
		free(out[1].bytes);
		return false;
	}

	host_close_all(os);
	for (int i = 0; i < 2; i++) {
		free(os->out[i].bytes);
		os->out[i] = out[i];
	}
	os->pending_n = 0;
	return true;
}
