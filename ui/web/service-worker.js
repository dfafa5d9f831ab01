// Keeps the page for use without a network, and adds the headers that a page needs for shared memory
// where the host does not send them. `make web` writes the version, so that a new one is another
// worker with another cache.
"use strict";

const VERSION = "@VERSION@";
// Two copies of the page at one origin have caches of their own.
const FOLDER = new URL("./", location.href).href;
const PREFIX = "cyclops " + new URL(FOLDER).pathname + " ";
const CACHE = PREFIX + VERSION;
const CORE = ["./", "index.html", "style.css", "page.js", "worker.js", "icon.svg", "xterm.js", "xterm.css",
	"addon-fit.js", "addon-unicode11.js", "addon-canvas.js", "cyclops.js", "cyclops.wasm", "files.json", "texts.data"];
const HEADERS = {
	"Cross-Origin-Opener-Policy": "same-origin",
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Cross-Origin-Resource-Policy": "cross-origin", // a frame of an isolated page of another site
	"X-Content-Type-Options": "nosniff",
	"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
		"style-src 'self' 'unsafe-inline'; connect-src 'self' blob:; img-src 'self' data:; " +
		"manifest-src 'self'; base-uri 'none'; form-action 'none'",
};

// The same answer with our headers.
function isolated(answer) {
	if (answer.status === 0 || answer.type === "opaque")
		return answer;
	const headers = new Headers(answer.headers);
	for (const name in HEADERS)
		headers.set(name, HEADERS[name]);
	return new Response(answer.body, {status: answer.status, statusText: answer.statusText, headers});
}

async function answerOf(request) {
	const cache = await caches.open(CACHE);
	const kept = await cache.match(request, {ignoreSearch: true});
	if (kept)
		return isolated(kept);
	const answer = await fetch(request, {cache: "no-cache"});
	if (answer.ok && answer.type === "basic")
		cache.put(request, answer.clone()).catch(() => {}); // no room: it stays on the network
	return isolated(answer);
}

addEventListener("install", event => event.waitUntil((async () => {
	const cache = await caches.open(CACHE);
	await cache.addAll(CORE.map(name => new Request(name, {cache: "no-cache"})));
})()));

addEventListener("activate", event => event.waitUntil((async () => {
	for (const name of await caches.keys())
		if (name.startsWith(PREFIX) && name !== CACHE)
			await caches.delete(name);
	await clients.claim();
})()));

addEventListener("fetch", event => {
	const url = new URL(event.request.url);
	// Other pages beside this one are their author's.
	const ours = url.href.startsWith(FOLDER) && /^(files\/|course\/)/.test(url.href.slice(FOLDER.length)) ||
		CORE.some(name => new URL(name, FOLDER).pathname === url.pathname);
	if (event.request.method === "GET" && url.origin === location.origin && ours)
		event.respondWith(answerOf(event.request));
});

// The page asks for all of the course, so that demos open without a network, too.
addEventListener("message", event => {
	if (event.data !== "keep all")
		return;
	event.waitUntil((async () => {
		const cache = await caches.open(CACHE);
		const list = await (await cache.match("files.json")).json();
		for (const name of new Set(list.files.map(file => Array.isArray(file[3]) ? file[3][0] : file[3]).filter(where => typeof where === "string")))
			if (!await cache.match(name))
				await cache.add(name).catch(() => {});
	})());
});
