#include <stdlib.h>
#include <string.h>

#include "core/os/os_priv.h"

static size_t padded(uint64_t n)
{
	return (size_t)((n + 7) & ~UINT64_C(7));
}

const struct log_entry *log_at(const struct os *os, uint64_t index)
{
	if (index >= os->log.entries)
		return NULL;
	return (const struct log_entry *)(const void *)(os->log.bytes + os->log.at[index]);
}

const struct log_entry *log_replay(struct os *os, enum log_op op, uint32_t key)
{
	const struct log_entry *e = log_at(os, os->st->log_pos);
	if (!e)
		return NULL;
	if (e->op != op || e->key != key) {
		os_warnf(os, "the guest no longer asks what it asked before: the log ends at entry %llu",
		         (unsigned long long)os->st->log_pos);
		os_log_cut(os);
		return NULL;
	}
	os->st->log_pos++;
	return e;
}

static bool grow(void **p, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return true;
	size_t n = *cap ? *cap : 4096 / size;
	while (n < need)
		n *= 2;
	void *q = realloc(*p, n * size);
	if (!q)
		return false;
	*p = q;
	*cap = n;
	return true;
}

struct log_entry *log_open(struct os *os, enum log_op op, uint32_t key, size_t room)
{
	struct log *log = &os->log;
	void *bytes = log->bytes, *at = log->at;
	bool ok = grow(&bytes, &log->cap, log->used + sizeof(struct log_entry) + padded(room), 1);
	log->bytes = bytes;
	ok = ok && grow(&at, &log->at_cap, log->entries + 1, sizeof *log->at);
	log->at = at;
	if (!ok) {
		os_warnf(os, "out of memory for the log of system calls");
		return NULL;
	}
	struct log_entry *e = (struct log_entry *)(void *)(log->bytes + log->used);
	*e = (struct log_entry){.op = op, .key = key};
	return e;
}

void log_close(struct os *os, struct log_entry *e)
{
	struct log *log = &os->log;
	memset((uint8_t *)log_payload(e) + e->n, 0, padded(e->n) - e->n);
	log->at[log->entries++] = log->used;
	log->used += sizeof *e + padded(e->n);
	os->st->log_pos = log->entries;
}

void log_free(struct os *os)
{
	free(os->log.bytes);
	free(os->log.at);
	os->log = (struct log){0};
}

/* Input that was consumed after the cut comes again, in its order. */
static void unread_from(struct os *os, uint64_t first)
{
	for (uint64_t i = os->log.entries; i-- > first;) {
		const struct log_entry *e = log_at(os, i);
		if (e->op == LOG_STDIN && !os->stdin_regular)
			stdin_unread(os, log_payload_const(e), (size_t)e->n);
	}
}

void os_log_cut(struct os *os)
{
	uint64_t pos = os->st->log_pos;
	if (pos < os->log.entries) {
		unread_from(os, pos);
		os->log.used = os->log.at[pos];
		os->log.entries = pos;
	}
	out_cut(os);
	/* A descriptor opened behind the cut may carry a serial that is now given out again. */
	for (unsigned i = 0; i < OS_FILES; i++)
		if (os->host[i].serial > os->st->next_serial)
			os->host[i].serial = 0;
}

uint64_t os_log_entries(const struct os *os)
{
	return os->log.entries;
}

size_t os_log_bytes(const struct os *os)
{
	return os->log.used + os->log.entries * sizeof *os->log.at;
}

/* ---- saving: header, the entries as they are, then each stream's kept output ---- */
struct log_file {
	char magic[8];
	uint64_t entries, bytes;
	struct {
		uint64_t high, first, n;
	} out[2];
};

static const char log_magic[8] = {'C', 'Y', 'C', 'L', 'O', 'G', '0', '1'};

void os_log_save(const struct os *os, void **bytes, size_t *n)
{
	const struct log *log = &os->log;
	struct log_file head = {.entries = os->st->log_pos < log->entries ? os->st->log_pos : log->entries};
	memcpy(head.magic, log_magic, sizeof head.magic);
	head.bytes = head.entries < log->entries ? log->at[head.entries] : log->used;
	const char *kept[2];
	for (int i = 0; i < 2; i++) {
		size_t len;
		kept[i] = os_output(os, i + 1, &head.out[i].first, &len);
		head.out[i].n = len;
		head.out[i].high = os->st->out_bytes[i];
	}

	*n = sizeof head + head.bytes + head.out[0].n + head.out[1].n;
	uint8_t *p = malloc(*n);
	*bytes = p;
	if (!p) {
		*n = 0;
		return;
	}
	memcpy(p, &head, sizeof head);
	p += sizeof head;
	if (head.bytes)
		memcpy(p, log->bytes, head.bytes);
	p += head.bytes;
	for (int i = 0; i < 2; i++) {
		if (head.out[i].n)
			memcpy(p, kept[i], head.out[i].n);
		p += head.out[i].n;
	}
}

/* Offsets of the entries in bytes; false if they do not fill it exactly or an answer is malformed. */
static bool index_entries(const uint8_t *bytes, uint64_t n, uint64_t entries, uint64_t *at)
{
	uint64_t pos = 0;
	for (uint64_t i = 0; i < entries; i++) {
		struct log_entry e;
		if (n - pos < sizeof e)
			return false;
		memcpy(&e, bytes + pos, sizeof e);
		if (e.n > n - pos - sizeof e || padded(e.n) > n - pos - sizeof e)
			return false;
		if (!log_answer_ok(&e, bytes + pos + sizeof e))
			return false;
		at[i] = pos;
		pos += sizeof e + padded(e.n);
	}
	return pos == n;
}

static bool head_ok(const struct log_file *h, size_t n)
{
	if (memcmp(h->magic, log_magic, sizeof log_magic) != 0 || h->bytes > n ||
	    h->entries > n / sizeof(struct log_entry))
		return false;
	uint64_t total = sizeof *h + h->bytes;
	for (int i = 0; i < 2; i++) {
		if (h->out[i].n > n || h->out[i].first > h->out[i].high ||
		    h->out[i].high - h->out[i].first != h->out[i].n)
			return false;
		total += h->out[i].n;
	}
	return total == n;
}

bool os_log_load(struct os *os, const void *bytes, size_t n)
{
	struct log_file head;
	if (n < sizeof head)
		return false;
	memcpy(&head, bytes, sizeof head);
	if (!head_ok(&head, n))
		return false;
	const uint8_t *p = (const uint8_t *)bytes + sizeof head;

	struct log log = {.used = head.bytes, .cap = head.bytes, .entries = head.entries, .at_cap = head.entries};
	struct out_stream out[2] = {0};
	log.bytes = malloc(head.bytes + 1);
	log.at = calloc(head.entries + 1, sizeof *log.at);
	bool ok = log.bytes && log.at && index_entries(p, head.bytes, head.entries, log.at);
	if (ok)
		memcpy(log.bytes, p, head.bytes);
	p += head.bytes;
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
		free(log.bytes);
		free(log.at);
		free(out[0].bytes);
		free(out[1].bytes);
		return false;
	}

	log_free(os);
	host_close_all(os);
	os->log = log;
	for (int i = 0; i < 2; i++) {
		free(os->out[i].bytes);
		os->out[i] = out[i];
	}
	os->pending_n = 0;
	return true;
}
