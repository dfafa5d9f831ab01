/* `ask`, `answer` and `expect`: questions and statements of tours, labs and hand-ins. */
#include <string.h>

#include "scripting/script.h"
#include "ui/console/answer_data.h"
#include "ui/console/args.h"
#include "ui/console/command.h"
#include "ui/console/quiz.h"

static enum command_result cmd_ask_exec(struct console *c, const char *args)
{
	char name[QUIZ_NAME + 8];
	const char *question = parse_word(args, name, sizeof name);
	struct quiz *q = c->quiz;
	if (!quiz_name_ok(name) || !*question)
		return console_fail(c, "expected ask NAME QUESTION; a name has letters, digits and "
		                       "_");
	const struct quiz_answer *a = quiz_find(q, name);
	console_print(c, "%s\n", question);
	if (a)
		console_print(c, *a->text ? "  answered: %s\n" : "  passed over\n", a->text);
	else
		console_print(c, "  answer %s ...\n", name);
	strcpy(q->asked, a ? "" : name);
	json_t *data = answer_data(c);
	data_text(data, "name", name);
	data_text(data, "question", question);
	data_text(data, "answer", a ? a->text : NULL);
	return CMD_OK;
}

static enum command_result cmd_expect_list_answers(struct console *c)
{
	const struct quiz *q = c->quiz;
	if (!q->count)
		console_print(c, "Nothing is answered yet.\n");
	for (unsigned i = 0; i < q->count; i++) {
		const struct quiz_answer *a = &q->answers[i];
		console_print(c, "%-16s %s", a->name, *a->text ? a->text : "(passed over)");
		console_print(c, a->tries > 1 ? " (%u tries)\n" : "\n", a->tries);
	}
	return CMD_OK;
}

static enum command_result cmd_answer_exec(struct console *c, const char *args)
{
	char name[QUIZ_NAME + 8];
	const char *text = parse_word(args, name, sizeof name);
	struct quiz *q = c->quiz;
	if (!*args)
		return cmd_expect_list_answers(c);
	/* An answer to the open question, without its name. */
	if (*q->asked && strcmp(name, q->asked) != 0 && (!*text || !quiz_find(q, name))) {
		text = args;
		strcpy(name, q->asked);
	}
	if (!quiz_answer(q, name, strcmp(text, "?") != 0 ? text : "", &c->err))
		return CMD_ERROR;
	console_print(c, *text && strcmp(text, "?") != 0 ? "%s: %s\n" : "%s: passed over\n", name,
	              text);
	return CMD_OK;
}

static enum command_result cmd_expect_exec(struct console *c, const char *args)
{
	struct quiz *q = c->quiz;
	struct quiz_verdict v = {0};
	json_t *data = answer_data(c);
	if (*args && strcmp(args, "all") != 0) {
		if (!quiz_expect(q, c->exprs, args, &v, &c->err))
			return CMD_ERROR;
		console_print(c, v.points == 1 ? "%s %s\n" : "%s %s (%u points)\n",
		              v.holds ? "right:" : "not yet:", v.said, v.points);
	} else {
		console_print(c, "%u of %u points\n", q->got, q->of);
	}
	if (c->answer) {
		c->answer->judged = true;
		c->answer->holds = *args ? v.holds : q->got == q->of;
		c->answer->got = q->got;
		c->answer->of = q->of;
	}
	data_bool(data, "holds", *args && strcmp(args, "all") != 0 ? v.holds : q->got == q->of);
	data_count(data, "got", q->got);
	data_count(data, "of", q->of);
	if (!strcmp(args, "all") && q->got < q->of)
		return console_fail(c, "%u of %u points: some expectations do not hold", q->got,
		                    q->of);
	return CMD_OK;
}

const struct command cmd_ask = {
	.name = "ask",
	.aliases = "",
	.group = "support",
	.usage = "ask NAME QUESTION",
	.summary = "ask for a prediction, which `answer` gives and `expect` judges",
	.help = "In a tour or lab the next step waits for an answer: a digit begins one, Space\n"
		"opens the prompt with `answer `. A question that has an answer is skipped.\n"
		"A lab repeats it once after a wrong answer, before the right one is shown.\n"
		"    ask wait How many cycles will the load wait?",
	.whole = true,
	.exec = cmd_ask_exec,
};

const struct command cmd_answer = {
	.name = "answer",
	.aliases = "",
	.group = "support",
	.usage = "answer [NAME] [TEXT]",
	.summary = "answer a question of a tour or lab; alone, list the answers",
	.help = "The open question needs no name. ? skips it.\n"
		"    answer 12            answer wait 12            answer ?",
	.whole = true,
	.exec = cmd_answer_exec,
};

const struct command cmd_expect = {
	.name = "expect",
	.aliases = "",
	.group = "support",
	.usage = "expect [[POINTS:] STATEMENT [else HINT] | all]",
	.summary = "state an expectation, and count points; alone, show them",
	.help = "For tours, labs and hand-ins. A statement is one of\n"
		"    EXPRESSION                            is true\n"
		"    EXPRESSION in LOW .. HIGH             a statistic within bounds\n"
		"    answer NAME is EXPRESSION             what was typed is that number\n"
		"    answer NAME is EXPRESSION within 10%  or near it\n"
		"    answer NAME in LOW .. HIGH            or within bounds\n"
		"    answer NAME is \"load|memory\"          or one of these words\n"
		"A statement that does not hold is reported without the expected value, and\n"
		"its hint is printed; commands go on. It is worth one point unless POINTS are\n"
		"given. `expect all` fails unless all points were got: a batch then ends with\n"
		"status 1.\n"
		"    expect 2: sim.ipc in 0.9 .. 1 else See where slots go: view cpi\n"
		"    expect answer wait is l1d.latency",
	.whole = true,
	.exec = cmd_expect_exec,
};
