/*
 * json: parses a JSON document, answers queries about it, writes it out compactly and parses that.
 *
 * Behaviour. Code that branches on each byte of its input. The scanning loops (blanks, letters of a
 * string) are short and their trip counts are data: their exits mispredict, and the recursive descent
 * calls and returns all the time. Strings are interned: a hash (a serial chain of multiplies), a
 * table look-up at a random place (a cache miss), then a comparison. The queries walk the tree in
 * the order in which it was built, so next to no misses there: allocation order matters.
 *
 * Input. By default the tz database (time zones of the world, their rules and history), 579 KB of JSON.
 * Usage: json FILE [PATH]...     PATH: keys and indices joined by dots; * stands for every member
 *
 * Expected. A census of the document; for each path what it leads to: one value is printed, of several
 * the number, how many differ, the most frequent one, and the range of those that are numbers; then the
 * size of the compact form and "ok" if parsing that gives an equal tree. Exit status 1 if not.
 *
 * Tour, two minutes: `build/cyclops build/demos/json ...`, then type (or run demos/tours/json.cyc):
 *     tbreak parse_string  the busiest part of the parser
 *     ignore 1 300
 *     continue
 *     step 30
 *     view fetchq          fetch's predictions for each branch
 *     view pipe
 *     view source          the lines that are in flight right now
 *     view cpi
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256, CHUNK_BYTES = 1 << 18, NAMES_LOG2 = 14, NUMBER_MAX = 63 };

enum type { NULL_VALUE, FALSE_VALUE, TRUE_VALUE, NUMBER, STRING, ARRAY, OBJECT, TYPES };

/* An interned string: equal strings are one object, so comparing pointers compares strings. */
struct string {
	struct string *next;	/* in its bucket */
	uint32_t hash, length;
	char bytes[];		/* NUL-terminated, may hold NULs */
};

struct node {
	enum type type;
	uint32_t count;			/* members of an array or object */
	const struct string *key;	/* in the object around it; NULL elsewhere */
	struct node *next;		/* the next member of what is around it */
	union {
		double number;
		const struct string *string;
		struct node *first;
	};
};

struct chunk {
	struct chunk *next;
	size_t used;
	max_align_t bytes[CHUNK_BYTES / sizeof(max_align_t)];
};

struct document {
	struct chunk *chunks;			/* owned, newest first: nodes and strings */
	struct string *names[1 << NAMES_LOG2];
	uint32_t distinct;			/* strings interned */
};

struct parser {
	struct document *document;
	const char *start, *at, *end;
	char *scratch;			/* as long as the text: where a string is put together */
	unsigned depth;
	char error[96];			/* empty as long as all is well */
};

struct buffer {
	char *bytes;			/* owned */
	size_t size, room;
};

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "json: out of memory\n");
		exit(1);
	}
	return memory;
}

/* Memory that lives as long as the document. */
static void *allocate(struct document *d, size_t size)
{
	size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	if (!d->chunks || d->chunks->used + size > CHUNK_BYTES) {
		size_t more = size > CHUNK_BYTES ? size - CHUNK_BYTES : 0;
		struct chunk *c = must(malloc(sizeof *c + more));
		c->next = d->chunks;
		c->used = 0;
		d->chunks = c;
	}
	void *p = (char *)d->chunks->bytes + d->chunks->used;
	d->chunks->used += size;
	return p;
}

static void free_document(struct document *d)
{
	for (struct chunk *c = d->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
}

static const struct string *intern(struct document *d, const char *bytes, size_t length)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
	struct string **bucket = &d->names[(hash ^ hash >> NAMES_LOG2) & ((1u << NAMES_LOG2) - 1)];
	for (struct string *s = *bucket; s; s = s->next)
		if (s->hash == hash && s->length == length && memcmp(s->bytes, bytes, length) == 0)
			return s;
	struct string *s = allocate(d, sizeof *s + length + 1);
	*s = (struct string){.next = *bucket, .hash = hash, .length = (uint32_t)length};
	memcpy(s->bytes, bytes, length);
	s->bytes[length] = '\0';
	*bucket = s;
	d->distinct++;
	return s;
}

/* Notes the first error and where it is; parsing functions then return at once. */
static bool fail(struct parser *p, const char *what)
{
	unsigned line = 1, column = 1;
	for (const char *c = p->start; c < p->at; c++, column++)
		if (*c == '\n') {
			line++;
			column = 0;
		}
	if (!p->error[0])
		snprintf(p->error, sizeof p->error, "%u:%u: %s", line, column, what);
	return false;
}

/* The text ends with a NUL that is no part of it, so looking at one character is always allowed. */
static char skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')
		p->at++;
	return *p->at;
}

static bool parse_hex4(struct parser *p, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		char c = *p->at;
		unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
		if (digit > 15 || (digit > 9 && (c | 32) < 'a'))
			return fail(p, "four hexadecimal digits must follow \\u");
		*out = *out << 4 | digit;
		p->at++;
	}
	return true;
}

static char *put_utf8(char *out, uint32_t code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 63));
		*out++ = (char)(0x80 | (code & 63));
	} else {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 63));
		*out++ = (char)(0x80 | (code >> 6 & 63));
		*out++ = (char)(0x80 | (code & 63));
	}
	return out;
}

/* After a backslash. Writes what it stands for at *out and moves that on. */
static bool parse_escape(struct parser *p, char **out)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	char c = *p->at++;
	const char *found = c ? strchr(letters, c) : NULL;
	if (found) {
		*(*out)++ = meanings[found - letters];
		return true;
	}
	uint32_t code, low;
	if (c != 'u') {
		p->at--;
		return fail(p, "no such escape");
	}
	if (!parse_hex4(p, &code))
		return false;
	if (code >= 0xd800 && code < 0xdc00) {	/* the first half of a surrogate pair */
		if (p->at[0] != '\\' || p->at[1] != 'u')
			return fail(p, "half a surrogate pair");
		p->at += 2;
		if (!parse_hex4(p, &low))
			return false;
		if (low < 0xdc00 || low > 0xdfff)
			return fail(p, "half a surrogate pair");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	*out = put_utf8(*out, code);
	return true;
}

static const struct string *parse_string(struct parser *p)
{
	const char *from = ++p->at;
	while (*p->at != '"' && *p->at != '\\' && (uint8_t)*p->at >= ' ')
		p->at++;
	if (*p->at == '"')	/* the common case: nothing to translate */
		return intern(p->document, from, (size_t)(p->at++ - from));

	size_t plain = (size_t)(p->at - from);
	memcpy(p->scratch, from, plain);
	char *out = p->scratch + plain;
	while (*p->at != '"') {
		if ((uint8_t)*p->at < ' ') {
			fail(p, p->at == p->end ? "string without an end" : "control character in a string");
			return NULL;
		}
		if (*p->at != '\\') {
			*out++ = *p->at++;
			continue;
		}
		p->at++;
		if (!parse_escape(p, &out))
			return NULL;
	}
	p->at++;
	return intern(p->document, p->scratch, (size_t)(out - p->scratch));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parse_number(struct parser *p, double *out)
{
	const char *from = p->at;
	bool negative = *p->at == '-';
	p->at += negative;
	if (!is_digit(*p->at) || (*p->at == '0' && is_digit(p->at[1])))
		return fail(p, "not a number");
	uint64_t digits = 0;
	while (is_digit(*p->at))
		digits = digits * 10 + (uint64_t)(*p->at++ - '0');
	if (*p->at != '.' && *p->at != 'e' && *p->at != 'E' && p->at - from <= 15) {
		*out = negative ? -(double)digits : (double)digits;
		return true;
	}
	if (*p->at == '.') {
		if (!is_digit(*++p->at))
			return fail(p, "a digit must follow the decimal point");
		while (is_digit(*p->at))
			p->at++;
	}
	if (*p->at == 'e' || *p->at == 'E') {
		p->at++;
		p->at += *p->at == '+' || *p->at == '-';
		if (!is_digit(*p->at))
			return fail(p, "a digit must follow the exponent's e");
		while (is_digit(*p->at))
			p->at++;
	}
	if (p->at - from > NUMBER_MAX)
		return fail(p, "number too long");
	*out = strtod(from, NULL);	/* rounds correctly, which a few multiplications would not */
	return isfinite(*out) ? true : fail(p, "number too large");
}

static struct node *parse_value(struct parser *p);

/* The members of an array or object, up to and including the closing bracket. */
static bool parse_members(struct parser *p, struct node *around)
{
	char close = around->type == OBJECT ? '}' : ']';
	struct node **link = &around->first;
	p->at++;
	if (skip_blanks(p) == close) {
		p->at++;
		return true;
	}
	if (++p->depth > DEPTH_MAX)
		return fail(p, "nested too deeply");
	for (;;) {
		const struct string *key = NULL;
		if (close == '}') {
			if (skip_blanks(p) != '"')
				return fail(p, "a key must come here");
			key = parse_string(p);
			if (!key)
				return false;
			if (skip_blanks(p) != ':')
				return fail(p, "a colon must follow the key");
			p->at++;
		}
		struct node *member = parse_value(p);
		if (!member)
			return false;
		member->key = key;
		*link = member;
		link = &member->next;
		around->count++;
		char c = skip_blanks(p);
		if (c != ',' && c != close)
			return fail(p, close == '}' ? "a comma or } must come here" : "a comma or ] must come here");
		p->at++;
		if (c == close)
			break;
	}
	p->depth--;
	return true;
}

/* NULL after an error. */
static struct node *parse_value(struct parser *p)
{
	static const struct {
		const char *text;
		enum type type;
	} words[] = {{"null", NULL_VALUE}, {"false", FALSE_VALUE}, {"true", TRUE_VALUE}};
	char c = skip_blanks(p);
	struct node *n = allocate(p->document, sizeof *n);
	*n = (struct node){.type = NULL_VALUE};
	switch (c) {
	case '{':
	case '[':
		n->type = c == '{' ? OBJECT : ARRAY;
		n->first = NULL;
		return parse_members(p, n) ? n : NULL;
	case '"':
		n->type = STRING;
		n->string = parse_string(p);
		return n->string ? n : NULL;
	case 'n':
	case 'f':
	case 't':
		for (int w = 0; w < 3; w++) {
			size_t length = strlen(words[w].text);
			if (strncmp(p->at, words[w].text, length) == 0) {
				p->at += length;
				n->type = words[w].type;
				return n;
			}
		}
		fail(p, "not a value");
		return NULL;
	default:
		n->type = NUMBER;
		return parse_number(p, &n->number) ? n : NULL;
	}
}

/* Parses `size` bytes that a NUL follows; NULL and a message on stdout if they are not JSON. */
static struct node *parse(struct document *d, const char *name, const char *text, size_t size)
{
	struct parser p = {.document = d, .start = text, .at = text, .end = text + size};
	p.scratch = must(malloc(size + 1));
	struct node *root = parse_value(&p);
	skip_blanks(&p);
	if (root && p.at != p.end)
		root = fail(&p, "something follows the value") ? root : NULL;
	if (!root)
		printf("%s:%s\n", name, p.error);
	free(p.scratch);
	return root;
}

__attribute__((format(printf, 2, 3))) static void emit(struct buffer *b, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	b->size += (size_t)vsnprintf(b->bytes + b->size, b->room - b->size, format, arguments);
	va_end(arguments);
}

static void reserve(struct buffer *b, size_t more)
{
	if (b->size + more > b->room) {
		b->room = 2 * (b->size + more);
		b->bytes = must(realloc(b->bytes, b->room));
	}
}

static void write_string(struct buffer *b, const struct string *s)
{
	reserve(b, 6 * (size_t)s->length + 3);
	b->bytes[b->size++] = '"';
	for (uint32_t i = 0; i < s->length; i++) {
		char c = s->bytes[i];
		if (c == '"' || c == '\\') {
			b->bytes[b->size++] = '\\';
			b->bytes[b->size++] = c;
		} else if ((uint8_t)c < ' ') {
			emit(b, "\\u%04x", (unsigned)c);
		} else {
			b->bytes[b->size++] = c;
		}
	}
	b->bytes[b->size++] = '"';
}

static void write_number(struct buffer *b, double number)
{
	char digits[24], *d = digits + sizeof digits;
	if (fabs(number) < 1e15 && number == (double)(int64_t)number && !(number == 0 && signbit(number))) {
		uint64_t left = (uint64_t)fabs(number);
		do
			*--d = (char)('0' + left % 10);
		while (left /= 10);
		if (number < 0)
			*--d = '-';
		memcpy(b->bytes + b->size, d, (size_t)(digits + sizeof digits - d));
		b->size += (size_t)(digits + sizeof digits - d);
		return;
	}
	/* The shorter form, if it is the same number when read again. */
	snprintf(digits, sizeof digits, "%.15g", number);
	emit(b, strtod(digits, NULL) == number ? "%.15g" : "%.17g", number);
}

static void write_value(struct buffer *b, const struct node *n)
{
	static const char *const words[] = {"null", "false", "true"};
	reserve(b, 64);
	switch (n->type) {
	case NUMBER:
		write_number(b, n->number);
		break;
	case STRING:
		write_string(b, n->string);
		break;
	case ARRAY:
	case OBJECT:
		b->bytes[b->size++] = n->type == ARRAY ? '[' : '{';
		for (const struct node *m = n->first; m; m = m->next) {
			if (m->key) {
				write_string(b, m->key);
				b->bytes[b->size++] = ':';
			}
			write_value(b, m);
			reserve(b, 2);
			if (m->next)
				b->bytes[b->size++] = ',';
		}
		b->bytes[b->size++] = n->type == ARRAY ? ']' : '}';
		break;
	default:
		emit(b, "%s", words[n->type]);
	}
}

static bool equal_strings(const struct string *a, const struct string *b)
{
	return a == b || (a && b && a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0);
}

static bool equal(const struct node *a, const struct node *b)
{
	if (a->type != b->type || a->count != b->count || !equal_strings(a->key, b->key))
		return false;
	if (a->type == NUMBER)
		return a->number == b->number;
	if (a->type == STRING)
		return equal_strings(a->string, b->string);
	if (a->type != ARRAY && a->type != OBJECT)
		return true;
	const struct node *m = a->first, *n = b->first;
	for (; m && n && equal(m, n); m = m->next)
		n = n->next;
	return !m && !n;
}

static unsigned census(const struct node *n, uint32_t counts[TYPES])
{
	unsigned deepest = 0;
	counts[n->type]++;
	for (const struct node *m = n->type >= ARRAY ? n->first : NULL; m; m = m->next) {
		unsigned depth = 1 + census(m, counts);
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

/* Collects what the path leads to from `n`. Returns how many there are by now; `found` has room for all. */
static size_t follow(const struct node *n, const char *path, const struct node **found, size_t count)
{
	if (!*path) {
		found[count] = n;
		return count + 1;
	}
	size_t length = strcspn(path, ".");
	const char *rest = path[length] ? path + length + 1 : path + length;
	bool every = length == 1 && *path == '*';
	uint32_t index = 0;
	for (const struct node *m = n->type >= ARRAY ? n->first : NULL; m; m = m->next, index++) {
		if (every || (m->key && m->key->length == length && memcmp(m->key->bytes, path, length) == 0) ||
		    (!m->key && is_digit(*path) && strtoul(path, NULL, 10) == index))
			count = follow(m, rest, found, count);
	}
	return count;
}

/* Any order will do in which equal scalars are neighbours; interned strings are equal if their addresses are. */
static int by_value(const void *left, const void *right)
{
	const struct node *a = *(const struct node *const *)left, *b = *(const struct node *const *)right;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->type == NUMBER)
		return (a->number > b->number) - (a->number < b->number);
	if (a->type == STRING)
		return strcmp(a->string->bytes, b->string->bytes);
	return 0;
}

static void query(const struct node *root, const char *path, const struct node **found)
{
	struct buffer b = {NULL, 0, 0};
	size_t count = follow(root, path, found, 0);
	printf("%s: ", path);
	if (count == 0) {
		printf("nothing\n");
		return;
	}
	if (count == 1) {
		write_value(&b, found[0]);
		printf("%.*s\n", (int)b.size, b.bytes);
		free(b.bytes);
		return;
	}
	qsort(found, count, sizeof *found, by_value);
	size_t distinct = 0, most = 0, run = 0;
	const struct node *frequent = NULL;
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		run = i > 0 && by_value(&found[i - 1], &found[i]) == 0 ? run + 1 : 1;
		distinct += run == 1;
		if (run > most) {
			most = run;
			frequent = found[i];
		}
		if (found[i]->type == NUMBER) {
			low = fmin(low, found[i]->number);
			high = fmax(high, found[i]->number);
		}
	}
	printf("%zu values, %zu different", count, distinct);
	if (frequent->type < ARRAY) {
		write_value(&b, frequent);
		printf(", %zu times %.*s", most, (int)b.size, b.bytes);
	}
	if (low <= high)
		printf(", from %.6g to %.6g", low, high);
	printf("\n");
	free(b.bytes);
}

/* Reads a whole file and puts a NUL after it; NULL when it cannot. The caller owns it. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		exit(1);
	}
	*size = (size_t)ftell(file);
	rewind(file);
	char *text = must(malloc(*size + 1));
	*size = fread(text, 1, *size, file);
	text[*size] = '\0';
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	static struct document document, again;
	if (argc < 2) {
		fprintf(stderr, "usage: json FILE [PATH]...\n");
		return 2;
	}
	size_t size;
	char *text = read_file(argv[1], &size);
	const struct node *root = parse(&document, argv[1], text, size);
	bool ok = root != NULL;
	if (root) {
		uint32_t counts[TYPES] = {0}, total = 0;
		unsigned depth = census(root, counts);
		for (int t = 0; t < TYPES; t++)
			total += counts[t];
		printf("%zu bytes: %u objects, %u arrays, %u strings (%u different, keys included), %u numbers, depth %u\n",
		       size, counts[OBJECT], counts[ARRAY], counts[STRING], document.distinct, counts[NUMBER], depth);
		const struct node **found = must(malloc(total * sizeof *found));
		for (int a = 2; a < argc; a++)
			query(root, argv[a], found);
		free(found);

		struct buffer b = {NULL, 0, 0};
		write_value(&b, root);
		reserve(&b, 1);
		b.bytes[b.size] = '\0';
		const struct node *copy = parse(&again, "compact form", b.bytes, b.size);
		ok = copy && equal(root, copy);
		printf("compact: %zu bytes, %s\n", b.size, ok ? "ok" : "WRONG");
		free(b.bytes);
	}
	free_document(&document);
	free_document(&again);
	free(text);
	return !ok;
}
