// A new user's hour with the page, in headless Chromium: drive.js SITE HOME ELF. Prints a line "ok
// WHAT" or "not ok WHAT" for each check.
"use strict";
const fs = require("fs");
const path = require("path");
const {serve, Browser} = require("./browser.js");

const [site, home, elf] = process.argv.slice(2);
let shown = null; // the page that a failure shows

async function check(what, truth) {
	const ok = await truth;
	console.log(`${ok ? "ok" : "not ok"} ${what}`);
	if (!ok && shown) {
		console.log((await shown.screen()).split("\n").filter(line => line).map(line => `  | ${line}`).join("\n"));
		const cover = await shown.value(`document.getElementById("cover").hidden ? "" : document.getElementById("cover").textContent`);
		console.log(`  cover: ${cover}\n  errors: ${shown.errors.join("; ")}`);
		if (process.env.PICTURES)
			await shown.picture(path.join(process.env.PICTURES, what.replace(/\W+/g, "-") + ".png"));
	}
}

async function command(page, line) {
	await page.type(":");
	await page.type(line);
	await page.enter();
}

// Runs a command line of the page's own.
async function run(page, line) {
	await page.value(`document.getElementById("command").click(); document.getElementById("command-line").value = ${JSON.stringify(line)}`);
	await page.enter();
}

async function choose(page, file) {
	await page.send("DOM.enable");
	const {root} = await page.send("DOM.getDocument");
	const {nodeId} = await page.send("DOM.querySelector", {nodeId: root.nodeId, selector: "#picker"});
	await page.send("DOM.setFileInputFiles", {nodeId, files: [file]});
}

const notes = page => page.value(`document.getElementById("notes").textContent`);

async function drive(url, server, browser) {
	const open = async (address, options) => shown = await browser.page(url + address, options);
	const quiet = async page => {
		await check("nothing is wrong in its console", page.errors.length === 0);
		await page.close();
		shown = null;
	};

	// The first visit: no headers of the host's, so that the service worker has to give them.
	let page = await open("");
	await check("the start page", page.shows(/First tour[^]*Playground/));
	await check("it is isolated", page.value("crossOriginIsolated"));
	await page.enter();
	await check("the first tour", page.shows(/Tour first/));
	await page.type(" ");
	await check("Space goes on in it", page.shows(/2\/\d+ /));
	await page.type("q");
	await check("q leads back to the start page", page.shows(/What shall it be/));
	// Sizes: it fits a wide window, a small one, and a telephone.
	for (const [width, height] of [[1280, 800], [820, 600], [390, 760]]) {
		await page.size(width, height, width < 500);
		await check(`80 columns and 24 rows fit ${width} by ${height}`,
			page.until(() => page.value(`innerWidth === ${width} && terminal.cols >= 80 && terminal.rows >= 24 &&
				document.documentElement.scrollWidth <= innerWidth`), 10));
	}
	await page.size(1280, 800);
	// The keyboard alone: F6 leaves the terminal, and returns.
	await page.key("F6", {number: 117});
	await check("F6 leaves the terminal", page.value(`document.activeElement.id === "home"`));
	await page.key("F6", {number: 117});
	await check("and leads back", page.value(`document.getElementById("terminal").contains(document.activeElement)`));
	await quiet(page);

	// A demo, in time; a link to a moment, opened by another visitor.
	page = await open("?demo=linked", {dark: true});
	await check("a demo by its address", page.shows(/linked.*cycle [\d,]+/));
	await page.shows(/of the time/);
	await command(page, "goto 300000");
	await check("goto", page.shows(/cycle 300,000 /));
	await page.type("S");
	await check("a cycle back", page.shows(/cycle 299,999 /));
	await command(page, "layout memory");
	await check("a layout", page.shows(/\[4 memory\]/));
	await page.type("L");
	await check("L makes a link", page.until(async () => /#1\./.test(await page.value("location.href")), 20));
	const link = await page.value("location.href");
	await page.type("c");
	await check("continue runs to its end", page.shows(/exited|ended/));
	await quiet(page);
	page = await open(link.slice(url.length));
	await check("the link opens that cycle", page.shows(/cycle 299,999 /));
	await check("and that layout", page.shows(/\[4 memory\]/));
	await page.type("S");
	await check("from which it goes back", page.shows(/cycle 299,998 /));
	await quiet(page);
	page = await open(link.slice(url.length, -9));
	await check("a broken link is refused in words", page.shows(/cyclops: the link is (damaged|cut short)/));
	await quiet(page);

	// The playground: errors, a run, Ctrl-C in an endless loop, and the text next time.
	page = await open("?asm");
	await check("the playground", page.shows(/F5 run/));
	await page.type("# mine\nadi a0,a0");
	await check("finds an error", page.shows(/no instruction is called 'adi'/));
	await page.key("u", {number: 85, modifiers: 2, text: "\x15"});
	await page.key("F5", {number: 116});
	await check("runs the text", page.shows(/203 cycles to its end/));
	await check("its text is kept", page.until(() => page.value(
		`[...kept.values()].some(f => /playground.s$/.test(f.path) && new TextDecoder().decode(f.bytes).includes("# mine"))`), 10));
	await quiet(page);
	page = await open("?asm");
	await check("and is there next time", page.shows(/# mine/));

	await page.escape();
	await page.type("q");
	await check("a session that ends says how to go on", page.shows(/Enter: the start page/));

	// Ctrl-C, and a graded lab, by commands.
	await run(page, "demo -e 'goto 0' anagram");
	await check("a command with options", page.shows(/anagram .*cycle 0 /));
	await page.type("c");
	await check("the page shows that it computes", page.until(async () =>
		/computing/.test(await page.value(`document.getElementById("state").textContent`)), 20));
	await page.key("c", {number: 67, modifiers: 2, text: "\x03"});
	await check("Ctrl-C stops it", page.shows(/Interrupted|interrupted|Stopped by/));
	await run(page, "lab check 1");
	await check("a lab's task is graded", page.shows(/[\d.]+ of 20/));
	await check("and its file can be downloaded", page.value(
		`ownFiles().some(f => /labs.*task\.s$/.test(f.path) && f.bytes.length > 100)`));

	// A program of one's own, an export, and what is not there.
	await choose(page, elf);
	await check("an ELF file of one's own", page.shows(/fib .*cycle [\d,]+/));
	await command(page, "export html out.html");
	await check("an export can be downloaded", page.until(async () => /out.html was written/.test(await notes(page)), 30));
	await command(page, "shell ls");
	await check("a command that is not there says so", page.shows(/not in the browser/));
	const source = path.join(home, "mine.c");
	fs.writeFileSync(source, "int main(void) { return 0; }\n");
	await choose(page, source);
	await check("so does C", page.until(async () => /needs a compiler/.test(await notes(page)), 10));
	await quiet(page);

	// A course's own page around it: with the two headers in the frame, else in a window of its own.
	page = await open("isolated.html");
	await check("it runs in a frame of an isolated page", page.until(() => page.value(
		`typeof session === "object" && !!session && /fib/.test(terminal.buffer.active.getLine(0).translateToString())`, true), 60));
	await page.close();
	page = await open("plain.html");
	await check("and leads out of another's frame", page.until(() => page.value(
		`!!frames[0] && !!frames[0].document.body && /window of its own/.test(frames[0].document.body.innerText) &&
			!!frames[0].document.querySelector("#cover a[target=_blank]")`), 60));
	await page.close();

	// The course that `cyclops web` has added.
	page = await open("?tour=ours");
	await check("a tour of one's own course", page.shows(/Words of the course/));
	await quiet(page);

	// Without the host: everything again.
	server.close();
	server.closeAllConnections();
	page = await open("?tour=first");
	await check("without a network it opens", page.shows(/Tour first/));
	page.errors.length = 0; // of the search for another version
	await quiet(page);
}

(async () => {
	const frame = `<!doctype html><title>A course</title><iframe src="./?demo=fib" allow="cross-origin-isolated; clipboard-write" width="1000" height="600"></iframe>`;
	const server = await serve(site, {
		"/plain.html": {text: frame},
		"/isolated.html": {text: frame, headers: {
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}},
	}), browser = await Browser.open(home);
	try {
		await drive(`http://127.0.0.1:${server.address().port}/`, server, browser);
		console.log("done");
	} catch (e) {
		console.log(`not ok ${e.stack}`);
	}
	await browser.close();
	process.exit(0);
})();
