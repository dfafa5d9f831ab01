/*
 * lisp: a Lisp interpreter with a mark-and-sweep garbage collector.
 *
 * Behaviour. Programs that interpret programs. Every variable is found by walking a list of
 * bindings, and every cell's address comes out of another cell: loads that wait for loads (pointer
 * chasing). New bindings lie close together and mostly hit the L1, so it is the L1's latency that adds up
 * (cpi.l1d), and a wide machine still finds other work. eval_form() dispatches on data: its switch is one indirect
 * jump with many targets, which a branch target buffer predicts badly without the history. Calls
 * nest deeper than a return address stack. The collector is a change of phase: marking chases
 * pointers over the whole heap, sweeping streams through it; the heap (256 KB by default) exceeds the L1.
 *
 * Input. Files of Lisp: queens.lisp (counts solutions of the n-queens problem), deriv.lisp
 * (differentiates and simplifies formulas), meta.lisp (a Lisp evaluator in Lisp, running factorial).
 * Usage: lisp [-c CELLS] FILE...
 *
 * Expected. The programs' output - 7 queens have 40 solutions, the derivatives are those of the
 * textbook, the interpreted interpreter's 10! is 3628800 - then evaluations, cells and collections.
 *
 * The language: integers of 61 bits, symbols, pairs, nil (false, the empty list), closures with
 * static scope; quote if cond and or define set! lambda let begin; tail calls take no stack.
 * A value is a word whose low three bits are its kind; see enum tag.
 *
 * Tour, two minutes: `build/cyclops build/demos/lisp ...`, then type (or run demos/tours/lisp.cyc):
 *     tbreak eval_form  the interpreter's heart
 *     ignore 1 1000
 *     continue
 *     finish            back in its caller: an indirect jump or a return
 *     view ras          the return stack that predicted it
 *     view btb          and the buffer for the other jumps
 *     step 20
 *     why all           chains of instructions that wait for loads
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t value;

/*
 *   63                                  3 2 0
 *  | address, or number, or operation    | tag |
 */
enum tag { PAIR, FIXNUM, SYMBOL, CLOSURE, PRIMITIVE, OTHER };

enum { TAG_MASK = 7, ROOTS_MAX = 1 << 16, NAME_MAX_LENGTH = 63, SYMBOL_BUCKETS = 256 };

#define NIL ((value)OTHER)
#define UNBOUND ((value)OTHER + 8)
#define END_OF_FILE ((value)OTHER + 16)

struct cell {
	value car, cdr;		/* of a closure: (parameters . body) and the environment */
};

enum special {
	NOT_SPECIAL, QUOTE, IF, COND, AND, OR, DEFINE, SET, LAMBDA, LET, BEGIN, SPECIALS
};

struct symbol {
	value global;		/* UNBOUND until defined */
	struct symbol *next;	/* in its hash bucket */
	enum special special;
	char name[NAME_MAX_LENGTH + 1];
};

struct primitive {
	const char *name;
	int arguments;		/* how many; -1 = any number */
	value (*run)(const value *arg, size_t count);
};

static struct {
	struct cell *cells;	/* owned, [cell_count] */
	uint8_t *marked;	/* owned, [cell_count] */
	value *mark_stack;	/* owned, [cell_count]: each cell is pushed at most once */
	size_t cell_count;
	value free;		/* free cells, chained by cdr */
	value roots[ROOTS_MAX];	/* what the interpreter holds outside the heap, innermost last */
	size_t root_count;
	struct symbol *buckets[SYMBOL_BUCKETS];
	value truth;		/* the symbol t */
	uint64_t evaluations, allocated, collections, freed;
} lisp;

static value list_of(const value *arg, size_t count);
static void print_value(value v);

static enum tag tag_of(value v)
{
	return (enum tag)(v & TAG_MASK);
}

static struct cell *cell_of(value v)
{
	return (struct cell *)(uintptr_t)(v & ~(value)TAG_MASK);
}

static struct symbol *symbol_of(value v)
{
	return (struct symbol *)(uintptr_t)(v & ~(value)TAG_MASK);
}

static int64_t number_of(value v)
{
	return (int64_t)v >> 3;
}

static value fixnum(int64_t n)
{
	return (value)n << 3 | FIXNUM;
}

_Noreturn static void fail(const char *what, value culprit)
{
	printf("error: %s: ", what);
	print_value(culprit);
	printf("\n");
	exit(1);
}

static value car(value v)
{
	if (tag_of(v) != PAIR)
		fail("not a pair", v);
	return cell_of(v)->car;
}

static value cdr(value v)
{
	if (tag_of(v) != PAIR)
		fail("not a pair", v);
	return cell_of(v)->cdr;
}

static value push(value v)
{
	if (lisp.root_count == ROOTS_MAX)
		fail("too deeply nested", NIL);
	return lisp.roots[lisp.root_count++] = v;
}

/* Marks a cell and queues it, unless that has been done or `v` is no cell. */
static size_t visit(value v, size_t depth)
{
	if (tag_of(v) != PAIR && tag_of(v) != CLOSURE)
		return depth;
	size_t index = (size_t)(cell_of(v) - lisp.cells);
	if (!lisp.marked[index]) {
		lisp.marked[index] = 1;
		lisp.mark_stack[depth++] = v;
	}
	return depth;
}

static void mark(value v)
{
	size_t depth = visit(v, 0);
	while (depth > 0) {
		struct cell *cell = cell_of(lisp.mark_stack[--depth]);
		depth = visit(cell->car, depth);
		depth = visit(cell->cdr, depth);
	}
}

static void collect(void)
{
	lisp.collections++;
	memset(lisp.marked, 0, lisp.cell_count);
	for (size_t i = 0; i < lisp.root_count; i++)
		mark(lisp.roots[i]);
	for (size_t b = 0; b < SYMBOL_BUCKETS; b++)
		for (struct symbol *s = lisp.buckets[b]; s; s = s->next)
			mark(s->global);

	lisp.free = NIL;
	for (size_t i = lisp.cell_count; i-- > 0;) {
		if (lisp.marked[i])
			continue;
		lisp.cells[i].cdr = lisp.free;
		lisp.free = (value)(uintptr_t)&lisp.cells[i] | PAIR;
		lisp.freed++;
	}
}

static value cons(value a, value d)
{
	if (lisp.free == NIL) {
		push(a);
		push(d);
		collect();
		lisp.root_count -= 2;
		if (lisp.free == NIL)
			fail("out of cells", fixnum((int64_t)lisp.cell_count));
	}
	value v = lisp.free;
	struct cell *cell = cell_of(v);
	lisp.free = cell->cdr;
	cell->car = a;
	cell->cdr = d;
	lisp.allocated++;
	return v;
}

static value intern(const char *name)
{
	unsigned hash = 5381;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	struct symbol **bucket = &lisp.buckets[hash % SYMBOL_BUCKETS];
	for (struct symbol *s = *bucket; s; s = s->next)
		if (strcmp(s->name, name) == 0)
			return (value)(uintptr_t)s | SYMBOL;
	struct symbol *s = malloc(sizeof *s);
	if (!s)
		fail("out of memory", NIL);
	*s = (struct symbol){.global = UNBOUND, .next = *bucket};
	snprintf(s->name, sizeof s->name, "%s", name);
	*bucket = s;
	return (value)(uintptr_t)s | SYMBOL;
}

static int skip_blanks(FILE *in)
{
	int c;
	while ((c = getc(in)) != EOF) {
		if (c == ';')
			while ((c = getc(in)) != EOF && c != '\n')
				;
		else if (!isspace(c))
			break;
	}
	return c;
}

/* Reads one datum; END_OF_FILE when there is none. The result is not rooted. */
static value read_value(FILE *in)
{
	int c = skip_blanks(in);
	if (c == EOF)
		return END_OF_FILE;
	size_t base = lisp.root_count;
	if (c == '\'') {
		value quoted[2] = {intern("quote"), push(read_value(in))};
		value v = list_of(quoted, 2);
		lisp.root_count = base;
		return v;
	}
	if (c == '(') {
		value tail = NIL;
		while ((c = skip_blanks(in)) != ')') {
			if (c == EOF)
				fail("unexpected end of file", NIL);
			if (c == '.') {
				tail = push(read_value(in));
				lisp.root_count--;
				if (skip_blanks(in) != ')')
					fail("more than one datum after the dot", tail);
				break;
			}
			ungetc(c, in);
			push(read_value(in));
		}
		while (lisp.root_count > base) {
			tail = cons(lisp.roots[lisp.root_count - 1], tail);
			lisp.root_count--;
		}
		return tail;
	}

	char name[NAME_MAX_LENGTH + 1];
	size_t length = 0;
	for (; c != EOF && !isspace(c) && c != '(' && c != ')' && c != ';'; c = getc(in))
		if (length < NAME_MAX_LENGTH)
			name[length++] = (char)c;
	name[length] = '\0';
	if (c != EOF)
		ungetc(c, in);
	if (length == 0)
		fail("unexpected )", NIL);
	if (isdigit((unsigned char)name[0]) || (name[0] == '-' && isdigit((unsigned char)name[1])))
		return fixnum(strtoll(name, NULL, 10));
	return strcmp(name, "nil") == 0 ? NIL : intern(name);
}

static void print_value(value v)
{
	switch (tag_of(v)) {
	case FIXNUM:
		printf("%lld", (long long)number_of(v));
		break;
	case SYMBOL:
		printf("%s", symbol_of(v)->name);
		break;
	case PAIR:
		for (char before = '('; tag_of(v) == PAIR; v = cell_of(v)->cdr, before = ' ') {
			putchar(before);
			print_value(cell_of(v)->car);
		}
		if (v != NIL) {
			printf(" . ");
			print_value(v);
		}
		putchar(')');
		break;
	case CLOSURE:
		printf("#<closure>");
		break;
	case PRIMITIVE:
		printf("#<primitive>");
		break;
	default:
		printf("nil");
	}
}

static int64_t number(value v)
{
	if (tag_of(v) != FIXNUM)
		fail("not a number", v);
	return number_of(v);
}

static value boolean(bool b)
{
	return b ? lisp.truth : NIL;
}

/* Unsigned inside: numbers wrap instead of overflowing. */
static value do_add(const value *a, size_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (uint64_t)number(a[i]);
	return fixnum((int64_t)sum);
}

static value do_subtract(const value *a, size_t n)
{
	(void)n;
	return fixnum((int64_t)((uint64_t)number(a[0]) - (uint64_t)number(a[1])));
}

static value do_multiply(const value *a, size_t n)
{
	uint64_t product = 1;
	for (size_t i = 0; i < n; i++)
		product *= (uint64_t)number(a[i]);
	return fixnum((int64_t)product);
}

static value do_quotient(const value *a, size_t n)
{
	(void)n;
	if (number(a[1]) == 0)
		fail("division by zero", a[0]);
	return fixnum(number(a[0]) / number(a[1]));
}

static value do_remainder(const value *a, size_t n)
{
	(void)n;
	if (number(a[1]) == 0)
		fail("division by zero", a[0]);
	return fixnum(number(a[0]) % number(a[1]));
}

static value do_less(const value *a, size_t n) { (void)n; return boolean(number(a[0]) < number(a[1])); }
static value do_equal(const value *a, size_t n) { (void)n; return boolean(number(a[0]) == number(a[1])); }
static value do_eq(const value *a, size_t n) { (void)n; return boolean(a[0] == a[1]); }
static value do_cons(const value *a, size_t n) { (void)n; return cons(a[0], a[1]); }
static value do_car(const value *a, size_t n) { (void)n; return car(a[0]); }
static value do_cdr(const value *a, size_t n) { (void)n; return cdr(a[0]); }
static value do_null(const value *a, size_t n) { (void)n; return boolean(a[0] == NIL); }
static value do_pair(const value *a, size_t n) { (void)n; return boolean(tag_of(a[0]) == PAIR); }
static value do_symbol(const value *a, size_t n) { (void)n; return boolean(tag_of(a[0]) == SYMBOL); }
static value do_number(const value *a, size_t n) { (void)n; return boolean(tag_of(a[0]) == FIXNUM); }

static value do_print(const value *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			putchar(' ');
		print_value(a[i]);
	}
	putchar('\n');
	return NIL;
}

/* The arguments are on the root stack, so they live through a collection. */
static value list_of(const value *arg, size_t count)
{
	value list = NIL;
	while (count-- > 0)
		list = cons(arg[count], list);
	return list;
}

static const struct primitive primitives[] = {
	{"+", -1, do_add},	   {"-", 2, do_subtract},     {"*", -1, do_multiply}, {"quotient", 2, do_quotient},
	{"<", 2, do_less},	   {"=", 2, do_equal},	      {"eq?", 2, do_eq},      {"remainder", 2, do_remainder},
	{"cons", 2, do_cons},	   {"car", 1, do_car},	      {"cdr", 1, do_cdr},     {"list", -1, list_of},
	{"null?", 1, do_null},	   {"not", 1, do_null},	      {"pair?", 1, do_pair},  {"symbol?", 1, do_symbol},
	{"number?", 1, do_number}, {"print", -1, do_print},
};

static value *find_binding(value name, value env)
{
	for (; env != NIL; env = cell_of(env)->cdr) {
		struct cell *binding = cell_of(cell_of(env)->car);
		if (binding->car == name)
			return &binding->cdr;
	}
	if (symbol_of(name)->global == UNBOUND)
		fail("undefined", name);
	return &symbol_of(name)->global;
}

/* Binds the parameters to the arguments, which are on the root stack; an environment is a list of pairs. */
static value bind(value closure, const value *arg, size_t count)
{
	value env = cell_of(closure)->cdr;
	value name = car(cell_of(closure)->car);
	for (size_t i = 0; i < count; i++, name = cdr(name)) {
		value pair = cons(car(name), arg[i]);
		push(pair);
		env = cons(pair, env);
		lisp.roots[lisp.root_count - 1] = env;
	}
	if (name != NIL)
		fail("too few arguments for", name);
	return env;
}

static value make_closure(value parameters, value body, value env)
{
	value code = push(cons(parameters, body));
	value closure = cons(code, env);
	lisp.root_count--;
	return (closure & ~(value)TAG_MASK) | CLOSURE;
}

static value eval_form(value x, value env);

/* Variables and constants are most of what there is to evaluate, and need neither roots nor a frame. */
static inline value eval(value x, value env)
{
	if (tag_of(x) == PAIR)
		return eval_form(x, env);
	lisp.evaluations++;
	return tag_of(x) == SYMBOL ? *find_binding(x, env) : x;
}

/* Evaluates all but the last form of a body and returns the last one, for the caller to go on with. */
static value all_but_last(value body, value env)
{
	if (body == NIL)
		return NIL;
	for (; cdr(body) != NIL; body = cdr(body))
		eval(car(body), env);
	return car(body);
}

static value define(value form, value env)
{
	value name = car(cdr(form));
	if (tag_of(name) == PAIR) {	/* (define (name parameter...) body...) */
		value closure = make_closure(cdr(name), cdr(cdr(form)), env);
		symbol_of(car(name))->global = closure;
		return car(name);
	}
	symbol_of(name)->global = eval(car(cdr(cdr(form))), env);
	return name;
}

/* x and env are kept rooted from the entry on, replaced at each tail call. */
static value eval_form(value x, value env)
{
	size_t base = lisp.root_count;
	push(x);
	push(env);
	value result = NIL;
	for (;;) {
		if (tag_of(x) != PAIR) {
			result = eval(x, env);
			break;
		}
		lisp.evaluations++;
		lisp.roots[base] = x;
		lisp.roots[base + 1] = env;
		lisp.root_count = base + 2;
		value head = cell_of(x)->car, rest = cell_of(x)->cdr;
		enum special special = tag_of(head) == SYMBOL ? symbol_of(head)->special : NOT_SPECIAL;
		switch (special) {
		case QUOTE:
			result = car(rest);
			goto done;
		case IF:
			rest = eval(car(rest), env) != NIL ? cdr(rest) : cdr(cdr(rest));
			x = rest == NIL ? NIL : car(rest);
			continue;
		case COND:
			while (rest != NIL && eval(car(car(rest)), env) == NIL)
				rest = cdr(rest);
			x = rest == NIL ? NIL : all_but_last(cdr(car(rest)), env);
			continue;
		case AND:
		case OR:
			if (rest == NIL) {
				result = boolean(special == AND);
				goto done;
			}
			for (; cdr(rest) != NIL; rest = cdr(rest)) {
				result = eval(car(rest), env);
				if ((result == NIL) == (special == AND))
					goto done;
			}
			x = car(rest);
			continue;
		case DEFINE:
			result = define(x, env);
			goto done;
		case SET:
			result = eval(car(cdr(rest)), env);
			*find_binding(car(rest), env) = result;
			goto done;
		case LAMBDA:
			result = make_closure(car(rest), cdr(rest), env);
			goto done;
		case LET: {
			value inner = env;
			for (value b = car(rest); b != NIL; b = cdr(b)) {
				value pair = push(cons(car(car(b)), push(eval(car(cdr(car(b))), env))));
				inner = push(cons(pair, inner));
			}
			env = inner;
			x = all_but_last(cdr(rest), env);
			continue;
		}
		case BEGIN:
			x = all_but_last(rest, env);
			continue;
		default:
			break;
		}

		value f = push(eval(head, env));
		size_t first = lisp.root_count;
		for (; rest != NIL; rest = cdr(rest))
			push(eval(car(rest), env));
		size_t count = lisp.root_count - first;
		if (tag_of(f) == PRIMITIVE) {
			const struct primitive *p = &primitives[f >> 3];
			if (p->arguments >= 0 && (size_t)p->arguments != count)
				fail("wrong number of arguments", x);
			result = p->run(&lisp.roots[first], count);
			break;
		}
		if (tag_of(f) != CLOSURE)
			fail("not a function", head);
		env = push(bind(f, &lisp.roots[first], count));
		x = all_but_last(cdr(cell_of(f)->car), env);
	}
done:
	lisp.root_count = base;
	return result;
}

static void set_up(size_t cells)
{
	static const char *const specials[SPECIALS] = {
		NULL, "quote", "if", "cond", "and", "or", "define", "set!", "lambda", "let", "begin",
	};
	lisp.cell_count = cells;
	lisp.cells = calloc(cells, sizeof *lisp.cells);
	lisp.marked = malloc(cells);
	lisp.mark_stack = malloc(cells * sizeof *lisp.mark_stack);
	if (!lisp.cells || !lisp.marked || !lisp.mark_stack) {
		fprintf(stderr, "lisp: no room for %zu cells\n", cells);
		exit(1);
	}
	collect();
	lisp.collections = lisp.freed = 0;
	for (int s = 1; s < SPECIALS; s++)
		symbol_of(intern(specials[s]))->special = (enum special)s;
	for (size_t p = 0; p < sizeof primitives / sizeof *primitives; p++)
		symbol_of(intern(primitives[p].name))->global = (value)p << 3 | PRIMITIVE;
	lisp.truth = intern("t");
	symbol_of(lisp.truth)->global = lisp.truth;
}

static void tear_down(void)
{
	for (size_t b = 0; b < SYMBOL_BUCKETS; b++) {
		for (struct symbol *s = lisp.buckets[b], *next; s; s = next) {
			next = s->next;
			free(s);
		}
	}
	free(lisp.cells);
	free(lisp.marked);
	free(lisp.mark_stack);
}

int main(int argc, char **argv)
{
	size_t cells = 1 << 14;
	int arg = 1;
	if (argc > 2 && strcmp(argv[1], "-c") == 0) {
		cells = strtoul(argv[2], NULL, 10);
		arg = 3;
	}
	if (arg == argc || cells < 1 || cells > 1ul << 28) {
		fprintf(stderr, "usage: lisp [-c CELLS] FILE...\n");
		return 2;
	}
	set_up(cells);
	for (; arg < argc; arg++) {
		FILE *in = fopen(argv[arg], "r");
		if (!in) {
			perror(argv[arg]);
			return 1;
		}
		for (value form; (form = read_value(in)) != END_OF_FILE;)
			eval(form, NIL);
		fclose(in);
	}
	printf("%llu evaluations, %llu cells allocated, %llu freed in %llu collections\n",
	       (unsigned long long)lisp.evaluations, (unsigned long long)lisp.allocated,
	       (unsigned long long)lisp.freed, (unsigned long long)lisp.collections);
	tear_down();
	return 0;
}
