// The page around the terminal: it keeps the user's files, starts the program in a worker, and hands
// it keys, sizes and signals through a SharedArrayBuffer (core/host/web/README.md).
"use strict";

const $ = id => document.getElementById(id);
const HOME = "/home/student";
const FOLDER = new URL("./", location.href).href;
const SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGTERM = 15, SIGWINCH = 28;
// Words of the buffer.
const KEYS_IN = 0, KEYS_OUT = 1, SIGNALS = 2, WIDTH = 3, HEIGHT = 4, WAKE = 5, MODES = 6, STATE = 8;
const RING_AT = 4096, RING_BYTES = 4096, BUFFER_BYTES = 131072;
const SIGNALS_MODE = 1, COMPUTES = 1, ENDED = 3;

let terminal, fit, wasmModule, session = null;

// ---- words to the user ----

// Shows a note for a while; action: [label, function], or none.
function note(text, action, seconds = 8) {
	const box = document.createElement("div"), words = document.createElement("span");
	words.textContent = text;
	box.append(words);
	if (action) {
		const button = document.createElement("button");
		button.textContent = action[0];
		button.onclick = () => { box.remove(); action[1](); };
		box.append(button);
	}
	$("notes").append(box);
	setTimeout(() => box.remove(), seconds * 1000);
}

// Covers the terminal with a title, paragraphs, and buttons [label, function] or links {text, href}.
function cover(title, paragraphs, buttons = []) {
	const box = $("cover-text"), h = document.createElement("h1");
	h.textContent = title;
	box.replaceChildren(h);
	for (const text of paragraphs) {
		const p = document.createElement("p");
		p.textContent = text;
		box.append(p);
	}
	for (const b of buttons) {
		const e = document.createElement(b.href ? "a" : "button");
		e.textContent = b.href ? b.text : b[0];
		if (b.href)
			Object.assign(e, {href: b.href, target: "_blank", rel: "noopener"});
		else
			e.onclick = b[1];
		box.append(e, " ");
	}
	$("cover").hidden = false;
	const first = box.querySelector("button, a");
	if (first)
		first.focus();
}

function uncover() {
	$("cover").hidden = true;
}

// ---- what this browser keeps: files, and the size of letters ----

const kept = new Map(); // path: {path, bytes, mode} or {path, link} or {path, folder}
let store = null;       // IndexedDB; null: this browser keeps nothing for us

function openStore() {
	return new Promise(done => {
		let request;
		try {
			request = indexedDB.open("cyclops " + new URL(FOLDER).pathname, 1);
		} catch (e) {
			done(null);
			return;
		}
		request.onupgradeneeded = () => request.result.createObjectStore("files", {keyPath: "path"});
		request.onsuccess = () => done(request.result);
		request.onerror = request.onblocked = () => done(null);
	});
}

async function readStore() {
	store = await openStore();
	if (!store)
		return;
	const all = await new Promise(done => {
		const request = store.transaction("files").objectStore("files").getAll();
		request.onsuccess = () => done(request.result);
		request.onerror = () => done([]);
	});
	for (const file of all)
		kept.set(file.path, file);
}

function keep(list) {
	const removed = file => file.bytes === null && !file.folder && file.link === undefined;
	for (const file of list)
		if (removed(file))
			kept.delete(file.path);
		else
			kept.set(file.path, file);
	if (!store)
		return;
	try {
		const t = store.transaction("files", "readwrite"), files = t.objectStore("files");
		for (const file of list)
			removed(file) ? files.delete(file.path) : files.put(file);
		t.onabort = () => note("This browser's storage is full: the last changes are not kept. Download what you need under Files.");
	} catch (e) {
		note(`Not kept: ${e.message}`);
	}
}

function setting(name, value) {
	try {
		if (value !== undefined)
			localStorage.setItem("cyclops." + name, value);
		return localStorage.getItem("cyclops." + name);
	} catch (e) {
		return null; // a frame without storage
	}
}

// Files that a user names, folders first by name; not the program's own.
function ownFiles() {
	return [...kept.values()].filter(f => f.bytes && !f.path.slice(HOME.length).includes("/.config/") &&
		!/\/(kept-|history|progress|last)/.test(f.path)).sort((a, b) => a.path < b.path ? -1 : 1);
}

function shownName(path) {
	return path.slice(HOME.length + 1).replace(/^\.local\/share\/cyclops\//, "");
}

function download(file) {
	const a = document.createElement("a");
	a.href = URL.createObjectURL(new Blob([file.bytes]));
	a.download = file.path.slice(file.path.lastIndexOf("/") + 1);
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}

// ---- the program ----

function wake(s) {
	Atomics.add(s.words, WAKE, 1);
	Atomics.notify(s.words, WAKE);
}

function signal(s, number) {
	Atomics.or(s.words, SIGNALS, 1 << (number - 1));
	wake(s);
}

// Puts bytes into the ring as far as there is room, and the rest a little later.
function pump(s) {
	const w = s.words;
	let at = Atomics.load(w, KEYS_IN);
	const room = RING_BYTES - (at - Atomics.load(w, KEYS_OUT) | 0);
	const now = s.waiting.splice(0, Math.max(0, room));
	for (const byte of now) {
		s.bytes[RING_AT + (at & RING_BYTES - 1)] = byte;
		at = at + 1 | 0;
	}
	if (now.length) {
		Atomics.store(w, KEYS_IN, at);
		wake(s);
	}
	if (s.waiting.length && session === s)
		setTimeout(pump, 20, s);
}

function type(bytes) {
	const s = session;
	if (!s) {
		if (bytes[0] === 13 && wasmModule)
			start([]);
		return;
	}
	for (const byte of bytes) {
		const number = byte === 3 ? SIGINT : byte === 28 ? SIGQUIT : 0;
		if (number && Atomics.load(s.words, MODES) & SIGNALS_MODE)
			signal(s, number);
		else
			s.waiting.push(byte);
	}
	pump(s);
}

const typeText = text => type(new TextEncoder().encode(text));

function tellSize() {
	if (!session)
		return;
	Atomics.store(session.words, WIDTH, terminal.cols);
	Atomics.store(session.words, HEIGHT, terminal.rows);
	signal(session, SIGWINCH);
}

function start(words, extra = []) {
	uncover();
	terminal.reset();
	const buffer = new SharedArrayBuffer(BUFFER_BYTES);
	const s = session = {
		words: new Int32Array(buffer), bytes: new Uint8Array(buffer), waiting: [],
		worker: new Worker("worker.js"), arguments: words, whenEnded: null,
	};
	s.words[WIDTH] = terminal.cols;
	s.words[HEIGHT] = terminal.rows;
	keep(extra);
	s.worker.onmessage = event => session === s && answer(s, event.data);
	s.worker.onerror = event => session === s && fail(s, event.message || "the worker could not be loaded");
	s.worker.postMessage({
		wasmModule, buffer, arguments: words, files: [...kept.values()],
		environment: {
			COLORFGBG: dark.matches ? "15;0" : "0;15",
			CYCLOPS_PAGE: location.origin + location.pathname,
		},
	});
	terminal.focus();
}

function answer(s, m) {
	if (m.output)
		terminal.write(m.output);
	if (m.changed)
		takeFiles(m.changed);
	if (m.ended !== undefined)
		end(s, m.ended);
	if (m.missing) {
		console.error(m.missing);
		note(`A file of the course could not be fetched: ${navigator.onLine ? m.missing : "there is no network, and it was not kept before"}`);
	}
	if (m.failed)
		fail(s, m.failed);
}

// Offers what the program has written where a user put it.
function takeFiles(list) {
	keep(list);
	for (const file of list)
		if (file.bytes && !shownName(file.path).includes("/") && !shownName(file.path).startsWith(".") &&
		    /\.(html|svg|gif|json|csv|txt|cast|checkpoint|kanata|folded|callgrind|pb\.gz)$/.test(file.path))
			note(`${shownName(file.path)} was written`, ["Download", () => download(kept.get(file.path) || file)], 20);
	if ($("files-dialog").open)
		listFiles();
}

function end(s, status) {
	s.worker.terminate();
	session = null;
	$("state").textContent = "";
	if (s.whenEnded) {
		s.whenEnded();
		return;
	}
	// Its last words stay to be read.
	terminal.write(`\r\n\x1b[2mCyclops has ended${status ? ` with status ${status}` : ""}. Enter: the start page; Command: another command.\x1b[0m\r\n`);
	terminal.focus();
}

function fail(s, why) {
	s.worker.terminate();
	session = null;
	cover("Cyclops broke off", [why.split("\n")[0], "Your files are kept. Please report this with what you did before."],
		[["Start page", () => start([])]]);
	console.error(why);
}

// Ends the session, which may keep what it has, then starts another.
function startInstead(words, extra = []) {
	const s = session;
	if (!s) {
		start(words, extra);
		return;
	}
	const go = () => {
		s.worker.terminate();
		session = null;
		start(words, extra);
	};
	s.whenEnded = go;
	signal(s, SIGHUP);
	setTimeout(() => session === s && go(), 3000);
}

// The words of a command line, quoted as in a shell.
function wordsOf(line) {
	const words = [];
	for (const m of line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g))
		words.push(m[0].replace(/"([^"]*)"|'([^']*)'/g, (all, a, b) => a === undefined ? b : a));
	return words[0] === "cyclops" ? words.slice(1) : words;
}

// ---- files from outside ----

// What a file is for: [kind, words to open it].
function kindOf(name, bytes) {
	if (bytes.length > 4 && bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46)
		return ["program", [`./${name}`]];
	if (/\.[sS]$/.test(name))
		return ["text", ["asm", name]];
	if (/\.cyc$/.test(name))
		return ["tour", ["tour", `./${name}`]];
	return ["data", null];
}

async function takeIn(named) {
	const extra = [], opens = [];
	let compile = null;
	for (const [name, file] of named) {
		const clean = name.split("/").filter(part => part && part !== "." && part !== ".." && !/[\0-\x1f]/.test(part)).join("/");
		if (!clean || clean.startsWith("."))
			continue;
		if (file.size > 256 << 20) {
			note(`${clean} is larger than 256 MB`);
			continue;
		}
		const bytes = new Uint8Array(await file.arrayBuffer());
		const [kind, words] = kindOf(clean, bytes);
		const parts = clean.split("/");
		for (let n = 1; n < parts.length; n++)
			extra.push({path: `${HOME}/${parts.slice(0, n).join("/")}`, folder: true});
		extra.push({path: `${HOME}/${clean}`, bytes, mode: kind === "program" ? 0o755 : 0o644});
		if (words)
			opens.push([kind, clean, words]);
		if (/\.(c|cc|cpp|cxx)$/.test(clean))
			compile = clean;
	}
	opens.sort((a, b) => "program text tour".indexOf(a[0]) - "program text tour".indexOf(b[0]));
	if (opens.length) {
		note(`${opens[0][1]} is opened${extra.length > 1 ? `; ${extra.length - 1} more in its folder` : ""}`);
		startInstead(opens[0][2], extra);
	} else if (extra.length) {
		keep(extra);
		note(compile ? `${compile} needs a compiler, which is not in the browser: riscv64-linux-gnu-gcc -O2 -g -static, then drop the program`
			: `${extra.length} file${extra.length > 1 ? "s" : ""} kept; a program that you open now can read ${extra.length > 1 ? "them" : "it"}`);
	}
}

// Files of a drop, those of folders with their path.
async function dropped(transfer) {
	const named = [];
	const walk = async (entry, path) => {
		if (entry.isFile) {
			named.push([path + entry.name, await new Promise((ok, bad) => entry.file(ok, bad))]);
		} else if (entry.isDirectory) {
			const reader = entry.createReader();
			for (;;) {
				const some = await new Promise((ok, bad) => reader.readEntries(ok, bad));
				if (!some.length)
					break;
				for (const one of some)
					await walk(one, path + entry.name + "/");
			}
		}
	};
	const entries = [...transfer.items].map(item => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(e => e);
	const plain = [...transfer.files];
	// A folder alone is the program's: its files lie at the top.
	if (entries.length === 1 && entries[0].isDirectory) {
		await walk(entries[0], "");
		return named.map(([name, file]) => [name.slice(name.indexOf("/") + 1), file]);
	}
	for (const entry of entries)
		await walk(entry, "");
	return entries.length ? named : plain.map(file => [file.name, file]);
}

function listFiles() {
	const files = ownFiles();
	$("files-none").hidden = files.length > 0;
	$("files-list").replaceChildren(...files.map(file => {
		const row = document.createElement("li"), name = document.createElement("span"), size = document.createElement("small");
		const get = document.createElement("button"), drop = document.createElement("button");
		name.textContent = shownName(file.path);
		size.textContent = file.bytes.length < 10000 ? `${file.bytes.length} bytes` : `${Math.round(file.bytes.length / 1000)} kB`;
		get.textContent = "Download";
		get.setAttribute("aria-label", `Download ${name.textContent}`);
		get.onclick = () => download(file);
		drop.textContent = "Remove";
		drop.setAttribute("aria-label", `Remove ${name.textContent}`);
		drop.onclick = () => { keep([{path: file.path, bytes: null}]); listFiles(); };
		row.append(name, size, get, drop);
		return row;
	}));
}

// ---- terminal ----

const dark = matchMedia("(prefers-color-scheme: dark)");
const THEMES = {
	dark: {background: "#14181d", foreground: "#d7dde3", cursor: "#d7dde3", selectionBackground: "#3a4d63",
		black: "#1c2229", red: "#e06c6c", green: "#83c07f", yellow: "#d9b65c", blue: "#6cb0ee", magenta: "#c294e0", cyan: "#5fc3c3", white: "#d7dde3",
		brightBlack: "#76828e", brightRed: "#f08a84", brightGreen: "#9fd69b", brightYellow: "#ecd07c", brightBlue: "#93c8f7", brightMagenta: "#d8b4ef", brightCyan: "#86dada", brightWhite: "#f4f6f8"},
	light: {background: "#fbfbf9", foreground: "#20262d", cursor: "#20262d", selectionBackground: "#bcd6ee",
		black: "#20262d", red: "#b3261e", green: "#2e7d32", yellow: "#8a6100", blue: "#1c66ad", magenta: "#7b3f9e", cyan: "#00727a", white: "#d9dcdf",
		brightBlack: "#6b7681", brightRed: "#c8433a", brightGreen: "#3f9142", brightYellow: "#a57700", brightBlue: "#2f7cc4", brightMagenta: "#9358b5", brightCyan: "#158a92", brightWhite: "#ffffff"},
};

// Letters with which the screen's 80 columns and 24 rows fit, as large as usual at most.
function usualSize() {
	const box = $("terminal");
	const wide = (box.clientWidth - 8) / 80 / 0.605, high = (box.clientHeight - 4) / 24 / 1.2;
	return Math.max(6, Math.min(14, Math.floor(2 * Math.min(wide, high)) / 2));
}

function applySize() {
	terminal.options.fontSize = Number(setting("letters")) || usualSize();
	try {
		fit.fit();
	} catch (e) {
		// not shown
	}
	tellSize();
}

function changeSize(by) {
	setting("letters", Math.max(6, Math.min(32, terminal.options.fontSize + by)));
	applySize();
	terminal.focus();
}

function copySelection() {
	const text = terminal.getSelection();
	if (text)
		navigator.clipboard.writeText(text).then(() => note("Copied", null, 2), () => showText(text));
	else
		note("Nothing is selected: hold Shift and draw over the text");
}

function showText(text) {
	$("link-text").value = text;
	$("link-dialog").showModal();
	$("link-text").select();
}

// The terminal's clipboard (OSC 52): only written, and only by the program's own `link`.
function takeClipboard(data) {
	const at = data.indexOf(";"), coded = data.slice(at + 1);
	if (at < 0 || coded === "?" || coded.length > 1 << 17)
		return true;
	let text;
	try {
		text = new TextDecoder().decode(Uint8Array.from(atob(coded), c => c.charCodeAt(0)));
	} catch (e) {
		return true;
	}
	const hash = text.indexOf("#1.");
	if (hash >= 0)
		history.replaceState(null, "", text.slice(hash));
	navigator.clipboard.writeText(text).then(
		() => note("The link to this moment is copied; it is this page's address, too."), () => showText(text));
	return true;
}

function openTerminal() {
	terminal = new Terminal({
		allowProposedApi: true, scrollback: 2000, fontSize: 14, customGlyphs: true, macOptionIsMeta: true,
		fontFamily: '"DejaVu Sans Mono", Menlo, "Cascadia Mono", Consolas, "Liberation Mono", monospace',
		theme: THEMES[dark.matches ? "dark" : "light"], screenReaderMode: setting("reader") === "on",
	});
	fit = new FitAddon.FitAddon();
	terminal.loadAddon(fit);
	terminal.loadAddon(new Unicode11Addon.Unicode11Addon());
	terminal.unicode.activeVersion = "11";
	terminal.open($("terminal"));
	try {
		terminal.loadAddon(new CanvasAddon.CanvasAddon());
	} catch (e) {
		// without a canvas it draws with the page's own text
	}
	terminal.onData(typeText);
	terminal.onBinary(text => type(Uint8Array.from(text, c => c.charCodeAt(0))));
	terminal.onTitleChange(title => { document.title = title ? `${title} - Cyclops` : "Cyclops"; });
	terminal.parser.registerOscHandler(52, takeClipboard);
	terminal.attachCustomKeyEventHandler(e => {
		if (e.key === "F6" || (e.ctrlKey && !e.shiftKey && !e.altKey && e.key === "v"))
			return false; // the page's, the browser's
		if (e.ctrlKey && e.shiftKey && (e.key === "C" || e.key === "V")) {
			if (e.type === "keydown" && e.key === "C") {
				e.preventDefault();
				copySelection();
			}
			return false;
		}
		return true;
	});
	new ResizeObserver(() => applySize()).observe($("terminal"));
	dark.addEventListener("change", () => { terminal.options.theme = THEMES[dark.matches ? "dark" : "light"]; });
}

// ---- buttons ----

const KEYS = [["Esc", "\x1b"], ["Tab", "\t"], ["Ctrl-C", "\x03"], ["←", "\x1b[D"], ["↑", "\x1b[A"], ["↓", "\x1b[B"], ["→", "\x1b[C"],
	["Enter", "\r"], ["s", "s"], ["S", "S"], ["c", "c"], ["Space", " "], ["?", "?"], [":", ":"], ["Find", "\x10"], ["F5", "\x1b[15~"], ["L", "L"]];

function showKeys(on) {
	$("keys").hidden = !on;
	$("touch").setAttribute("aria-pressed", on);
	setting("keys", on ? "on" : "off");
}

function makeButtons() {
	for (const [label, text] of KEYS) {
		const b = document.createElement("button");
		b.textContent = label;
		b.onpointerdown = e => e.preventDefault(); // the terminal keeps the focus, and the keyboard stays
		// Arrows as the program has asked for them: application cursor keys are ESC O.
		b.onclick = () => typeText(/^\x1b\[[A-D]$/.test(text) && terminal.modes.applicationCursorKeysMode ? text.replace("[", "O") : text);
		$("keys").append(b);
	}
	const was = setting("keys");
	showKeys(was ? was === "on" : matchMedia("(pointer: coarse)").matches);
	$("touch").onclick = () => showKeys($("keys").hidden);
	$("home").onclick = () => { history.replaceState(null, "", location.pathname); startInstead([]); };
	$("command").onclick = () => { $("command-dialog").showModal(); $("command-line").select(); };
	$("command-dialog").onclose = () => {
		const words = wordsOf($("command-line").value);
		if ($("command-dialog").returnValue === "run" && words.length) {
			setting("command", $("command-line").value);
			startInstead(words);
		}
		$("command-dialog").returnValue = "";
		terminal.focus();
	};
	$("command-line").value = setting("command") || "";
	$("open").onclick = () => $("picker").click();
	$("picker").onchange = () => {
		takeIn([...$("picker").files].map(file => [file.name, file]));
		$("picker").value = "";
	};
	$("files").onclick = () => { listFiles(); $("files-dialog").showModal(); };
	$("copy").onclick = copySelection;
	$("paste").onclick = () => navigator.clipboard.readText().then(text => { terminal.paste(text); terminal.focus(); },
		() => note("The browser does not let the page read the clipboard: Ctrl-V pastes"));
	$("smaller").onclick = () => changeSize(-1);
	$("larger").onclick = () => changeSize(1);
	$("help").onclick = () => $("help-dialog").showModal();
	$("reader").checked = setting("reader") === "on";
	$("reader").onchange = () => {
		setting("reader", $("reader").checked ? "on" : "off");
		terminal.options.screenReaderMode = $("reader").checked;
	};
	$("files-dialog").onclose = () => {
		if ($("files-dialog").returnValue === "forget" && confirm("Remove all your files and your progress from this browser?"))
			forget();
		$("files-dialog").returnValue = "";
		terminal.focus();
	};
	$("help-dialog").onclose = $("link-dialog").onclose = () => terminal.focus();
	addEventListener("keydown", e => {
		if (e.key !== "F6" || document.querySelector("dialog[open]"))
			return;
		e.preventDefault();
		if ($("terminal").contains(document.activeElement))
			$("home").focus();
		else
			terminal.focus();
	});
	addEventListener("dragover", e => { e.preventDefault(); document.body.classList.add("dropping"); });
	addEventListener("dragleave", () => document.body.classList.remove("dropping"));
	addEventListener("drop", async e => {
		e.preventDefault();
		document.body.classList.remove("dropping");
		takeIn(await dropped(e.dataTransfer));
	});
	addEventListener("hashchange", () => location.hash.startsWith("#1.") && startInstead(["link", location.hash]));
	setInterval(() => {
		const state = session ? Atomics.load(session.words, STATE) : ENDED;
		const computes = state === COMPUTES && session.computed;
		if (session)
			session.computed = state === COMPUTES;
		$("state").textContent = computes ? "computing…" : "";
	}, 300);
}

function forget() {
	keep([...kept.values()].map(file => ({path: file.path, bytes: null})));
	startInstead([]);
}

// ---- beginning ----

// The words after "cyclops" that the address asks for: a link's moment, ?tour=NAME, ?lab=N, ?demo=NAME
// or ?asm; nothing else, since the address may be a stranger's.
function wordsOfAddress() {
	if (location.hash.startsWith("#1."))
		return ["link", location.hash];
	const query = new URLSearchParams(location.search);
	for (const command of ["tour", "lab", "demo"]) {
		const name = query.get(command);
		if (name && /^[A-Za-z0-9][A-Za-z0-9_-]*(\/[A-Za-z0-9][A-Za-z0-9_-]*)?$/.test(name))
			return [command, name];
	}
	return query.has("asm") ? ["asm"] : [];
}

// Makes the page isolated, which shared memory needs: by the host's headers, or else by the service
// worker's, which needs the page loaded once more. False: it can't be.
async function isolate() {
	const workers = navigator.serviceWorker;
	if (workers) {
		try {
			await workers.register("service-worker.js");
			if (!crossOriginIsolated) {
				await workers.ready;
				if (!workers.controller)
					await new Promise(done => {
						workers.addEventListener("controllerchange", done, {once: true});
						setTimeout(done, 5000);
					});
				let tried = null;
				try {
					tried = sessionStorage.getItem("cyclops.tried");
					sessionStorage.setItem("cyclops.tried", tried ? "" : "yes");
				} catch (e) {
					tried = "yes";
				}
				if (!tried && window === top) {
					location.reload();
					return new Promise(() => {});
				}
			}
		} catch (e) {
			// such as a page from a file, or a frame without storage
			console.warn(e);
		}
	}
	try {
		sessionStorage.removeItem("cyclops.tried");
	} catch (e) {
		// a frame without storage
	}
	return crossOriginIsolated && typeof SharedArrayBuffer === "function";
}

function sayNotIsolated() {
	if (window !== top)
		cover("Cyclops opens in a window of its own here",
			["The page around this frame does not give it the shared memory that Cyclops needs."],
			[{text: "Open Cyclops", href: location.href}]);
	else if (location.protocol === "file:")
		cover("Cyclops needs a web server", ["A page from a file may not start a worker. In its folder type: python3 -m http.server, and open http://localhost:8000"]);
	else
		cover("This browser can't run Cyclops here",
			["It needs shared memory (SharedArrayBuffer), which browsers give to pages from https or localhost, with two headers that this page's service worker adds: a private window, or a setting, may forbid that.",
			 "Firefox, Chromium, Chrome, Edge and Safari since 2022 can. Or install Cyclops: it runs in any terminal."]);
}

async function begin() {
	if (!await isolate()) {
		sayNotIsolated();
		return;
	}
	await readStore();
	openTerminal();
	makeButtons();
	applySize();
	terminal.write("Loading Cyclops…");
	try {
		const answer = fetch("cyclops.wasm");
		wasmModule = await WebAssembly.compileStreaming(answer).catch(async () =>
			WebAssembly.compile(await (await fetch("cyclops.wasm")).arrayBuffer()));
	} catch (e) {
		cover("Cyclops could not be loaded", [e.message], [["Try again", () => location.reload()]]);
		return;
	}
	start(wordsOfAddress());
	setTimeout(() => {
		const controller = navigator.serviceWorker && navigator.serviceWorker.controller;
		if (controller && !(navigator.connection && navigator.connection.saveData))
			controller.postMessage("keep all");
	}, 5000);
	if (!store)
		note("This browser keeps nothing for this page: download what you need before you leave");
}

addEventListener("DOMContentLoaded", begin);
