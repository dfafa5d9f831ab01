// A headless Chromium, driven by the DevTools protocol over two pipes, and a server of static files
// that sends no headers of its own, as the simplest hosts do.
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const {spawn} = require("child_process");

const TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
	".json": "application/json", ".wasm": "application/wasm"};

// Serves a folder at a free port of the loopback, and pages {"/name": {headers, text}} beside it.
function serve(folder, pages = {}) {
	return new Promise(done => {
		const server = http.createServer((request, answer) => {
			const name = decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html");
			const page = pages[name];
			if (page) {
				answer.writeHead(200, {"Content-Type": "text/html", ...page.headers});
				answer.end(page.text);
				return;
			}
			fs.readFile(path.join(folder, path.normalize(name)), (error, bytes) => {
				answer.writeHead(error ? 404 : 200, {"Content-Type": TYPES[path.extname(name)] || "application/octet-stream"});
				answer.end(error ? "" : bytes);
			});
		});
		server.listen(0, "127.0.0.1", () => done(server));
	});
}

class Browser {
	// home: a folder for its profile.
	static async open(home) {
		const b = new Browser();
		b.waiting = new Map();
		b.pages = new Map();
		b.last = 0;
		b.process = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--remote-debugging-pipe", `--user-data-dir=${home}/chromium`, "--window-size=1280,800", "about:blank"],
			{stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: {HOME: home, PATH: "/usr/bin:/bin"}});
		let rest = "";
		b.process.stdio[4].setEncoding("utf8").on("data", text => {
			const parts = (rest + text).split("\0");
			rest = parts.pop();
			for (const part of parts)
				b.take(JSON.parse(part));
		});
		return b;
	}
	take(m) {
		if (m.id) {
			const {ok, bad} = this.waiting.get(m.id);
			this.waiting.delete(m.id);
			m.error ? bad(new Error(m.error.message)) : ok(m.result);
		} else if (this.pages.has(m.sessionId)) {
			this.pages.get(m.sessionId).take(m);
		}
	}
	send(method, params = {}, sessionId) {
		return new Promise((ok, bad) => {
			this.waiting.set(++this.last, {ok, bad});
			this.process.stdio[3].write(JSON.stringify({id: this.last, method, params, sessionId}) + "\0");
		});
	}
	async page(url, {width = 1280, height = 800, dark = false, mobile = false} = {}) {
		const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
		const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
		const page = new Page(this, sessionId, targetId);
		this.pages.set(sessionId, page);
		await page.send("Page.enable");
		await page.send("Runtime.enable");
		await page.send("Log.enable");
		await page.size(width, height, mobile);
		await page.send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
		if (mobile)
			await page.send("Emulation.setTouchEmulationEnabled", {enabled: true});
		await page.send("Page.navigate", {url});
		return page;
	}
	async close() {
		await Promise.race([this.send("Browser.close").catch(() => {}), new Promise(done => setTimeout(done, 3000))]);
		this.process.kill("SIGKILL");
	}
}

class Page {
	constructor(browser, session, target) {
		Object.assign(this, {browser, session, target, errors: []});
	}
	send(method, params) {
		return this.browser.send(method, params, this.session);
	}
	take(m) {
		if (m.method === "Runtime.exceptionThrown")
			this.errors.push(m.params.exceptionDetails.exception.description || m.params.exceptionDetails.text);
		if (m.method === "Runtime.executionContextCreated")
			this.newest = m.params.context.id;
		if (m.method === "Log.entryAdded" && m.params.entry.level === "error")
			this.errors.push(`${m.params.entry.text} ${m.params.entry.url || ""}`);
	}
	size(width, height, mobile = false) {
		return this.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile});
	}
	// The value of an expression in the page, or in the frame that was loaded last; undefined while
	// it is loaded anew.
	async value(expression, inFrame = false) {
		try {
			const r = await this.send("Runtime.evaluate", {expression, contextId: inFrame ? this.newest : undefined, awaitPromise: true, returnByValue: true});
			if (r.exceptionDetails)
				throw new Error(r.exceptionDetails.exception.description);
			return r.result.value;
		} catch (e) {
			if (/context|navigat/i.test(e.message))
				return undefined;
			throw e;
		}
	}
	// The terminal's lines.
	async screen() {
		return await this.value(`typeof terminal === "undefined" || !terminal ? "" :
			Array.from({length: terminal.rows}, (_, y) => {
				const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + y);
				return line ? line.translateToString(true) : "";
			}).join("\\n")`) || "";
	}
	// Waits until the screen matches; false after some seconds.
	async shows(pattern, seconds = 60) {
		return await this.until(async () => pattern.test(await this.screen()), seconds);
	}
	async until(look, seconds = 60) {
		for (const end = Date.now() + seconds * 1000; ;) {
			if (await look())
				return true;
			if (Date.now() > end)
				return false;
			await new Promise(done => setTimeout(done, 50));
		}
	}
	async type(text) {
		for (const c of text)
			await this.send("Input.dispatchKeyEvent", {type: "char", text: c});
	}
	async key(key, {code = key, number = 0, modifiers = 0, text} = {}) {
		const all = {key, code, windowsVirtualKeyCode: number, modifiers, text};
		await this.send("Input.dispatchKeyEvent", {type: text ? "keyDown" : "rawKeyDown", ...all});
		await this.send("Input.dispatchKeyEvent", {type: "keyUp", ...all});
	}
	enter() {
		return this.key("Enter", {number: 13, text: "\r"});
	}
	escape() {
		return this.key("Escape", {number: 27});
	}
	async picture(file) {
		const {data} = await this.send("Page.captureScreenshot", {format: "png"});
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}
	close() {
		return this.browser.send("Target.closeTarget", {targetId: this.target});
	}
}

module.exports = {serve, Browser};
