/* Files in memory (memfd_create). A file's bytes lie in guest memory reserved for the file, so that
 * snapshots share them. A shared mapping makes that memory accessible, so each byte can have only
 * one shared mapping. A closed file's mapped pages stay. */
#include <string.h>
#include <sys/stat.h>

#include "core/os/descriptors.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/space.h"

enum { CHUNK = 1 << 14 };
static const uint64_t least_room = 1 << 16;

struct os_memfd *memfd_of(struct os_state *st, const struct os_file *f)
{
	return &st->memfd[f->pipe];
}

static bool memfd_is_open(const struct os_state *st, unsigned n)
{
	for (unsigned i = 0; i < OS_FILES; i++)
		if (st->file[i].kind == OS_FILE_MEMORY && st->file[i].pipe == n)
			return true;
	return false;
}

int64_t sys_memfd_create(struct call *c)
{
	char name[LX_MFD_NAME_MAX + 1];
	const uint64_t flags = c->a[1];
	const bool sealed_exec = flags & LX_MFD_NOEXEC_SEAL;
	unsigned n = 0;
	if ((uint32_t)flags & ~(uint32_t)(LX_MFD_CLOEXEC | LX_MFD_ALLOW_SEALING |
	                                  LX_MFD_NOEXEC_SEAL | LX_MFD_EXEC) ||
	    (sealed_exec && (flags & LX_MFD_EXEC)))
		return -EINVAL;
	if (!mem_read_string(c->mem, c->a[0], name, sizeof name))
		return guest_span(c->mem, c->a[0], sizeof name, PROT_R) == sizeof name ? -EINVAL
		                                                                       : -EFAULT;
	while (n < OS_MEMFDS && memfd_is_open(c->st, n))
		n++;
	if (n == OS_MEMFDS) {
		os_warnf(c->os, "memfd_create: a program has at most %d files in memory: ENFILE",
		         OS_MEMFDS);
		return -ENFILE;
	}
	const int64_t fd = file_new(c, OS_FILE_MEMORY, flags & LX_MFD_CLOEXEC ? LX_O_CLOEXEC : 0);
	if (fd < 0)
		return fd;
	struct os_file *f = fd_file(c->st, (int)fd);
	f->flags = LX_O_RDWR | LX_O_LARGEFILE;
	f->pipe = (uint8_t)n;
	f->mode = sealed_exec;
	c->st->memfd[n] = (struct os_memfd){.seals = sealed_exec                    ? LX_SEAL_EXEC
	                                             : flags & LX_MFD_ALLOW_SEALING ? 0
	                                                                            : LX_SEAL_SEAL};
	return fd;
}

/* ---- where the bytes are ---- */
struct os_memfd *memfd_within(struct os_state *st, uint64_t start, uint64_t length)
{
	struct os_memfd *first = NULL;
	for (unsigned i = 0; i < OS_MEMFDS; i++) {
		struct os_memfd *m = &st->memfd[i];
		if (m->at && m->at < start + length && start < m->at + m->room &&
		    (!first || m->at < first->at))
			first = m;
	}
	return first;
}

/* Whether any of the range is mapped with permissions, and writable if `writes`. */
static bool memfd_range_is_mapped(const struct mem *mem, uint64_t start, uint64_t length,
                                  bool writes)
{
	const unsigned any = mem_extent(mem, start, start + length).prot;
	return any & (writes ? PROT_W : ~0u);
}

/* Makes room for size bytes, moving the file unless it is mapped: false if there is none. */
static bool memfd_grow_room(struct call *c, struct os_memfd *m, uint64_t size)
{
	if (size <= m->room)
		return true;
	/* a file that grows is not moved each time */
	const uint64_t least = size <= MEM_TOP ? page_up(size) : size,
		       spare = m->room ? least / 8 & ~(uint64_t)(PAGE_BYTES - 1) : 0,
		       best = least + spare > least_room ? least + spare : least_room,
		       more = space_may_grow(c, least - m->room, best - m->room),
		       room = m->room + more;
	if (!more)
		return false;
	if (m->at && space_holds(m->at, room) && space_is_free(c->mem, m->at + m->room, more)) {
		if (!mem_map(c->mem, m->at + m->room, more, 0, MEM_FILE))
			return false;
		m->room = room;
		return true;
	}
	if (m->at && memfd_range_is_mapped(c->mem, m->at, m->room, false)) {
		os_warnf(c->os,
		         "a memfd can't grow to %llu bytes while it is mapped: set its "
		         "length before mmap()",
		         (unsigned long long)size);
		return false;
	}
	const uint64_t to = mem_find_free(c->mem, room, c->st->mmap_below);
	if (!to || !mem_map(c->mem, to, room, 0, MEM_FILE))
		return false;
	if (m->at && !mem_move(c->mem, m->at, to, m->room)) {
		mem_unmap(c->mem, to, room);
		return false;
	}
	m->at = to;
	m->room = room;
	return true;
}

bool memfd_give_way(struct call *c, uint64_t start, uint64_t length)
{
	struct os_memfd *m;
	while ((m = memfd_within(c->st, start, length))) {
		const uint64_t to = mem_find_free(c->mem, m->room, c->st->mmap_below);
		if (memfd_range_is_mapped(c->mem, m->at, m->room, false)) {
			os_warnf(c->os, "a mapping over a part of a mapped memfd is not "
			                "implemented: ENOMEM");
			return false;
		}
		/* the free place may overlap the requested range: then no other is free */
		if (!to || (to < start + length && start < to + m->room) ||
		    !mem_move(c->mem, m->at, to, m->room))
			return false;
		m->at = to;
	}
	return true;
}

bool memfd_close(struct call *c)
{
	for (unsigned i = 0; i < OS_MEMFDS; i++)
		if (c->st->memfd[i].at)
			return undo_begin(c, UNDO_ALWAYS);
	return true;
}

void memfd_closed(struct call *c)
{
	for (unsigned i = 0; i < OS_MEMFDS; i++) {
		struct os_memfd *m = &c->st->memfd[i];
		if (!m->at || memfd_is_open(c->st, i))
			continue;
		const uint64_t end = m->at + m->room;
		for (uint64_t at = m->at, next; at < end; at = next) {
			struct mem_region r;
			const bool found = mem_next_region(c->mem, at, &r);
			next = found && r.end < end ? r.end : end;
			if (found && !r.prot)
				(void)mem_unmap(c->mem, at, next - at);
		}
		*m = (struct os_memfd){0};
	}
}

/* ---- reading and writing ---- */
int64_t memfd_read(struct call *c, const struct os_file *f, const struct lx_iovec *v,
                   unsigned count, int64_t offset)
{
	const struct os_memfd *m = memfd_of(c->st, f);
	uint8_t bytes[CHUNK];
	uint64_t at = (uint64_t)offset, total = 0;
	for (unsigned i = 0; i < count; i++)
		for (uint64_t done = 0; done < v[i].len && at < m->size;) {
			uint64_t n = v[i].len - done < CHUNK ? v[i].len - done : CHUNK;
			n = n < m->size - at ? n : m->size - at;
			if (!mem_peek(c->mem, m->at + at, bytes, n) ||
			    !mem_write(c->mem, v[i].base + done, bytes, n))
				return total ? (int64_t)total : -EFAULT;
			done += n;
			at += n;
			total += n;
			if (undo_wanted(c))
				return (int64_t)total;
		}
	return (int64_t)total;
}

int64_t memfd_write(struct call *c, const struct os_file *f, const struct lx_iovec *v,
                    unsigned count, int64_t *offset)
{
	struct os_memfd *m = memfd_of(c->st, f);
	uint8_t bytes[CHUNK];
	uint64_t at = *offset < 0 ? m->size : (uint64_t)*offset, total = 0, all = 0;
	for (unsigned i = 0; i < count; i++)
		all += v[i].len;
	if (!all)
		return 0;
	if (m->seals & (LX_SEAL_WRITE | LX_SEAL_FUTURE_WRITE))
		return -EPERM;
	if (at + all > m->size && (m->seals & LX_SEAL_GROW))
		return -EPERM;
	if (at + all > m->room && !undo_begin(c, UNDO_ALWAYS))
		return 0;
	if (!memfd_grow_room(c, m, at + all))
		return -ENOSPC;
	for (unsigned i = 0; i < count; i++)
		for (uint64_t done = 0; done < v[i].len;) {
			const uint64_t n = v[i].len - done < CHUNK ? v[i].len - done : CHUNK;
			if (!mem_read(c->mem, v[i].base + done, bytes, n) ||
			    !mem_poke(c->mem, m->at + at, bytes, n))
				return total ? (int64_t)total : -EFAULT;
			done += n;
			at += n;
			total += n;
			m->size = at > m->size ? at : m->size;
			*offset = (int64_t)at;
			if (undo_wanted(c))
				return (int64_t)total;
		}
	return (int64_t)total;
}

/* Writes zeros, whatever protection the pages have. */
static bool memfd_clear_bytes(struct call *c, uint64_t at, uint64_t n)
{
	static const uint8_t zeros[PAGE_BYTES];
	while (n) {
		const uint64_t part = n < PAGE_BYTES ? n : PAGE_BYTES;
		if (mem_next_touched(c->mem, at) < at + part && !mem_poke(c->mem, at, zeros, part))
			return false;
		at += part;
		n -= part;
	}
	return true;
}

int64_t memfd_truncate(struct call *c, const struct os_file *f, int64_t size)
{
	struct os_memfd *m = memfd_of(c->st, f);
	const uint64_t want = (uint64_t)size;
	if ((want < m->size && (m->seals & LX_SEAL_SHRINK)) ||
	    (want > m->size && (m->seals & LX_SEAL_GROW)))
		return -EPERM;
	if (!undo_begin(c, UNDO_ALWAYS))
		return 0;
	if (!memfd_grow_room(c, m, want))
		return -EFBIG;
	if (want < m->size && !memfd_clear_bytes(c, m->at + want, m->size - want))
		return -ENOMEM;
	m->size = want;
	return 0;
}

int64_t memfd_allocate(struct call *c, const struct os_file *f, uint64_t mode, uint64_t offset,
                       uint64_t length)
{
	struct os_memfd *m = memfd_of(c->st, f);
	const uint64_t end = offset + length;
	if (mode == LX_FALLOC_PUNCH_HOLE) {
		if (m->seals & (LX_SEAL_WRITE | LX_SEAL_FUTURE_WRITE))
			return -EPERM;
		if (!undo_begin(c, UNDO_ALWAYS))
			return 0;
		const uint64_t last = end < m->size ? end : m->size;
		return offset >= last || memfd_clear_bytes(c, m->at + offset, last - offset)
		               ? 0
		               : -ENOMEM;
	}
	if (mode)
		return -EOPNOTSUPP;
	if (end <= m->size)
		return 0;
	if (m->seals & LX_SEAL_GROW)
		return -EPERM;
	if (!undo_begin(c, UNDO_ALWAYS))
		return 0;
	if (!memfd_grow_room(c, m, end))
		return -ENOSPC;
	m->size = end;
	return 0;
}

int64_t memfd_seals(struct call *c, const struct os_file *f, bool add, uint64_t seals)
{
	struct os_memfd *m = memfd_of(c->st, f);
	if (!add)
		return (int64_t)m->seals;
	if (seals & ~(uint64_t)LX_SEALS)
		return -EINVAL;
	if (m->seals & LX_SEAL_SEAL)
		return -EPERM;
	if ((seals & LX_SEAL_WRITE) && m->at && memfd_range_is_mapped(c->mem, m->at, m->room, true))
		return -EBUSY;
	m->seals |= seals;
	return 0;
}

void memfd_stat(const struct os *os, const struct os_file *f, struct host_stat *out)
{
	const struct os_memfd *m = memfd_of(os->st, f);
	*out = (struct host_stat){.dev = STREAM_DEV, .ino = 200u + f->pipe};
	out->mode = S_IFREG | (f->mode ? 0666 : 0777);
	out->size = (int64_t)m->size;
	out->atime = out->mtime = out->ctime = (struct lx_timespec){.sec = (int64_t)os->epoch};
}

/* ---- mapping ---- */
int64_t memfd_copy(struct call *c, const struct os_file *f, uint64_t start, uint64_t length,
                   uint64_t offset)
{
	const struct os_memfd *m = memfd_of(c->st, f);
	uint8_t bytes[CHUNK];
	for (uint64_t done = 0; done < length && offset + done < m->size;) {
		uint64_t n = length - done < CHUNK ? length - done : CHUNK;
		n = n < m->size - offset - done ? n : m->size - offset - done;
		if (mem_next_touched(c->mem, m->at + offset + done) < m->at + offset + done + n &&
		    (!mem_peek(c->mem, m->at + offset + done, bytes, n) ||
		     !mem_poke(c->mem, start + done, bytes, n)))
			return -ENOMEM;
		done += n;
		if (undo_wanted(c))
			break;
	}
	return 0;
}

/* Moves all bytes of a file so that `offset` lies at `want`. */
static bool put_at(struct call *c, struct os_memfd *m, uint64_t want, uint64_t offset,
                   uint64_t length)
{
	if (m->at + offset == want)
		return true;
	const uint64_t to = want - offset, end = to + m->room;
	if (want < offset || !space_holds(to, m->room) || (to < m->at + m->room && m->at < end) ||
	    !memfd_give_way(c, want, length) ||
	    (to < want && !space_is_free(c->mem, to, want - to)) ||
	    (end > want + length && !space_is_free(c->mem, want + length, end - want - length)) ||
	    memfd_range_is_mapped(c->mem, m->at, m->room, false))
		return false;
	maps_gone(c->os, want, length);
	if (!mem_unmap(c->mem, want, length) || !mem_move(c->mem, m->at, to, m->room))
		return false;
	m->at = to;
	return true;
}

int64_t memfd_map(struct call *c, const struct os_file *f, uint64_t length, unsigned prot)
{
	struct os_memfd *m = memfd_of(c->st, f);
	const uint64_t flags = c->a[3], offset = c->a[5];
	const bool fixed = flags & (LX_MAP_FIXED | LX_MAP_FIXED_NOREPLACE);
	if ((prot & PROT_W) && (m->seals & (LX_SEAL_WRITE | LX_SEAL_FUTURE_WRITE)))
		return -EPERM;
	if (offset > c->os->memory || (fixed && (c->a[0] & (PAGE_BYTES - 1))))
		return offset > c->os->memory ? -ENOMEM : -EINVAL;
	if (fixed && !space_holds(c->a[0], length))
		return -ENOMEM;
	if ((flags & LX_MAP_FIXED_NOREPLACE) && !space_is_free(c->mem, c->a[0], length))
		return -EEXIST;
	if (m->at && memfd_range_is_mapped(c->mem, m->at + offset, length, false)) {
		os_warnf(c->os, "mmap: a second shared mapping of a memfd is not implemented: "
		                "ENODEV");
		return -ENODEV;
	}
	if (!undo_begin(c, UNDO_ALWAYS))
		return 0;
	if (!memfd_grow_room(c, m, offset + length))
		return -ENOMEM;
	if (fixed)
		space_note_code(c, c->a[0], length, 0);
	if (fixed && !put_at(c, m, c->a[0], offset, length)) {
		os_warnf(c->os, "mmap: a memfd can't be mapped with MAP_FIXED: ENODEV");
		return -ENODEV;
	}
	const uint64_t at = m->at + offset;
	space_note_mapping(c, at, length, prot);
	return space_note_result(c, mem_protect(c->mem, at, length, prot) ? (int64_t)at : -ENOMEM,
	                         at, length, prot);
}
