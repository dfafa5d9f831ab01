/* Input in regular files that the journal refers to. The first megabytes of input are kept as
 * copies, so that those files may change; of later input the journal keeps place and digest, and
 * reads it again. If the bytes have changed, the call can't be repeated: the machine waits before
 * it until the file is as it was, and nothing is cut.
 *
 * Files that the guest may write are always copied. A descriptor of each file stays open: it may be
 * renamed or removed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/os/os_priv.h"

/* The first COPIES_MOST bytes of the journal, and reads below SHORT bytes, are copies; so is input
 * of more than SOURCES_MAX files. */
enum { COPIES_MOST = 8 << 20, SHORT = 4096, SOURCES_MAX = 64 };

struct source {
	int fd;
	dev_t dev;
	ino_t ino;
	char name[96];
};

struct references {
	struct source source[SOURCES_MAX];
	unsigned count;
	char changed[160]; /* message of the machine while it waits for one of them */
};

/* The payload of such an entry; its ret is the number of bytes. */
struct reference {
	uint64_t source, offset, digest;
};

static uint64_t digest_of(const uint8_t *bytes, size_t n)
{
	return hash_bytes(hash_words(HASH_WORDS_START, bytes, n), bytes + n / 8 * 8, n % 8);
}

bool reference_is(const struct journal_entry *e)
{
	return (e->kind == JOURNAL_READ || e->kind == JOURNAL_STDIN) && e->ret >= SHORT &&
	       e->n == sizeof(struct reference);
}

bool reference_wanted(const struct os *os, size_t n)
{
	const struct journal *j = os->journal;
	return n >= SHORT && !os->writing && !j->forgets && j->used >= COPIES_MOST;
}

/* The file's entry in the list, added if necessary; NULL: not possible. */
static struct source *reference_intern_source(struct os *os, int fd, const char *name)
{
	struct stat st;
	if (!os->references)
		/* the journal keeps the bytes instead */
		os->references = alloc_try_zeroed(1, sizeof *os->references);
	struct references *r = os->references;
	if (!r || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (unsigned i = 0; i < r->count; i++)
		if (r->source[i].dev == st.st_dev && r->source[i].ino == st.st_ino)
			return &r->source[i];
	if (r->count == SOURCES_MAX)
		return NULL;
	struct source *s = &r->source[r->count];
	*s = (struct source){
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3), .dev = st.st_dev, .ino = st.st_ino};
	if (s->fd < 0)
		return NULL;
	snprintf(s->name, sizeof s->name, "%s", *name ? name : "standard input");
	r->count++;
	return s;
}

bool reference_make(struct os *os, int fd, const char *name, int64_t offset, const void *bytes,
                    struct journal_entry *e)
{
	const struct source *s = reference_intern_source(os, fd, name);
	if (!s)
		return false;
	const struct reference r = {
		.source = (uint64_t)(s - os->references->source),
		.offset = (uint64_t)offset,
		.digest = digest_of(bytes, (size_t)e->ret),
	};
	memcpy(log_payload(e), &r, sizeof r);
	e->n = sizeof r;
	return true;
}

/* Reads the entry's bytes into `out`, which has room for them; false if they have changed. */
static bool reference_read_input(const struct os *os, const struct journal_entry *e, uint8_t *out,
                                 const char **name)
{
	struct reference r;
	const size_t n = (size_t)e->ret;
	memcpy(&r, journal_payload(e), sizeof r);
	assert(os->references && r.source < os->references->count);
	const struct source *s = &os->references->source[r.source];
	*name = s->name;
	for (size_t done = 0; done < n;) {
		const ssize_t got = pread(s->fd, out + done, n - done, (off_t)(r.offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return digest_of(out, n) == r.digest;
}

static void tell_changed(const struct os *os, const char *name)
{
	snprintf(os->references->changed, sizeof os->references->changed,
	         "the program's input has changed: %s is not what it was when the program read it",
	         name);
}

const void *reference_bytes(struct os *os, const struct journal_entry *e)
{
	const char *name;
	uint8_t *bytes = os_scratch(os, (size_t)e->ret);
	if (!bytes) {
		host_memory_refuse(os->scarce, "what a system call reads again");
		return NULL;
	}
	if (reference_read_input(os, e, bytes, &name))
		return bytes;
	tell_changed(os, name);
	host_memory_wait(os->scarce, os->references->changed);
	return NULL;
}

bool os_save_failed(const struct os *os, const char *what, struct err *err)
{
	if (os->references && *os->references->changed)
		return err_set(err, "%s", os->references->changed);
	return err_set(err, "out of memory for %s", what);
}

/* For journal_save(): the payload to save an entry with. */
static const void *whole_payload(void *ctx, const struct journal_entry *e, uint8_t **room,
                                 uint64_t *n)
{
	const struct os *os = ctx;
	const char *name;
	*n = e->n;
	if (!reference_is(e))
		return journal_payload(e);
	uint8_t *bytes = alloc_resize(*room, (size_t)e->ret);
	if (!bytes)
		return NULL;
	*room = bytes;
	*n = (uint64_t)e->ret;
	if (reference_read_input(os, e, bytes, &name))
		return bytes;
	tell_changed(os, name);
	return NULL;
}

void os_save_journal(const struct os *os, bool ahead, void **bytes, size_t *n)
{
	struct journal_state end = {os->journal->entries, os->journal->changes};
	struct journal all = *os->journal;
	if (ahead)
		all.st = &end;
	if (os->references)
		os->references->changed[0] = '\0';
	journal_save(&all, whole_payload, (void *)(uintptr_t)os, bytes, n);
}

void references_free(struct os *os)
{
	for (unsigned i = 0; os->references && i < os->references->count; i++)
		close(os->references->source[i].fd);
	free(os->references);
	os->references = NULL;
}
