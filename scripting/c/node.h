/* Nodes of C expressions: a tree in an array, and the call that its names belong to. */
#ifndef CYCLOPS_SCRIPTING_C_NODE_H
#define CYCLOPS_SCRIPTING_C_NODE_H

#include "scripting/c/c.h"

enum c_op {
	/* leaves */
	C_NUMBER,
	C_STRING,
	C_VARIABLE,
	C_WORD,
	C_CALL,
	C_HISTORY,
	C_CONVENIENCE,
	/* of one operand */
	C_NOT,
	C_NEGATE,
	C_PLUS,
	C_INVERT,
	C_FOLLOW,
	C_ADDRESS,
	C_CAST,
	C_SIZEOF,
	C_MEMBER,
	C_ARROW,
	/* of two */
	C_INDEX,
	C_OF_MEMBER, /* a.*p, a->*p */
	C_MUL,
	C_DIV,
	C_MOD,
	C_ADD,
	C_SUB,
	C_SHL,
	C_SHR,
	C_LT,
	C_GT,
	C_LE,
	C_GE,
	C_EQ,
	C_NE,
	C_AND,
	C_XOR,
	C_OR,
	C_BOTH,
	C_EITHER,
	C_SPAN, /* a@4 */
	C_COMMA,
	C_ASSIGN, /* `sub`: the operator before `=`; C_ASSIGN: none */
	C_AFTER, /* x++: the value before */
	/* of three */
	C_CHOOSE,
	/* of any number */
	C_LIST, /* {4, 5}: an element, or the list before and its next element */
	C_ARGUMENT, /* an argument, or the arguments before and the next one */
	C_INVOKE /* f(3): the function, and C_ARGUMENT if there are any */
};

enum { C_NODES_MAX = 512, C_ARGS_MAX = 4, C_DEPTH_MAX = 100 };

struct c_node {
	enum c_op op;
	uint16_t arg[C_ARGS_MAX]; /* [args]: other nodes */
	uint16_t args;
	enum c_op sub; /* C_ASSIGN, C_AFTER */
	uint16_t at, length;      /* position in the text */
	/* C_NUMBER; C_HISTORY: addr is the number, or the distance back if bit_size is set */
	struct c_value value;
	struct scope_name name;   /* C_VARIABLE */
	bool qualified;           /* C_VARIABLE: of a named function or file */
	struct ctype type;        /* C_CAST */
	char *word;               /* owned. C_WORD, C_CALL, C_MEMBER, C_ARROW: the name */
	void *compiled;           /* owned. C_WORD */
};

struct c_expr {
	const struct program *program;
	struct c_words words;
	char *text;            /* owned */
	struct c_node *nodes;  /* owned; [count] */
	size_t count, room;
	uint16_t root;
	bool needs_frame;      /* a name belongs to a call */
	bool by_place;
	bool has_variables, assigns, only_types;
	bool cplus;            /* the language at its place */
	/* The call that names belong to: its canonical frame address, unless by_place; its
	 * function. */
	uint64_t cfa;
	Dwarf_Die function;
	const struct program *image;
};

#endif
