#include "ui/cli/sample_parts.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/process.h"

struct part_result {
	uint64_t count, detailed, pairs;
	uint32_t end, ok;
	struct err err;
};

static bool move_bytes(int fd, void *bytes, size_t n, bool out)
{
	char *at = bytes;
	while (n) {
		const ssize_t k = out ? write(fd, at, n) : read(fd, at, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		at += k;
		n -= (size_t)k;
	}
	return true;
}

static void tell_result(int fd, struct sample *s, struct part_result *r)
{
	r->count = s->count;
	r->detailed = s->detailed;
	r->pairs = s->pairs;
	const size_t each = sample_words() * sizeof *s->counters;
	const bool told = move_bytes(fd, r, sizeof *r, true) &&
	                  move_bytes(fd, s->at, s->count * sizeof *s->at, true) &&
	                  move_bytes(fd, s->counters, s->count * each, true) &&
	                  move_bytes(fd, s->pair_unit, s->pairs * sizeof *s->pair_unit, true) &&
	                  move_bytes(fd, s->pair_counters, s->pairs * each, true);
	_exit(!told);
}

bool sample_part_begin(sample_part_fn *fn, void *ctx, unsigned k, struct sample_part *part,
                       struct err *err)
{
	int fds[2];
	if (pipe(fds) != 0)
		return err_set(err, "--sample: no pipe for a part of the program: %s",
		               strerror(errno));
	part->pid = process_copy();
	if (part->pid == 0) {
		struct sample s = {0};
		struct part_result r = {0};
		enum sample_end end = SAMPLE_DONE;
		close(fds[0]);
		r.ok = fn(ctx, k, &s, &end, &r.err);
		r.ok = alloc_settle(r.ok, &r.err);
		r.end = end;
		tell_result(fds[1], &s, &r);
	}
	close(fds[1]);
	part->fd = fds[0];
	if (part->pid > 0)
		return true;
	close(fds[0]);
	return err_set(err, "--sample: no process for a part of the program: %s",
	               strerror(errno));
}

/* The part is our own process: its result is trusted. */
bool sample_part_end(struct sample_part *part, struct sample *out, enum sample_end *end,
                     struct err *err)
{
	struct part_result r = {0};
	struct sample s = {0};
	bool ok = move_bytes(part->fd, &r, sizeof r, false);
	const size_t each = sample_words() * sizeof *s.counters;
	ok = ok && sample_reserve(&s, r.count) && sample_reserve_pairs(&s, r.pairs) &&
	     move_bytes(part->fd, s.at, r.count * sizeof *s.at, false) &&
	     move_bytes(part->fd, s.counters, r.count * each, false) &&
	     move_bytes(part->fd, s.pair_unit, r.pairs * sizeof *s.pair_unit, false) &&
	     move_bytes(part->fd, s.pair_counters, r.pairs * each, false);
	close(part->fd);
	process_wait(part->pid, NULL);
	s.count = ok ? r.count : 0;
	s.pairs = ok ? r.pairs : 0;
	s.detailed = r.detailed;
	if (ok && r.ok && r.end > *end)
		*end = (enum sample_end)r.end;
	if (ok && !r.ok)
		*err = r.err;
	if (!ok)
		err_set(err, "--sample: a part of the program gave no result: its process ended "
		             "early, or memory is out");
	ok = ok && r.ok && (sample_append(out, &s) || err_set(err, "--sample: out of memory"));
	sample_deinit(&s);
	return ok;
}

void sample_part_kill(struct sample_part *part)
{
	process_signal(part->pid, SIGKILL);
	close(part->fd);
	process_wait(part->pid, NULL);
}

bool sample_parts_run(sample_part_fn *fn, void *ctx, unsigned parts, unsigned jobs,
                      struct sample *out, enum sample_end *end, struct err *err)
{
	enum { AT_ONCE = 1024 };
	struct sample_part part[AT_ONCE]; /* running parts; part k is part[k % jobs] */
	unsigned begun = 0, ended = 0;
	bool ok = true;
	if (parts == 1)
		return fn(ctx, 0, out, end, err);
	jobs = jobs < 1 ? 1 : jobs < AT_ONCE ? jobs : AT_ONCE;
	while (ok && ended < parts) {
		while (ok && begun < parts && begun - ended < jobs)
			ok = sample_part_begin(fn, ctx, begun, &part[begun % jobs], err) && ++begun;
		if (ok)
			ok = sample_part_end(&part[ended++ % jobs], out, end, err);
	}
	for (; ended < begun; ended++)
		sample_part_kill(&part[ended % jobs]);
	return ok;
}
