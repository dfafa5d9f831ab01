/* The guest's address space: break, mappings, protection. */
#include <stdlib.h>
#include <string.h>

#include "core/os/descriptors.h"
#include "core/os/host_questions.h"
#include "core/os/os_priv.h"
#include "core/os/space.h"

static bool os_memory_is_page_aligned(uint64_t v)
{
	return (v & (PAGE_BYTES - 1)) == 0;
}

int64_t sys_brk(struct call *c)
{
	struct os_state *st = c->st;
	uint64_t want = c->a[0];
	if (want < st->brk_start || want >= st->mmap_below)
		return (int64_t)st->brk;
	uint64_t old_end = page_up(st->brk), new_end = page_up(want);
	bool ok = true;
	if (new_end > old_end)
		ok = space_is_free(c->mem, old_end, new_end - old_end) &&
		     space_may_have(c, old_end, new_end - old_end, PROT_W) &&
		     mem_map(c->mem, old_end, new_end - old_end, PROT_R | PROT_W, "heap");
	else if (new_end < old_end) {
		space_note_code(c, new_end, old_end - new_end, 0);
		ok = mem_unmap(c->mem, new_end, old_end - new_end);
	}
	if (ok)
		st->brk = want;
	return (int64_t)st->brk;
}

/* Protection for prot: RISC-V has no write-only pages. */
static unsigned os_memory_guest_protection(uint64_t prot)
{
	unsigned p = (unsigned)prot & (PROT_R | PROT_W | PROT_X);
	return p & PROT_W ? p | PROT_R : p;
}

/* Fills a new mapping from the file, a piece at a time. */
static int64_t copy_file(struct call *c, const struct os_file *f, uint64_t start, uint64_t length,
                         int64_t offset)
{
	enum { PIECE = 1 << 20 };
	if (f->kind == OS_FILE_MEMORY)
		return memfd_copy(c, f, start, length, (uint64_t)offset);
	const unsigned file = file_index(c->st, f);
	for (uint64_t done = 0; done < length;) {
		const void *bytes;
		const uint64_t want = length - done < PIECE ? length - done : PIECE;
		const int64_t n = host_read(c->os, file, offset + (int64_t)done, want, &bytes);
		if (n < 0)
			return n;
		if (n > 0 && !mem_poke(c->mem, start + done, bytes, (size_t)n))
			return -ENOMEM;
		done += (uint64_t)n;
		if ((uint64_t)n < want || undo_wanted(c))
			break;
	}
	return 0;
}

/* Checks that openat's flags allow the mapping: 0 or -errno. */
static int64_t os_memory_check_file(struct call *c, const struct os_file *f, unsigned prot,
                                    bool shared)
{
	const uint32_t access = f->flags & LX_O_ACCMODE;
	if (access == LX_O_WRONLY ||
	    (shared && (prot & PROT_W) && access != LX_O_RDWR && f->kind != OS_FILE_MEMORY))
		return -EACCES;
	if (f->kind != OS_FILE_REGULAR && f->kind != OS_FILE_MEMORY)
		return -ENODEV;
	if (f->kind == OS_FILE_REGULAR && shared && (prot & PROT_W)) {
		os_warnf(
			c->os,
			"mmap: writing to a file through shared memory is not implemented: ENODEV");
		return -ENODEV;
	}
	return 0;
}

/* Address for a mapping of length, page-aligned; or -errno. */
static int64_t os_memory_place_mapping(struct call *c, uint64_t addr, uint64_t length,
                                       uint64_t flags)
{
	if (flags & (LX_MAP_FIXED | LX_MAP_FIXED_NOREPLACE)) {
		if (!os_memory_is_page_aligned(addr))
			return -EINVAL;
		if (!space_holds(addr, length))
			return -ENOMEM;
		const bool replaces = !(flags & LX_MAP_FIXED_NOREPLACE);
		return replaces || space_is_free(c->mem, addr, length) ? (int64_t)addr : -EEXIST;
	}
	addr = addr <= MEM_TOP ? page_up(addr) : 0;
	if (addr && space_holds(addr, length) && space_is_free(c->mem, addr, length))
		return (int64_t)addr;
	addr = mem_find_free(c->mem, length, c->st->mmap_below);
	return addr ? (int64_t)addr : -ENOMEM;
}

/* Whether the file is /dev/zero: its mapping is anonymous. */
static bool maps_zeros(const struct call *c)
{
	const struct os_file *f = fd_file(c->st, (int)c->a[4]);
	uint32_t access = f ? f->flags & LX_O_ACCMODE : LX_O_WRONLY;
	bool private = (c->a[3] & LX_MAP_TYPE) == LX_MAP_PRIVATE;
	return f && f->kind == OS_FILE_ZERO &&
	       (access == LX_O_RDWR || (access == LX_O_RDONLY && private));
}

int64_t sys_mmap(struct call *c)
{
	uint64_t length = c->a[1], flags = c->a[3], type = flags & LX_MAP_TYPE;
	unsigned prot = os_memory_guest_protection(c->a[2]);
	bool anonymous = flags & LX_MAP_ANONYMOUS || maps_zeros(c);
	if (!os_memory_is_page_aligned(c->a[5]))
		return -EINVAL;
	const struct os_file *f = anonymous ? NULL : fd_file(c->st, (int)c->a[4]);
	if (!anonymous && !f)
		return -EBADF;
	if (length == 0)
		return -EINVAL;
	if (length > -(uint64_t)PAGE_BYTES)
		return -ENOMEM;
	if (length > MEM_TOP)
		return -ENOMEM;
	if (!anonymous && c->a[5] > INT64_MAX - length)
		return -EOVERFLOW;
	if (type == 0 || type > (LX_MAP_SHARED | LX_MAP_PRIVATE) || (flags & LX_MAP_HUGETLB) ||
	    (anonymous && type > LX_MAP_PRIVATE))
		return -EINVAL;
	length = page_up(length);
	int64_t err = anonymous ? 0 : os_memory_check_file(c, f, prot, type != LX_MAP_PRIVATE);
	if (err)
		return err;
	if (f && f->kind == OS_FILE_MEMORY && type != LX_MAP_PRIVATE)
		return memfd_map(c, f, length, prot);
	int64_t start = os_memory_place_mapping(c, c->a[0], length, flags);
	if (start < 0)
		return start;
	const bool sparse = anonymous && (flags & LX_MAP_NORESERVE);
	if (!sparse && !space_may_have(c, (uint64_t)start, length, prot))
		return -ENOMEM;
	if ((f || memfd_within(c->st, (uint64_t)start, length)) && !undo_begin(c, UNDO_ALWAYS))
		return 0;
	if (!memfd_give_way(c, (uint64_t)start, length))
		return -ENOMEM;
	space_note_mapping(c, (uint64_t)start, length, prot);
	if (!mem_map(c->mem, (uint64_t)start, length, prot,
	             sparse      ? MEM_SPARSE
	             : anonymous ? "mmap"
	                         : "file"))
		return -ENOMEM;
	if (f)
		err = copy_file(c, f, (uint64_t)start, length, (int64_t)c->a[5]);
	maps_gone(c->os, (uint64_t)start, length);
	if (err) {
		mem_unmap(c->mem, (uint64_t)start, length);
		return err;
	}
	if (f && c->a[5] == 0 && !call_repeats(c))
		maps_note(c->os, f, (uint64_t)start, length);
	return space_note_result(c, start, (uint64_t)start, length, prot);
}

int64_t sys_munmap(struct call *c)
{
	uint64_t start = c->a[0], length = c->a[1];
	if (!os_memory_is_page_aligned(start) || length == 0 || !space_holds(start, length))
		return -EINVAL;
	if (memfd_within(c->st, start, page_up(length)) && !undo_begin(c, UNDO_ALWAYS))
		return 0;
	space_note_code(c, start, page_up(length), 0);
	if (!space_unmap(c, start, page_up(length)))
		return -ENOMEM;
	maps_gone(c->os, start, page_up(length));
	return 0;
}

bool space_unmap(struct call *c, uint64_t start, uint64_t length)
{
	const uint64_t end = start + length;
	while (start < end) {
		const struct os_memfd *m = memfd_within(c->st, start, end - start);
		const uint64_t from = !m ? end : m->at > start ? m->at : start;
		const uint64_t to = !m ? end : m->at + m->room < end ? m->at + m->room : end;
		if ((start < from && !mem_unmap(c->mem, start, from - start)) ||
		    (from < to && !mem_protect(c->mem, from, to - from, 0)))
			return false;
		start = to;
	}
	return true;
}

int64_t sys_mprotect(struct call *c)
{
	enum { GROWSDOWN = 1 << 24, GROWSUP = 1 << 25, SEM = 8 };
	uint64_t start = c->a[0], length = c->a[1];
	const uint32_t asked = (uint32_t)c->a[2], grows = asked & (GROWSDOWN | GROWSUP);
	if (!os_memory_is_page_aligned(start) || grows == (GROWSDOWN | GROWSUP))
		return -EINVAL;
	if (length == 0)
		return 0;
	if (grows && mem_extent(c->mem, start, start + page_up(length)).bytes)
		return -EINVAL; /* no mapping grows */
	if (page_up(length) && space_holds(start, length) &&
	    (asked & ~(uint32_t)(PROT_R | PROT_W | PROT_X | SEM | GROWSDOWN | GROWSUP)))
		return -EINVAL;
	if (!space_holds(start, length))
		return -ENOMEM;
	length = page_up(length);
	const unsigned prot = os_memory_guest_protection(c->a[2]);
	space_note_code(c, start, length, prot);
	const bool ok = space_may_protect(c, start, length, prot) &&
	                mem_protect(c->mem, start, length, prot);
	return space_note_result(c, ok ? 0 : -ENOMEM, start, length, prot);
}

/* True if Linux takes this advice from a process about its own memory. */
static bool os_memory_advice_is_known(int advice)
{
	enum { FREE = 8, REMOVE = 9, COLLAPSE = 25 }; /* private memory can't be removed */
	return advice >= 0 && advice != REMOVE &&
	       (advice <= LX_MADV_DONTNEED || (advice >= FREE && advice <= COLLAPSE));
}

int64_t sys_madvise(struct call *c)
{
	uint64_t start = c->a[0], length = page_up(c->a[1]);
	const int advice = (int)c->a[2];
	if (!os_memory_advice_is_known(advice) || !os_memory_is_page_aligned(start) ||
	    (!length && c->a[1]) || start + length < start)
		return -EINVAL;
	if (length && !space_holds(start, length))
		return -ENOMEM;
	if (length && !mem_is_mapped(c->mem, start, length))
		return -ENOMEM;
	if (advice != LX_MADV_DONTNEED || !length)
		return 0;
	space_note_code(c, start, length, 0);
	const bool ok = mem_discard(c->mem, start, length);
	return space_note_result(c, ok ? 0 : -ENOMEM, start, length,
	                         mem_extent(c->mem, start, start + length).common);
}

/* Does nothing: mappings of files are copies. */
int64_t sys_msync(struct call *c)
{
	enum { ASYNC = 1, INVALIDATE = 2, SYNC = 4 };
	const uint64_t start = c->a[0], length = page_up(c->a[1]);
	const uint32_t flags = (uint32_t)c->a[2];
	if ((flags & ~(uint32_t)(ASYNC | INVALIDATE | SYNC)) || !os_memory_is_page_aligned(start) ||
	    (flags & (ASYNC | SYNC)) == (ASYNC | SYNC))
		return -EINVAL;
	return length == 0 || (space_holds(start, length) && mem_is_mapped(c->mem, start, length))
	               ? 0
	               : -ENOMEM;
}

/* Does nothing: all guest memory is always present. */
int64_t sys_mlock(struct call *c)
{
	uint64_t start = c->a[0] & ~(uint64_t)(PAGE_BYTES - 1),
		 length = page_up(c->a[1] + (c->a[0] - start));
	if (start + length < start)
		return -EINVAL;
	if (length && !space_holds(start, length))
		return -ENOMEM;
	return length == 0 || mem_is_mapped(c->mem, start, length) ? 0 : -ENOMEM;
}

int64_t sys_mincore(struct call *c)
{
	static const uint8_t resident = 1;
	uint64_t start = c->a[0], length = page_up(c->a[1]);
	if (!os_memory_is_page_aligned(start))
		return -EINVAL;
	if (!space_holds(start, c->a[1]))
		return -ENOMEM;
	if (!space_holds(c->a[2], length / PAGE_BYTES))
		return -EFAULT;
	if (length && !mem_is_mapped(c->mem, start, length))
		return -ENOMEM;
	if (!undo_begin(c, length / PAGE_BYTES))
		return 0;
	for (uint64_t i = 0; i < length / PAGE_BYTES && !undo_wanted(c); i++)
		if (!mem_write(c->mem, c->a[2] + i, &resident, 1))
			return -EFAULT;
	return 0;
}
