// The test kit of debug adapters (npm: @vscode/debugadapter-testsupport), on `cyclops dap`.
// NODE_PATH has it; CYCLOPS is the program.
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const GUEST = path.resolve("build/tests/gdb/guest");
const SOURCE = path.resolve("tests/gdb/guest.c");
const marks = {};
fs.readFileSync(SOURCE, "ascii").split("\n").forEach((line, i) => {
	const found = /\/\* mark: (.*) \*\//.exec(line);
	if (found)
		marks[found[1]] = i + 1;
});

// DebugClient runs adapters by `node`; this one is an executable.
class Client extends DebugClient {
	constructor() {
		super(process.env.CYCLOPS, "", "cyclops");
		this.spawned = require("child_process").spawn(process.env.CYCLOPS, ["dap"], { stdio: ["pipe", "pipe", "inherit"] });
	}
	async start() {
		this.connect(this.spawned.stdout, this.spawned.stdin);
		this.ended = new Promise(done => this.spawned.on("exit", done));
	}
	async stop() {
		await this.disconnectRequest({});
		assert.strictEqual(await this.ended, 0);
	}
}

const cases = {
	async "initialize says what there is"(c) {
		const { body } = await c.initializeRequest();
		for (const can of ["StepBack", "ConfigurationDoneRequest", "ConditionalBreakpoints", "LogPoints", "DataBreakpoints", "DisassembleRequest", "ReadMemoryRequest", "InstructionBreakpoints", "SetVariable"])
			assert.strictEqual(body["supports" + can], true, can);
	},
	async "an unknown request fails"(c) {
		await c.initializeRequest();
		await assert.rejects(c.customRequest("illegalRequest"));
	},
	async "it runs to its end"(c) {
		await Promise.all([c.configurationSequence(), c.launch({ program: GUEST }), c.assertOutput("stdout", "sum 174"), c.waitForEvent("exited").then(e => assert.strictEqual(e.body.exitCode, 7)), c.waitForEvent("terminated")]);
	},
	async "it stops on entry"(c) {
		await Promise.all([c.configurationSequence(), c.launch({ program: GUEST, stopOnEntry: true }), c.assertStoppedLocation("entry", { path: SOURCE, line: marks["main begins"] })]);
	},
	async "it stops on a breakpoint"(c) {
		await c.hitBreakpoint({ program: GUEST }, { path: SOURCE, line: marks["watched changes"] });
	},
	async "it steps, and steps back"(c) {
		await c.hitBreakpoint({ program: GUEST }, { path: SOURCE, line: marks["leaf"] });
		const at = (reason, mark) => c.assertStoppedLocation(reason, { path: SOURCE, line: marks[mark] });
		await Promise.all([c.nextRequest({ threadId: 1000 }), at("step", "leaf returns")]);
		await Promise.all([c.stepBackRequest({ threadId: 1000 }), at("breakpoint", "leaf")]);
		await Promise.all([c.stepOutRequest({ threadId: 1000 }), at("step", "middle calls")]);
		await Promise.all([c.continueRequest({ threadId: 1000 }), at("breakpoint", "leaf")]);
		await Promise.all([c.reverseContinueRequest({ threadId: 1000 }), at("breakpoint", "leaf")]);
		const { body } = await c.evaluateRequest({ expression: "a", context: "watch" });
		assert.strictEqual(body.result, "3");
	},
	async "a condition, a hit count, a logpoint"(c) {
		await c.hitBreakpoint({ program: GUEST }, { path: SOURCE, line: marks["watched changes"], });
		const set = terms => c.setBreakpointsRequest({ source: { path: SOURCE }, breakpoints: [{ line: marks["watched changes"], ...terms }] });
		await set({ condition: "i == 2" });
		await Promise.all([c.continueRequest({ threadId: 1000 }), c.waitForEvent("stopped")]);
		assert.strictEqual((await c.evaluateRequest({ expression: "i" })).body.result, "2");
		await set({ logMessage: "i = {i}" });
		await Promise.all([c.continueRequest({ threadId: 1000 }), c.assertOutput("console", "i = 3\ni = 4\n"), c.waitForEvent("terminated")]);
	},
	async "a hit count"(c) {
		await c.hitBreakpoint({ program: GUEST }, { path: SOURCE, line: marks["watched changes"] });
		await c.setBreakpointsRequest({ source: { path: SOURCE }, breakpoints: [{ line: marks["watched changes"], hitCondition: "3" }] });
		await Promise.all([c.continueRequest({ threadId: 1000 }), c.waitForEvent("stopped")]);
		assert.strictEqual((await c.evaluateRequest({ expression: "i" })).body.result, "3");
	},
	async "a function breakpoint is in all overloads"(c) {
		const program = path.resolve("build/tests/gdb/shapes");
		await Promise.all([c.configurationSequence(), c.launch({ program, stopOnEntry: true }), c.waitForEvent("stopped")]);
		const { body: { breakpoints } } = await c.setFunctionBreakpointsRequest({ breakpoints: [{ name: "geo::sum" }] });
		assert.strictEqual(breakpoints.length, 1);
		const names = new Set();
		for (let i = 0; i < 5; i++) {
			const [, { body }] = await Promise.all([c.continueRequest({ threadId: 1000 }), c.waitForEvent("stopped")]);
			assert.strictEqual(body.reason, "function breakpoint");
			assert.deepStrictEqual(body.hitBreakpointIds, [breakpoints[0].id]);
			names.add((await c.stackTraceRequest({ threadId: body.threadId })).body.stackFrames[0].name);
		}
		assert(names.size >= 3, [...names].join());
	},
	async "a data breakpoint"(c) {
		await Promise.all([c.configurationSequence(), c.launch({ program: GUEST, stopOnEntry: true }), c.waitForEvent("stopped")]);
		const { body: { dataId } } = await c.customRequest("dataBreakpointInfo", { name: "watched" });
		await c.customRequest("setDataBreakpoints", { breakpoints: [{ dataId, accessType: "write" }] });
		const [, { body }] = await Promise.all([c.continueRequest({ threadId: 1000 }), c.waitForEvent("stopped")]);
		assert.strictEqual(body.reason, "data breakpoint");
	},
	async "an exception filter is an event of the machine"(c) {
		const { body } = await c.initializeRequest();
		const filters = body.exceptionBreakpointFilters.map(f => f.filter);
		assert.deepStrictEqual(filters.sort(), ["l2_misses", "mispredictions", "signals"]);
		await Promise.all([c.waitForEvent("initialized").then(() => c.configurationDoneRequest()), c.launch({ program: GUEST, stopOnEntry: true }), c.waitForEvent("stopped")]);
		for (const filter of ["mispredictions", "l2_misses"]) {
			await c.setExceptionBreakpointsRequest({ filters: [filter] });
			const [, stopped] = await Promise.all([c.continueRequest({ threadId: 1000 }), c.waitForEvent("stopped")]);
			assert.strictEqual(stopped.body.reason, "exception");
			assert.strictEqual(stopped.body.text, filter);
		}
	},
	async "a step is that of its thread"(c) {
		const program = path.resolve("build/tests/threads/basic"), source = path.resolve("tests/threads/basic.c");
		const line = fs.readFileSync(source, "ascii").split("\n").findIndex(l => l.includes("counter = seen + 1")) + 1;
		const initialized = c.waitForEvent("initialized").then(() => c.setBreakpointsRequest({ source: { path: source }, breakpoints: [{ line, condition: "counter == 40" }] })).then(() => c.configurationDoneRequest());
		const [, , { body: { threadId } }] = await Promise.all([initialized, c.launch({ program, args: ["mutex"] }), c.waitForEvent("stopped")]);
		await c.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
		const { body: { threads } } = await c.threadsRequest();
		const other = threads.map(t => t.id).find(id => id !== threadId && id !== 1000);
		for (const step of ["stepOut", "next", "stepBack"]) {
			const [, { body }] = await Promise.all([c.customRequest(step, { threadId: other }), c.waitForEvent("stopped")]);
			assert.strictEqual(body.threadId, other);
		}
	},
	async "variables unfold, and change"(c) {
		await c.hitBreakpoint({ program: GUEST }, { path: SOURCE, line: marks["head changes"] });
		const { body: { stackFrames } } = await c.stackTraceRequest({ threadId: 1000 });
		const { body: { scopes } } = await c.scopesRequest({ frameId: stackFrames[0].id });
		assert(scopes.some(s => s.name === "Pipeline"));
		const locals = scopes.find(s => s.name === "Locals").variablesReference;
		const { body: { variables } } = await c.variablesRequest({ variablesReference: locals });
		const node = variables.find(v => v.name === "n");
		const { body: { variables: [target] } } = await c.variablesRequest({ variablesReference: node.variablesReference });
		const { body: { variables: members } } = await c.variablesRequest({ variablesReference: target.variablesReference });
		assert.deepStrictEqual(members.map(m => [m.name, m.value]), [["value", "1"], ["next", "0x0"]].map(([n, v]) => [n, members.find(m => m.name === n).value.includes(v) ? members.find(m => m.name === n).value : v]));
		assert.strictEqual((await c.setVariableRequest({ variablesReference: locals, name: "i", value: "12" })).body.value, "12");
	},
	async "a fault is an exception"(c) {
		await Promise.all([c.configurationSequence(), c.launch({ program: GUEST, args: ["fault"] }), c.assertStoppedLocation("exception", { path: SOURCE, line: marks["fault"] })]);
	},
	async "pause"(c) {
		await Promise.all([c.configurationSequence(), c.launch({ program: GUEST, args: ["spin"] })]);
		await new Promise(done => setTimeout(done, 500));
		await Promise.all([c.pauseRequest({ threadId: 1000 }), c.waitForEvent("stopped").then(e => assert.strictEqual(e.body.reason, "pause"))]);
	},
};

(async () => {
	let passed = 0, failed = 0;
	for (const [name, run] of Object.entries(cases)) {
		const c = new Client();
		try {
			await c.start();
			await run(c);
			await c.stop();
			passed++;
		} catch (e) {
			failed++;
			console.log("FAIL: " + name + ": " + (e && e.stack || e));
			c.spawned.kill();
		}
	}
	console.log(`${passed} passed, ${failed} failed`);
	process.exit(failed !== 0);
})();
