#include "ui/screen/cell_font.h"

#include <stdlib.h>
#include <string.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include "core/base/alloc.h"

enum {
	PIXELS = 15,   /* of the font: it makes cells 9 wide */
	BASELINE = 14, /* from a cell's top */
	KEPT = 1024,
	FACES = 2,     /* regular, bold */
};

struct cell_font {
	FT_Library library;
	FT_Face faces[FACES]; /* owned by the library */
	struct {
		bool used;
		wchar_t wc;
		attr_t attr;
		struct cell_cover cover;
	} kept[KEPT]; /* a character's cover is at its hash, if at all */
};

/* Where Debian, Fedora, Arch and others have the font's files. */
static const char *const cell_folders[] = {
	"/usr/share/fonts/truetype/dejavu",   "/usr/share/fonts/dejavu-sans-mono-fonts",
	"/usr/share/fonts/TTF",               "/usr/share/fonts/dejavu",
	"/usr/local/share/fonts/dejavu"};

static bool cell_font_open(struct cell_font *font, const char *folder)
{
	static const char *const names[FACES] = {"DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"};
	int opened = 0;
	for (; opened < FACES; opened++) {
		char *path = alloc_format("%s/%s", folder, names[opened]);
		const bool ok = path && !FT_New_Face(font->library, path, 0, &font->faces[opened]);
		free(path);
		if (!ok)
			break;
		FT_Set_Pixel_Sizes(font->faces[opened], 0, PIXELS);
	}
	if (opened == 1)
		FT_Done_Face(font->faces[0]);
	return opened == FACES;
}

struct cell_font *cell_font_new(const char *folder, struct err *err)
{
	struct cell_font *font = alloc_zeroed(1, sizeof *font);
	if (!font || FT_Init_FreeType(&font->library)) {
		free(font);
		err_set(err, "out of memory for a font");
		return NULL;
	}
	if (folder && cell_font_open(font, folder))
		return font;
	for (size_t i = 0; !folder && i < sizeof cell_folders / sizeof *cell_folders; i++)
		if (cell_font_open(font, cell_folders[i]))
			return font;
	cell_font_free(font);
	err_set(err, "no font DejaVu Sans Mono; install Debian's package fonts-dejavu-core");
	return NULL;
}

void cell_font_free(struct cell_font *font)
{
	if (font)
		FT_Done_FreeType(font->library);
	free(font);
}

/* ---- without the font ---- */
static void cell_fill(struct cell_cover *c, int x0, int x1, int y0, int y1, int cover)
{
	for (int y = y0; y < y1; y++)
		memset(&c->at[y][x0], cover, (size_t)(x1 - x0));
}

static void cell_draw_lines(struct cell_cover *c, unsigned bits)
{
	const int x = CELL_WIDTH / 2, y = CELL_HEIGHT / 2;
	cell_fill(c, bits & 8 ? 0 : x, bits & 2 ? CELL_WIDTH : x + 1, y, y + !!(bits & 10),
	          CELL_COVER_MAX);
	cell_fill(c, x, x + 1, bits & 1 ? 0 : y, bits & 4 ? CELL_HEIGHT : y + 1, CELL_COVER_MAX);
}

/* Draws a block of U+2580 to U+2593; false for any other character. */
static bool cell_draw_block(struct cell_cover *c, wchar_t wc)
{
	const int block = wc - 0x2580;
	if (block < 0 || block > 0x13)
		return false;
	if (block == 0)
		cell_fill(c, 0, CELL_WIDTH, 0, CELL_HEIGHT / 2, CELL_COVER_MAX);
	else if (block <= 8)
		cell_fill(c, 0, CELL_WIDTH, CELL_HEIGHT - (CELL_HEIGHT * block + 4) / 8,
		          CELL_HEIGHT, CELL_COVER_MAX);
	else if (block < 0x10)
		cell_fill(c, 0, (CELL_WIDTH * (0x10 - block) + 4) / 8, 0, CELL_HEIGHT,
		          CELL_COVER_MAX);
	else if (block == 0x10)
		cell_fill(c, CELL_WIDTH / 2, CELL_WIDTH, 0, CELL_HEIGHT, CELL_COVER_MAX);
	else
		cell_fill(c, 0, CELL_WIDTH, 0, CELL_HEIGHT,
		          (CELL_COVER_MAX * (block - 0x10) + 2) / 4);
	return true;
}

/* ---- with it ---- */
/* Draws a character that the font lacks: the edges of a box. */
static void cell_draw_unknown(struct cell_cover *c, int width)
{
	cell_fill(c, 1, width - 1, 3, 15, CELL_COVER_MAX);
	cell_fill(c, 2, width - 2, 4, 14, 0);
}

static void cell_draw_character(struct cell_font *font, struct cell_cover *c, wchar_t wc,
                                attr_t attr)
{
	const int width = wcwidth(wc) > 1 ? 2 * CELL_WIDTH : CELL_WIDTH;
	FT_Face face = font->faces[attr & A_BOLD ? 1 : 0];
	FT_GlyphSlot slot = face->glyph;
	const FT_UInt index = FT_Get_Char_Index(face, (FT_ULong)wc);
	if (!index || FT_Load_Glyph(face, index, FT_LOAD_TARGET_LIGHT)) {
		cell_draw_unknown(c, width);
		return;
	}
	if (attr & A_ITALIC) {
		const FT_Matrix slant = {.xx = 0x10000, .xy = 0x3000, .yx = 0, .yy = 0x10000};
		FT_Outline_Transform(&slot->outline, &slant);
	}
	if (FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL))
		return;
	const FT_Bitmap *b = &slot->bitmap;
	for (int row = 0; row < (int)b->rows; row++) {
		const int y = BASELINE - slot->bitmap_top + row;
		for (int column = 0; column < (int)b->width; column++) {
			const int x = slot->bitmap_left + column;
			if (y >= 0 && y < CELL_HEIGHT && x >= 0 && x < width)
				c->at[y][x] = (uint8_t)((b->buffer[row * b->pitch + column] *
				                         CELL_COVER_MAX + 127) / 255);
		}
	}
}

const struct cell_cover *cell_font_cover(struct cell_font *font, const struct glyph *g)
{
	const wchar_t wc = g->text[0];
	const attr_t attr = g->attr & (A_BOLD | A_ITALIC | A_UNDERLINE);
	const unsigned look = (attr & A_BOLD ? 1U : 0U) | (attr & A_ITALIC ? 2U : 0U) |
	                      (attr & A_UNDERLINE ? 4U : 0U);
	const unsigned at = ((unsigned)wc * 8 + look) * UINT32_C(2654435761) >> 22;
	struct cell_cover *c = &font->kept[at].cover;
	if (font->kept[at].used && font->kept[at].wc == wc && font->kept[at].attr == attr)
		return c;
	font->kept[at].used = true;
	font->kept[at].wc = wc;
	font->kept[at].attr = attr;
	memset(c, 0, sizeof *c);
	const unsigned bits = glyph_line_bits(g);
	if (bits)
		cell_draw_lines(c, bits);
	else if (wc > L' ' && !cell_draw_block(c, wc))
		cell_draw_character(font, c, wc, attr);
	if (attr & A_UNDERLINE)
		cell_fill(c, 0, CELL_WIDTH, BASELINE + 2, BASELINE + 3, CELL_COVER_MAX);
	return c;
}
