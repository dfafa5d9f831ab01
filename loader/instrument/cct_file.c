#include "loader/instrument/cct_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "loader/edit/moved_code.h"

struct file_head {
	uint64_t magic, digest;
};

uint64_t cct_digest(const void *section, uint64_t n)
{
	const uint8_t *bytes = section;
	uint64_t digest = UINT64_C(0xcbf29ce484222325);
	for (uint64_t i = 0; i < n; i++)
		digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
	return digest;
}

/* ---- reading ---- */
static bool cct_file_read_bytes(const char *path, struct cct_file *out, struct err *err)
{
	FILE *f = open_data_input(path);
	if (!f)
		return err_set(err, "%s: can't be read: %s", path, open_input_error());
	bool ok = fseek(f, 0, SEEK_END) == 0;
	const long size = ok ? ftell(f) : -1;
	ok = size >= 0 && fseek(f, 0, SEEK_SET) == 0;
	out->bytes = ok ? alloc_bytes((size_t)size + 1) : NULL;
	out->size = ok ? (uint64_t)size : 0;
	ok = out->bytes && fread(out->bytes, 1, out->size, f) == out->size;
	fclose(f);
	return ok || err_set(err, "%s: can't be read", path);
}

static uint64_t cct_file_word_at_offset(const struct cct_file *f, uint64_t offset)
{
	uint64_t word;
	memcpy(&word, f->bytes + offset, sizeof word);
	return word;
}

static bool cct_file_validate_header(const struct program *p, const char *path, struct cct_file *f,
                                     struct err *err)
{
	uint64_t n;
	const uint64_t start = sizeof(struct file_head) + CCT_PLACES;
	const void *section = program_section(p, CCT_SECTION, &n);
	if (!section || !program_cct(p, &f->cct))
		return err_set(err,
		               "%s builds no calling context tree; expected the program that wrote "
		               "%s, which `cyclops instrument --kind cct` has made",
		               program_path(p), path);
	if (f->size < start || cct_file_word_at_offset(f, 0) != CCT_FILE_MAGIC)
		return err_set(err, "%s is no calling context tree that a program has written",
		               path);
	if (cct_file_word_at_offset(f, 8) != cct_digest(section, n))
		return err_set(err,
		               "%s was written by another program than %s, or one that was "
		               "instrumented otherwise",
		               path, program_path(p));
	const uint64_t next = cct_file_word_at_offset(f, sizeof(struct file_head) + CCT_HEAP_NEXT),
		       end = f->cct.head.heap + f->cct.head.heap_bytes;
	f->heap_used = next < end ? next : end;
	const uint64_t size = start + (f->heap_used - f->cct.head.heap) +
	                      (next > end ? f->cct.head.spare_bytes : 0);
	if (next < f->cct.head.heap || f->size != size)
		return err_set(err,
		               "%s is cut off or damaged: it has %" PRIu64
		               " bytes, and should have %" PRIu64,
		               path, f->size, size);
	return true;
}

bool cct_file_open(const struct program *p, const char *path, struct cct_file *out, struct err *err)
{
	*out = (struct cct_file){0};
	if (cct_file_read_bytes(path, out, err) && cct_file_validate_header(p, path, out, err))
		return true;
	cct_file_close(out);
	return false;
}

void cct_file_close(struct cct_file *f)
{
	free(f->bytes);
	*f = (struct cct_file){0};
}

/* ---- writing ---- */
const char *cct_file_name(const struct program *p)
{
	uint64_t n;
	struct cct c;
	const char *name = program_section(p, CCT_FILE_SECTION, &n);
	return name && n > 1 && memchr(name, 0, n) == name + n - 1 && program_cct(p, &c) ? name
	                                                                                 : NULL;
}

static bool cct_file_write_all(int fd, const void *bytes, size_t n, struct err *err)
{
	const char *at = bytes;
	while (n) {
		const ssize_t done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return err_set(err, "%s", strerror(done ? errno : ENOSPC));
		at += done;
		n -= (size_t)done;
	}
	return true;
}

static bool put_memory(const struct cct_source *from, uint64_t at, uint64_t n, int fd,
                       struct err *err)
{
	uint8_t bytes[1 << 14];
	while (n) {
		const size_t now = n < sizeof bytes ? (size_t)n : sizeof bytes;
		if (!from->read(from->ctx, at, bytes, now))
			return err_set(err, "no memory at 0x%" PRIx64, at);
		if (!cct_file_write_all(fd, bytes, now, err))
			return false;
		at += now;
		n -= now;
	}
	return true;
}

bool cct_file_write(const struct program *p, const struct cct_source *from, bool deep, int fd,
                    struct err *err)
{
	uint64_t n, words[CCT_PLACES / 8];
	struct cct c;
	const void *section = program_section(p, CCT_SECTION, &n);
	if (!section || !program_cct(p, &c))
		return err_set(err, "the program builds no calling context tree");
	if (!from->read(from->ctx, c.head.state, words, sizeof words))
		return err_set(err, "no memory at 0x%" PRIx64, c.head.state);
	const uint64_t next = words[CCT_HEAP_NEXT / 8], end = words[CCT_HEAP_END / 8],
		       used = next < end ? next : end;
	if (used < c.head.heap)
		return err_set(err,
		               next ? "the heap of another program" : "the program has not begun");
	words[CCT_STACK / 8] |= deep ? CCT_STACK_WAS_DEEP : 0;
	const struct file_head head = {CCT_FILE_MAGIC, cct_digest(section, n)};
	return cct_file_write_all(fd, &head, sizeof head, err) &&
	       cct_file_write_all(fd, words, sizeof words, err) &&
	       put_memory(from, c.head.heap, used - c.head.heap, fd, err) &&
	       (next <= end || put_memory(from, c.head.spares, c.head.spare_bytes, fd, err));
}

/* ---- reading the contents ---- */
/* Copies from the part of the file that holds addresses from `from` on, if all of [at, at + n) is
 * in it. */
static bool cct_file_copy_from_part(const struct cct_file *f, uint64_t offset, uint64_t from,
                                    uint64_t bytes, uint64_t at, void *buf, uint64_t n)
{
	if (at < from || at - from > bytes || n > bytes - (at - from) ||
	    offset + (at - from) + n > f->size)
		return false;
	memcpy(buf, f->bytes + offset + (at - from), n);
	return true;
}

static bool cct_file_read_address(const void *ctx, uint64_t at, void *buf, uint64_t n)
{
	const struct cct_file *f = ctx;
	const struct cct_head *h = &f->cct.head;
	const uint64_t state = sizeof(struct file_head), heap = state + CCT_PLACES,
		       spares = heap + (f->heap_used - h->heap);
	return cct_file_copy_from_part(f, state, h->state, CCT_PLACES, at, buf, n) ||
	       cct_file_copy_from_part(f, heap, h->heap, f->heap_used - h->heap, at, buf, n) ||
	       cct_file_copy_from_part(f, spares, h->spares, h->spare_bytes, at, buf, n);
}

struct cct_source cct_file_source(const struct cct_file *f)
{
	return (struct cct_source){.read = cct_file_read_address, .ctx = f};
}
