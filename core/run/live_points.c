#include "core/run/live_points.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/machine/machine_priv.h"
#include "core/machine/warm_state.h"

/* A record is its name, its number of words, and the changed words: runs of skipped words u32,
 * words u32, and those words; the last run is empty. Records of a point end with END, points with a
 * checksum after LAST. Names of spans are their numbers, those of pages their addresses. */
enum { END = 100, LAST, REGIONS, FILES, PAGE_WORDS = PAGE_BYTES / 8 };

/* The most words of a record other than a page; regions and files are far smaller. */
#define WORDS_MAX (UINT64_C(1) << 32)

struct page {
	uint64_t addr;
	uint64_t *word; /* owned; [PAGE_WORDS] */
};

struct live_points {
	struct machine *m; /* borrowed */
	FILE *f;           /* borrowed */
	bool silent;       /* updates the kept state, writes nothing */
	uint64_t sum;
	struct warm_span span[WARM_SPANS];
	unsigned spans;
	/* state of the last point; when reading, the machine holds it, except for regions and
	 * files */
	struct live_part {
		uint64_t *word; /* owned */
		size_t words;
	} kept[WARM_SPANS], regions, files;
	struct page *page; /* owned; [pages], by address; when writing */
	size_t pages;
	struct mem_image *image; /* owned; of the last point; when writing */
};

/* ---- words ---- */
static void live_points_write_bytes(struct live_points *p, const void *bytes, size_t n)
{
	if (p->silent)
		return;
	p->sum = hash_words(p->sum, bytes, n);
	fwrite(bytes, 1, n, p->f); /* errors are found at the end */
}

static void live_points_write_word(struct live_points *p, uint64_t w)
{
	live_points_write_bytes(p, &w, sizeof w);
}

static bool live_points_read_bytes(struct live_points *p, void *bytes, size_t n)
{
	if (fread(bytes, 1, n, p->f) != n)
		return false;
	p->sum = hash_words(p->sum, bytes, n);
	return true;
}

struct live_run {
	uint32_t skipped, words;
};

/* Writes the changes from `before` to `now`, and updates `before`; nothing if there are none. A
 * single equal word costs as much as a run's head, so runs end at two equal words. */
static void put_changes(struct live_points *p, uint64_t name, const uint64_t *now,
                        uint64_t *before, size_t n)
{
	bool any = false;
	size_t done = 0;
	for (size_t i = 0; i < n;) {
		if (now[i] == before[i]) {
			i++;
			continue;
		}
		size_t end = i + 1;
		while (end < n && (now[end] != before[end] ||
		                   (end + 1 < n && now[end + 1] != before[end + 1])))
			end++;
		if (!any) {
			live_points_write_word(p, name);
			live_points_write_word(p, n);
		}
		any = true;
		const struct live_run r = {(uint32_t)(i - done), (uint32_t)(end - i)};
		live_points_write_bytes(p, &r, sizeof r);
		live_points_write_bytes(p, now + i, (end - i) * sizeof *now);
		memcpy(before + i, now + i, (end - i) * sizeof *now);
		i = done = end;
	}
	if (any)
		live_points_write_word(p, 0);
}

/* The same for a part that may grow and shrink, preceded by its bytes. False if memory is out. */
static bool live_points_write_part(struct live_points *p, uint64_t name, const void *bytes,
                                   size_t n, uint64_t **word, size_t *words)
{
	const size_t now = (n + 7) / 8 + 1;
	uint64_t *copy = alloc_zeroed(now + 1, sizeof *copy),
		 *before = alloc_resize(*word, (now + 1) * sizeof *before);
	if (before)
		*word = before;
	if (!copy || !before) {
		free(copy);
		return false;
	}
	copy[0] = n;
	memcpy(copy + 1, bytes, n);
	if (*words != now)
		memset(before, 0xff, now * sizeof *before); /* longer than any part */
	*words = now;
	put_changes(p, name, copy, before, now);
	free(copy);
	return true;
}

static bool get_changes(struct live_points *p, uint64_t *word, size_t n)
{
	for (size_t at = 0;;) {
		struct live_run r;
		if (!live_points_read_bytes(p, &r, sizeof r))
			return false;
		if (!r.words)
			return !r.skipped;
		if (r.skipped > n - at || r.words > n - at - r.skipped ||
		    !live_points_read_bytes(p, word + at + r.skipped, r.words * sizeof *word))
			return false;
		at += (size_t)r.skipped + r.words;
	}
}

static bool get_part(struct live_points *p, uint64_t n, uint64_t **word, size_t *words)
{
	/* a damaged file must not allocate without limit */
	if (n > *words + (UINT64_C(1) << 20))
		return false;
	uint64_t *more = alloc_resize(*word, (n + 1) * sizeof *more);
	if (!more)
		return false;
	*word = more;
	if (*words != n)
		memset(more, 0xff, n * sizeof *more);
	*words = n;
	return n && get_changes(p, more, n) && more[0] <= (n - 1) * 8 && more[0] + 8 > (n - 1) * 8;
}

void live_points_free(struct live_points *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->spans; i++)
		free(p->kept[i].word);
	for (size_t i = 0; i < p->pages; i++)
		free(p->page[i].word);
	free(p->page);
	free(p->regions.word);
	free(p->files.word);
	if (p->image)
		mem_image_free(p->image);
	free(p);
}

/* ---- writing ---- */
/* Copy of the system's state without its past: no output yet, and no listings of open directories,
 * which are read again. */
static struct os_state *without_past(const struct os_state *st)
{
	struct os_state *copy = alloc_bytes(sizeof *copy);
	if (!copy)
		return NULL;
	*copy = *st;
	memset(copy->out_bytes, 0, sizeof copy->out_bytes);
	for (unsigned i = 0; i < OS_FILES; i++)
		if (copy->file[i].kind == OS_FILE_DIR)
			copy->file[i].listing = 0;
	return copy;
}

static bool put_spans(struct live_points *p)
{
	struct os_state *system = without_past(os_state_const(p->m->os));
	for (unsigned i = 0; system && i < p->spans; i++) {
		const bool is_system = (const void *)p->span[i].at == os_state(p->m->os);
		put_changes(p, i, is_system ? (uint64_t *)(void *)system : p->span[i].at,
		            p->kept[i].word, p->span[i].words);
	}
	free(system);
	return system;
}

static void put_page(struct live_points *p, struct page *page)
{
	uint64_t now[PAGE_WORDS];
	if (mem_peek(p->m->mem, page->addr, now, sizeof now))
		put_changes(p, page->addr, now, page->word, PAGE_WORDS);
}

/* Writes the pages changed since the last point, by address; mapped pages that no longer exist are
 * written as zeros. */
static bool live_points_write_pages(struct live_points *p)
{
	struct mem *mem = p->m->mem;
	struct mem_image *now = mem_snapshot(mem);
	size_t count = 0, old = 0;
	for (uint64_t a = mem_next_touched(mem, 0); a < MEM_END;
	     a = mem_next_touched(mem, a + PAGE_BYTES))
		count++;
	struct page *pages = alloc_zeroed(count + p->pages + 1, sizeof *pages);
	bool ok = now && pages;
	count = 0;
	for (uint64_t a = mem_next_touched(mem, 0); ok && (a < MEM_END || old < p->pages);) {
		const bool known = old < p->pages && p->page[old].addr <= a,
			   gone = known && p->page[old].addr < a;
		struct page page = known ? p->page[old++] : (struct page){.addr = a};
		if (!gone)
			a = mem_next_touched(mem, a + PAGE_BYTES);
		if (!known)
			page.word = alloc_zeroed(PAGE_WORDS, sizeof *page.word);
		if (gone && !mem_is_mapped(mem, page.addr, PAGE_BYTES)) {
			free(page.word);
			continue;
		}
		ok = page.word;
		if (ok && (!known || gone || !p->image ||
		           !mem_image_same(p->image, now, page.addr, PAGE_BYTES)))
			put_page(p, &page);
		pages[count++] = page;
	}
	/* If memory is out, free the rest and write nothing more. */
	while (old < p->pages)
		free(p->page[old++].word);
	free(p->page);
	p->page = pages;
	p->pages = pages ? count : 0;
	if (p->image)
		mem_image_free(p->image);
	p->image = now;
	return ok;
}

static bool keep_spans(struct live_points *p)
{
	for (unsigned i = 0; i < p->spans; i++) {
		const size_t bytes = p->span[i].words * sizeof(uint64_t);
		p->kept[i].word = alloc_bytes(bytes);
		if (!p->kept[i].word)
			return false;
		memcpy(p->kept[i].word, p->span[i].at, bytes);
	}
	return true;
}

struct live_points *live_points_new(struct machine *m, FILE *f, bool writes)
{
	struct live_points *p = alloc_zeroed(1, sizeof *p);
	if (!p)
		return NULL;
	p->m = m;
	p->f = f;
	p->sum = HASH_WORDS_START;
	p->spans = machine_warm_spans(m, p->span);
	p->silent = true;
	const bool ok = !writes || (keep_spans(p) && live_points_write_pages(p));
	p->silent = false;
	if (ok)
		return p;
	live_points_free(p);
	return NULL;
}

/* malloc'd; NULL if memory is out. */
static struct mem_region *all_regions(const struct mem *mem)
{
	struct mem_region *all = alloc_zeroed(mem_region_count(mem) + 1, sizeof *all), *r = all;
	while (r && mem_next_region(mem, r > all ? r[-1].end : 0, r))
		r++;
	return all;
}

bool live_points_put(struct live_points *p, struct err *err)
{
	size_t n = 0;
	void *files;
	struct mem_region *r = all_regions(p->m->mem);
	os_save_files(p->m->os, &files, &n);
	const bool ok =
		files && r && put_spans(p) &&
		live_points_write_part(p, REGIONS, r, mem_region_count(p->m->mem) * sizeof *r,
	                               &p->regions.word, &p->regions.words) &&
		live_points_write_part(p, FILES, files, n, &p->files.word, &p->files.words) &&
		live_points_write_pages(p);
	free(files);
	free(r);
	live_points_write_word(p, END);
	return ok || err_set(err, "out of memory for a live point");
}

void live_points_close(struct live_points *p)
{
	live_points_write_word(p, LAST);
	const uint64_t sum = p->sum;
	live_points_write_word(p, sum);
}

/* ---- reading ---- */
static bool region_ok(const struct mem_region *r, uint64_t last)
{
	const bool machine = r->start >= MEM_TOP;
	return r->start >= last && r->end > r->start && r->end <= (machine ? MEM_END : MEM_TOP) &&
	       r->start % PAGE_BYTES == 0 && r->end % PAGE_BYTES == 0 &&
	       !(r->prot & ~(unsigned)(PROT_R | PROT_W | PROT_X | PROT_M)) &&
	       memchr(r->name, '\0', sizeof r->name);
}

/* Unmaps the parts of `was` that no region of `now` covers. */
static bool unmap_rest(struct mem *mem, const struct mem_region *was, const struct mem_region *now,
                       size_t count)
{
	uint64_t at = was->start;
	for (size_t i = 0; i <= count && at < was->end; i++) {
		const uint64_t start = i < count ? now[i].start : UINT64_MAX;
		if (i < count && now[i].end <= at)
			continue;
		const uint64_t until = start < was->end ? start : was->end;
		if (until > at && !mem_unmap(mem, at, until - at))
			return false;
		if (i < count && now[i].end > at)
			at = now[i].end;
	}
	return true;
}

/* Maps the parts of `now` where nothing was; the rest gets its protection. */
static bool map_region(struct mem *mem, const struct mem_region *now, const struct mem_region *was,
                       size_t count)
{
	uint64_t at = now->start;
	for (size_t i = 0; i <= count && at < now->end; i++) {
		if (i < count && was[i].end <= at)
			continue;
		const uint64_t start = i < count ? was[i].start : UINT64_MAX,
			       until = start < now->end ? start : now->end;
		if (until > at) {
			if (!mem_map(mem, at, until - at, now->prot, now->name))
				return false;
			at = until;
		}
		if (i == count || at >= now->end)
			break;
		const uint64_t end = was[i].end < now->end ? was[i].end : now->end;
		if (was[i].prot != now->prot && !mem_protect(mem, at, end - at, now->prot))
			return false;
		at = end;
	}
	return true;
}

static bool live_points_restore_regions(struct mem *mem, const uint64_t *part)
{
	const size_t n = part[0] / sizeof(struct mem_region);
	const size_t count = mem_region_count(mem);
	const struct mem_region *now = (const struct mem_region *)(const void *)(part + 1);
	struct mem_region *was = all_regions(mem);
	bool ok = was;
	uint64_t last = 0;
	for (size_t i = 0; ok && i < n; i++) {
		ok = region_ok(&now[i], last);
		last = now[i].end;
	}
	for (size_t i = 0; ok && i < count; i++)
		ok = unmap_rest(mem, &was[i], now, n);
	for (size_t i = 0; ok && i < n; i++)
		ok = map_region(mem, &now[i], was, count);
	free(was);
	return ok;
}

static bool get_page(struct live_points *p, uint64_t addr)
{
	uint64_t word[PAGE_WORDS];
	return !(addr % PAGE_BYTES) && mem_peek(p->m->mem, addr, word, sizeof word) &&
	       get_changes(p, word, PAGE_WORDS) && mem_poke(p->m->mem, addr, word, sizeof word);
}

static bool get_record(struct live_points *p, uint64_t name)
{
	uint64_t n;
	if (!live_points_read_bytes(p, &n, sizeof n) || n > WORDS_MAX)
		return false;
	if (name < p->spans)
		return n == p->span[name].words && get_changes(p, p->span[name].at, n);
	if (name == REGIONS)
		return get_part(p, n, &p->regions.word, &p->regions.words) &&
		       live_points_restore_regions(p->m->mem, p->regions.word);
	if (name == FILES)
		return get_part(p, n, &p->files.word, &p->files.words) &&
		       os_load_files(p->m->os, p->files.word + 1, p->files.word[0]);
	return n == PAGE_WORDS && name >= PAGE_BYTES && get_page(p, name);
}

bool live_points_get(struct live_points *p, bool *more, struct err *err)
{
	uint64_t name, sum = 0;
	bool ok;
	do
		ok = live_points_read_bytes(p, &name, sizeof name);
	while (ok && name != END && name != LAST && (ok = get_record(p, name)));
	*more = ok && name == END;
	const uint64_t should = p->sum;
	if (ok && name == LAST)
		ok = live_points_read_bytes(p, &sum, sizeof sum) && sum == should;
	if (!ok)
		return err_set(err, "it is damaged, or was cut off");
	return true;
}
