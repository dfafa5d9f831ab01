/*
 * regex: counts the lines that match regular expressions, with automata that are built as they are used.
 *
 * Behaviour. The hot loop (match_line) does one table look-up a byte: load the byte, load its class, load
 * the next state. The last is a chain - each state's row depends on the state before - so a byte takes
 * the latency of a load and an add; beside it the machine has slots to spare. The branches of that loop
 * are easy: the end of a line is the only surprise. A miss in the table leaves for quite another program
 * (next_state): sets, hashing, list walking; it runs once for each entry, so with time the phases settle.
 * A pattern like (a|e).......(x|z) needs hundreds of states: watch the L1 data cache as the table grows.
 *
 * Input. Patterns, one a line, and a text; by default five patterns over a word list.
 * Usage: regex PATTERNS TEXT
 *
 * Expected. For each pattern the number of matching lines - what grep -E -c prints - the states that were
 * built, and the first match. Some lines are tried a second time by following all
 * nondeterministic states at once, which must agree. Exit status 1 if it does not.
 *
 * Syntax: literals . [a-z] [^a-z] ( ) | * + ? ^ $ and \ before any of these. A line is matched with the
 * newline before it and its own, so ^ and $ are no more than a newline to be found.
 *
 * Tour, two minutes: `build/cyclops build/demos/regex ...`, then type (or run demos/tours/regex.cyc):
 *     tbreak regex.c:392  the automaton
 *     ignore 1 100000     ... after 100,000 bytes
 *     continue
 *     step 60
 *     view pipe           table[state + class]: addw, slli, srli, add, lw, and then the next addw
 *     why all             the chain in words
 *     view cpi            l1d is 19% of all cycles, dependency 10%
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NFA_MAX = 512, DFA_MAX = 4096, CLASSES_MAX = 256, SET_WORDS = NFA_MAX / 64, BUCKETS = 1024 };
enum { NONE = 0xffff, CHECK_EVERY = 257 };
#define UNKNOWN UINT32_MAX

enum kind { BYTES, SPLIT, MATCH };

struct nfa_state {
	enum kind kind;
	uint64_t bytes[4];	/* BYTES: which ones lead to next[0] */
	uint16_t next[2];	/* SPLIT: both, for free */
};

/* A piece of automaton: enter at `start`; `loose` is a list of next fields that still lead nowhere. */
struct piece {
	uint16_t start, loose;	/* loose = 2 * state + which, chained through the fields themselves */
};

struct state_set {
	uint64_t member[SET_WORDS];
};

struct regex {
	struct nfa_state nfa[NFA_MAX];
	uint16_t nfa_count, start;	/* the last state is MATCH */
	uint8_t class_of[256];		/* bytes that no BYTES state distinguishes share a class */
	uint8_t representative[CLASSES_MAX];
	unsigned classes;
	/* The deterministic automaton so far. */
	uint32_t *row;			/* owned: [DFA_MAX][classes]: where the next state's row begins, or UNKNOWN */
	struct state_set *sets;		/* owned: [DFA_MAX] */
	uint16_t chain[DFA_MAX], bucket[BUCKETS];
	uint16_t dfa_count;
	uint32_t line_start, matched;	/* rows of the state in which a line begins, and of the one that matched */
	unsigned flushes;
};

struct parser {
	struct regex *regex;
	const char *at;
	const char *error;		/* NULL as long as all is well */
};

static struct piece parse_alternatives(struct parser *p);

static uint16_t add_state(struct parser *p, enum kind kind, uint16_t first, uint16_t second)
{
	struct regex *r = p->regex;
	if (r->nfa_count == NFA_MAX) {
		p->error = "pattern too long";
		return 0;
	}
	r->nfa[r->nfa_count] = (struct nfa_state){.kind = kind, .next = {first, second}};
	return r->nfa_count++;
}

static uint16_t *field(struct regex *r, uint16_t loose)
{
	return &r->nfa[loose / 2].next[loose & 1];
}

/* Lets all loose ends lead to a state. */
static void connect(struct regex *r, uint16_t loose, uint16_t to)
{
	while (loose != NONE) {
		uint16_t *f = field(r, loose), next = *f;
		*f = to;
		loose = next;
	}
}

static uint16_t join(struct regex *r, uint16_t a, uint16_t b)
{
	uint16_t last = a;
	while (*field(r, last) != NONE)
		last = *field(r, last);
	*field(r, last) = b;
	return a;
}

static void include(uint64_t bytes[4], unsigned from, unsigned to)
{
	for (unsigned b = from; b <= to; b++)
		bytes[b / 64] |= 1ull << b % 64;
}

static void invert(uint64_t bytes[4])
{
	for (int i = 0; i < 4; i++)
		bytes[i] = ~bytes[i];
	bytes[0] &= ~(1ull << '\n');	/* no set reaches beyond its line */
}

/* After the opening bracket. */
static void parse_set(struct parser *p, uint64_t bytes[4])
{
	bool negated = *p->at == '^';
	p->at += negated;
	bool first = true;
	for (; *p->at && (*p->at != ']' || first); first = false) {
		unsigned from = (uint8_t)*p->at++, to = from;
		if (*p->at == '-' && p->at[1] && p->at[1] != ']') {
			to = (uint8_t)p->at[1];
			p->at += 2;
		}
		include(bytes, from, to);
	}
	if (*p->at == ']')
		p->at++;
	else
		p->error = "set without ]";
	if (negated)
		invert(bytes);
}

static struct piece parse_atom(struct parser *p)
{
	if (*p->at == '(') {
		p->at++;
		struct piece inside = parse_alternatives(p);
		if (*p->at == ')')
			p->at++;
		else
			p->error = "( without )";
		return inside;
	}
	uint16_t s = add_state(p, BYTES, NONE, NONE);
	uint64_t *bytes = p->regex->nfa[s].bytes;
	char c = *p->at++;
	switch (c) {
	case '.':
		invert(bytes);
		break;
	case '[':
		parse_set(p, bytes);
		break;
	case '^':
	case '$':
		include(bytes, '\n', '\n');
		break;
	case '*':
	case '+':
	case '?':
		p->error = "nothing to repeat";
		break;
	case '\\':
		if (!*p->at) {
			p->error = "nothing after the backslash";
			break;
		}
		c = *p->at++;
		/* fall through */
	default:
		include(bytes, (uint8_t)c, (uint8_t)c);
	}
	return (struct piece){s, (uint16_t)(2 * s)};
}

static struct piece parse_repeat(struct parser *p)
{
	struct piece a = parse_atom(p);
	while (!p->error && (*p->at == '*' || *p->at == '+' || *p->at == '?')) {
		char c = *p->at++;
		uint16_t split = add_state(p, SPLIT, a.start, NONE), out = (uint16_t)(2 * split + 1);
		if (c == '?') {
			a = (struct piece){split, join(p->regex, a.loose, out)};
		} else {
			connect(p->regex, a.loose, split);
			a = (struct piece){c == '+' ? a.start : split, out};
		}
	}
	return a;
}

static struct piece parse_sequence(struct parser *p)
{
	/* An empty sequence is a split whose two ways are one. */
	if (!*p->at || *p->at == '|' || *p->at == ')') {
		uint16_t s = add_state(p, SPLIT, NONE, NONE);
		return (struct piece){s, join(p->regex, (uint16_t)(2 * s), (uint16_t)(2 * s + 1))};
	}
	struct piece all = parse_repeat(p);
	while (!p->error && *p->at && *p->at != '|' && *p->at != ')') {
		struct piece next = parse_repeat(p);
		connect(p->regex, all.loose, next.start);
		all.loose = next.loose;
	}
	return all;
}

static struct piece parse_alternatives(struct parser *p)
{
	struct piece all = parse_sequence(p);
	while (!p->error && *p->at == '|') {
		p->at++;
		struct piece other = parse_sequence(p);
		all.start = add_state(p, SPLIT, all.start, other.start);
		all.loose = join(p->regex, all.loose, other.loose);
	}
	return all;
}

static bool has(const struct state_set *set, unsigned state)
{
	return set->member[state / 64] >> state % 64 & 1;
}

static bool has_byte(const struct nfa_state *s, unsigned byte)
{
	return s->bytes[byte / 64] >> byte % 64 & 1;
}

/* Adds a state and what it reaches for free. */
static void enter(const struct regex *r, struct state_set *set, uint16_t state)
{
	while (!has(set, state)) {
		set->member[state / 64] |= 1ull << state % 64;
		if (r->nfa[state].kind != SPLIT)
			return;
		enter(r, set, r->nfa[state].next[1]);
		state = r->nfa[state].next[0];
	}
}

/*
 * Where a set of states gets by one byte. A match may begin anywhere, so the start is always entered; after
 * a match nothing else counts. MATCH is the last state of the automaton.
 */
static void advance(const struct regex *r, const struct state_set *from, unsigned byte, struct state_set *to)
{
	memset(to, 0, sizeof *to);
	uint16_t match = (uint16_t)(r->nfa_count - 1);
	if (has(from, match)) {
		enter(r, to, match);
		return;
	}
	for (unsigned word = 0; word < SET_WORDS; word++)
		for (uint64_t left = from->member[word]; left; left &= left - 1) {
			const struct nfa_state *s = &r->nfa[64 * word + (unsigned)__builtin_ctzll(left)];
			if (s->kind == BYTES && has_byte(s, byte))
				enter(r, to, s->next[0]);
		}
	enter(r, to, r->start);
	if (has(to, match)) {
		memset(to, 0, sizeof *to);
		enter(r, to, match);
	}
}

/* The row of the deterministic state that stands for a set, which is made if there is none yet. */
static uint32_t intern(struct regex *r, const struct state_set *set)
{
	uint64_t hash = 0;
	for (unsigned w = 0; w < SET_WORDS; w++)
		hash = (hash ^ set->member[w]) * 0x9e3779b97f4a7c15u;
	uint16_t *bucket = &r->bucket[hash >> 54];
	for (uint16_t s = *bucket; s != NONE; s = r->chain[s])
		if (memcmp(&r->sets[s], set, sizeof *set) == 0)
			return s * r->classes;
	uint16_t s = r->dfa_count++;
	r->sets[s] = *set;
	r->chain[s] = *bucket;
	*bucket = s;
	return s * r->classes;
}

/* The states after the newline before a line. */
static struct state_set start_line(const struct regex *r)
{
	struct state_set before, set;
	memset(&before, 0, sizeof before);
	enter(r, &before, r->start);
	advance(r, &before, '\n', &set);
	return set;
}

/* Forgets all deterministic states but the two that every line needs. */
static void start_afresh(struct regex *r)
{
	struct state_set start = start_line(r), match;
	memset(&match, 0, sizeof match);
	enter(r, &match, (uint16_t)(r->nfa_count - 1));
	memset(r->bucket, 0xff, sizeof r->bucket);
	memset(r->row, 0xff, sizeof *r->row * DFA_MAX * r->classes);
	r->dfa_count = 0;
	r->line_start = intern(r, &start);
	r->matched = intern(r, &match);
}

/* Fills in a missing entry of the table. When the table is full, it is started afresh. */
static uint32_t next_state(struct regex *r, uint32_t row, unsigned class)
{
	struct state_set set;
	advance(r, &r->sets[row / r->classes], r->representative[class], &set);
	if (r->dfa_count == DFA_MAX) {
		start_afresh(r);
		r->flushes++;
		return intern(r, &set);
	}
	return r->row[row + class] = intern(r, &set);
}

/* Splits the bytes into classes: two bytes are in one if every BYTES state has both or neither. */
static void find_classes(struct regex *r)
{
	r->classes = 0;
	for (unsigned byte = 0; byte < 256; byte++) {
		unsigned class = 0;
		for (; class < r->classes; class++) {
			bool same = true;
			for (uint16_t s = 0; s < r->nfa_count && same; s++)
				same = has_byte(&r->nfa[s], byte) == has_byte(&r->nfa[s], r->representative[class]);
			if (same)
				break;
		}
		if (class == r->classes)
			r->representative[r->classes++] = (uint8_t)byte;
		r->class_of[byte] = (uint8_t)class;
	}
}

/* Returns NULL, or what is wrong with the pattern. The caller frees with regex_deinit in any case. */
static const char *regex_init(struct regex *r, const char *pattern)
{
	memset(r, 0, sizeof *r);
	struct parser p = {r, pattern, NULL};
	struct piece all = parse_alternatives(&p);
	if (!p.error && *p.at)
		p.error = ") without (";
	uint16_t match = add_state(&p, MATCH, NONE, NONE);
	if (p.error)
		return p.error;
	connect(r, all.loose, match);
	r->start = all.start;
	find_classes(r);
	r->row = malloc(sizeof *r->row * DFA_MAX * r->classes);
	r->sets = malloc(sizeof *r->sets * DFA_MAX);
	if (!r->row || !r->sets)
		return "out of memory";
	start_afresh(r);
	return NULL;
}

static void regex_deinit(struct regex *r)
{
	free(r->row);
	free(r->sets);
}

/* Whether the line matches; *next becomes the start of the next one. */
static bool match_line(struct regex *r, const uint8_t *line, const uint8_t **next)
{
	uint32_t row = r->line_start;
	unsigned byte;
	do {
		byte = *line++;
		unsigned class = r->class_of[byte];
		uint32_t to = r->row[row + class];
		row = to != UNKNOWN ? to : next_state(r, row, class);
	} while (byte != '\n');
	*next = line;
	return row == r->matched;
}

/* The same, by definition instead of by table. */
static bool match_line_slowly(const struct regex *r, const uint8_t *line)
{
	struct state_set now = start_line(r), next;
	unsigned byte;
	do {
		byte = *line++;
		advance(r, &now, byte, &next);
		now = next;
	} while (byte != '\n');
	return has(&now, r->nfa_count - 1u);
}

static bool run(const char *pattern, const uint8_t *text, const uint8_t *end)
{
	static struct regex r;
	const char *error = regex_init(&r, pattern);
	if (error) {
		printf("%s: %s\n", pattern, error);
		regex_deinit(&r);
		return false;
	}
	unsigned matches = 0, lines = 0;
	bool agree = true;
	const uint8_t *first = NULL;
	for (const uint8_t *line = text, *next; line < end; line = next, lines++) {
		bool found = match_line(&r, line, &next);
		if (lines % CHECK_EVERY == 0)
			agree &= found == match_line_slowly(&r, line);
		if (found && matches++ == 0)
			first = line;
	}
	printf("%-48s %6u lines, %4u states, %3u classes, %s", pattern, matches, r.dfa_count, r.classes,
	       agree ? "ok" : "WRONG");
	if (r.flushes)
		printf(", %u times afresh", r.flushes);
	if (first)
		printf(", %.*s", (int)strcspn((const char *)first, "\n"), (const char *)first);
	printf("\n");
	regex_deinit(&r);
	return agree;
}

int main(int argc, char **argv)
{
	FILE *patterns = argc == 3 ? fopen(argv[1], "r") : NULL, *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
	if (!patterns || !file || fseek(file, 0, SEEK_END) != 0) {
		if (argc == 3)
			perror(patterns ? argv[2] : argv[1]);
		else
			fprintf(stderr, "usage: regex PATTERNS TEXT\n");
		return 2;
	}
	size_t size = (size_t)ftell(file);
	rewind(file);
	uint8_t *text = malloc(size + 2);
	if (!text || fread(text, 1, size, file) != size) {
		fprintf(stderr, "%s: not readable\n", argv[2]);
		return 2;
	}
	fclose(file);
	if (size && text[size - 1] != '\n')
		text[size++] = '\n';
	text[size] = '\0';

	bool ok = true;
	char line[256];
	while (fgets(line, sizeof line, patterns)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0])
			ok &= run(line, text, text + size);
	}
	fclose(patterns);
	free(text);
	return !ok;
}
