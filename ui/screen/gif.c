/* GIF89a: each picture has its own table of colours, and its pixels packed by LZW. */
#include "ui/screen/gif.h"

#include <stdlib.h>

#include "core/base/alloc.h"

enum {
	COLOURS = 256,
	COLOUR_SLOTS = 4096,
	CODES = 4096,      /* a code has 12 bits at most */
	CODE_SLOTS = 8192, /* of the hash table: at most half full */
	BLOCK = 255,       /* bytes of a block */
	NONE = -1,
};

static void gif_put_u16(FILE *f, unsigned v)
{
	fputc((int)(v & 255), f);
	fputc((int)(v >> 8 & 255), f);
}

void gif_begin(FILE *f, unsigned width, unsigned height)
{
	fputs("GIF89a", f);
	gif_put_u16(f, width);
	gif_put_u16(f, height);
	fwrite("\x70\0\0", 1, 3, f); /* no table of colours for all pictures */
	fwrite("!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 1, 19, f);
}

void gif_end(FILE *f)
{
	fputc(';', f);
}

/* ---- colours ---- */
struct gif_colours {
	uint32_t rgb[COLOURS];
	int count;
	struct {
		uint32_t rgb;
		int index; /* NONE: a free slot */
	} slots[COLOUR_SLOTS];
};

static int gif_nearest_colour(const struct gif_colours *c, uint32_t rgb)
{
	int best = 0;
	long best_distance = -1;
	for (int i = 0; i < c->count; i++) {
		long distance = 0;
		for (int shift = 0; shift < 24; shift += 8) {
			const long d = (long)(c->rgb[i] >> shift & 255) -
			               (long)(rgb >> shift & 255);
			distance += d * d;
		}
		if (best_distance < 0 || distance < best_distance) {
			best = i;
			best_distance = distance;
		}
	}
	return best;
}

static int gif_colour_index(struct gif_colours *c, uint32_t rgb)
{
	const unsigned first = rgb * UINT32_C(2654435761) >> 20;
	for (unsigned i = 0; i < COLOUR_SLOTS; i++) {
		const unsigned at = (first + i) % COLOUR_SLOTS;
		if (c->slots[at].index != NONE && c->slots[at].rgb != rgb)
			continue;
		if (c->slots[at].index == NONE) {
			if (c->count < COLOURS)
				c->rgb[c->count] = rgb;
			c->slots[at].rgb = rgb;
			c->slots[at].index = c->count < COLOURS ? c->count++
			                                        : gif_nearest_colour(c, rgb);
		}
		return c->slots[at].index;
	}
	return gif_nearest_colour(c, rgb);
}

/* Replaces pixels by indices; returns the bits of an index. */
static unsigned gif_index_pixels(struct gif_colours *c, const uint32_t *pixels, size_t n,
                                 uint8_t *indices)
{
	c->count = 0;
	for (unsigned i = 0; i < COLOUR_SLOTS; i++)
		c->slots[i].index = NONE;
	for (size_t i = 0; i < n; i++)
		indices[i] = i && pixels[i] == pixels[i - 1]
		                     ? indices[i - 1]
		                     : (uint8_t)gif_colour_index(c, pixels[i]);
	unsigned bits = 2;
	while (1 << bits < c->count)
		bits++;
	return bits;
}

/* ---- LZW ---- */
struct gif_packer {
	FILE *f;
	uint8_t block[BLOCK];
	unsigned used;   /* bytes of the block */
	uint32_t bits;   /* waiting bits, from the lowest */
	unsigned waiting;
	unsigned width;  /* bits of a code */
	struct {
		uint32_t key; /* prefix << 8 | index, + 1; 0: free */
		int code;
	} slots[CODE_SLOTS];
};

static void gif_put_block(struct gif_packer *p)
{
	if (p->used) {
		fputc((int)p->used, p->f);
		fwrite(p->block, 1, p->used, p->f);
	}
	p->used = 0;
}

static void gif_put_byte(struct gif_packer *p)
{
	p->block[p->used++] = (uint8_t)p->bits;
	p->bits >>= 8;
	if (p->used == BLOCK)
		gif_put_block(p);
}

static void gif_put_code(struct gif_packer *p, int code)
{
	p->bits |= (uint32_t)code << p->waiting;
	for (p->waiting += p->width; p->waiting >= 8; p->waiting -= 8)
		gif_put_byte(p);
}

/* The slot of a string: its own, or the free one where it belongs. */
static unsigned gif_string_slot(const struct gif_packer *p, uint32_t key)
{
	unsigned at = key * UINT32_C(2654435761) >> 19;
	while (p->slots[at].key && p->slots[at].key != key)
		at = (at + 1) % CODE_SLOTS;
	return at;
}

static void gif_forget_strings(struct gif_packer *p)
{
	for (unsigned i = 0; i < CODE_SLOTS; i++)
		p->slots[i].key = 0;
}

/* Writes pixels of `bits` bits as the format's strings of growing length. */
static void gif_pack_pixels(struct gif_packer *p, const uint8_t *indices, size_t n, unsigned bits)
{
	const int clear = 1 << bits;
	int next = clear + 2, prefix = indices[0];
	p->width = bits + 1;
	fputc((int)bits, p->f);
	gif_put_code(p, clear);
	for (size_t i = 1; i < n; i++) {
		const uint32_t key = ((uint32_t)prefix << 8 | indices[i]) + 1;
		const unsigned at = gif_string_slot(p, key);
		if (p->slots[at].key) {
			prefix = p->slots[at].code;
			continue;
		}
		gif_put_code(p, prefix);
		prefix = indices[i];
		if (next < CODES) {
			p->slots[at].key = key;
			p->slots[at].code = next;
			p->width += next == 1 << p->width;
			next++;
		} else {
			gif_put_code(p, clear);
			gif_forget_strings(p);
			next = clear + 2;
			p->width = bits + 1;
		}
	}
	gif_put_code(p, prefix);
	/* The reader has one string more by now, and reads the end with its width. */
	p->width += next == 1 << p->width && p->width < 12;
	gif_put_code(p, clear + 1);
	if (p->waiting)
		gif_put_byte(p);
	gif_put_block(p);
	fputc(0, p->f);
}

bool gif_write_part(FILE *f, const struct gif_part *part, const uint32_t *pixels,
                    unsigned hundredths)
{
	const size_t n = (size_t)part->width * part->height;
	uint8_t *indices = alloc_bytes(n);
	struct gif_colours *c = alloc_bytes(sizeof *c);
	struct gif_packer *p = alloc_zeroed(1, sizeof *p);
	const bool ok = indices && c && p;
	if (ok) {
		const unsigned bits = gif_index_pixels(c, pixels, n, indices);
		fwrite("!\xf9\x04\x04", 1, 4, f); /* it stays below the next one */
		gif_put_u16(f, hundredths);
		fwrite("\0\0,", 1, 3, f);
		gif_put_u16(f, part->x);
		gif_put_u16(f, part->y);
		gif_put_u16(f, part->width);
		gif_put_u16(f, part->height);
		fputc((int)(0x80 | (bits - 1)), f);
		for (int i = 0; i < 1 << bits; i++) {
			const uint32_t rgb = i < c->count ? c->rgb[i] : 0;
			fputc((int)(rgb >> 16 & 255), f);
			gif_put_u16(f, (rgb >> 8 & 255) | (rgb & 255) << 8);
		}
		p->f = f;
		gif_pack_pixels(p, indices, n, bits);
	}
	free(indices);
	free(c);
	free(p);
	return ok;
}
