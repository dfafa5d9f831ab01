// Opens every page of the site in a frame, follows its links, and searches: sends a line "ok WHAT" or "not ok WHAT" each.
"use strict";
const told = [];
const is = (what, truth) => told.push((truth ? "ok " : "not ok ") + what);
const frame = document.body.appendChild(document.createElement("iframe"));
frame.style.cssText = "width: 1200px; height: 700px";
const until = async (what, ms) => {
	for (let left = ms; left > 0; left -= 50) {
		const got = what();
		if (got)
			return got;
		await new Promise(r => setTimeout(r, 50));
	}
	return null;
};
const open = page => new Promise(r => {
	frame.onload = r;
	frame.src = page;
});

// The state of an address of the site: whether it exists, and its anchors.
const known = new Map();
const anchors = async url => {
	if (!known.has(url)) {
		const answer = await fetch(url).catch(e => ({ok: false, headers: new Headers(), why: e.message}));
		const html = (answer.headers.get("content-type") || "").includes("html");
		const page = answer.ok && html ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
		known.set(url, answer.ok ? new Set(page ? [...page.querySelectorAll("[id]")].map(e => e.id) : []) : null);
	}
	return known.get(url);
};
const dead = async page => {
	const bad = [];
	for (const a of page.querySelectorAll("a[href], img[src]")) {
		const url = new URL(a.href || a.src);
		if (url.origin !== location.origin)
			continue;
		const there = await anchors(url.origin + url.pathname);
		if (!there || (url.hash.length > 1 && !url.hash.startsWith("#__") && there.size && !there.has(decodeURIComponent(url.hash.slice(1)))))
			bad.push((a.getAttribute("href") || a.getAttribute("src")));
	}
	return bad;
};

// Whether code has as many rows as lines, unless a line is longer than 120 columns.
const whole = c => {
	const lines = c.textContent.replace(/\n$/, "").split("\n"), look = getComputedStyle(c);
	const height = c.clientHeight - parseFloat(look.paddingTop) - parseFloat(look.paddingBottom);
	return lines.some(l => [...l].length > 120) || height < (lines.length + 0.5) * parseFloat(look.lineHeight);
};

const pages = async () => {
	for (const page of PAGES) {
		await open(page);
		const it = frame.contentDocument;
		const text = it.querySelector("article");
		is(page + " renders", it.title.includes("Cyclops") && text && text.innerText.length > 80 && text.getBoundingClientRect().height > 50 &&
			!!text.querySelector("h1"));
		is(page + ": pictures are there", [...it.images].every(i => i.complete && i.naturalWidth > 0));
		is(page + ": code fits its column", page.startsWith("reference/") ||
			[...text.querySelectorAll("pre > code")].every(c => c.scrollWidth <= c.clientWidth));
		frame.style.width = "800px";
		is(page + ": lines of 120 columns stay lines at 800 pixels", [...text.querySelectorAll("pre > code")].every(whole));
		frame.style.width = "1200px";
		const bad = await dead(it);
		is(page + ": no dead link " + bad.slice(0, 5).join(" "), !bad.length);
	}
};
const search = async (word, where) => {
	await open("index.html");
	const it = frame.contentDocument;
	const box = it.querySelector("input.md-search__input");
	it.querySelector("#__search").click();
	box.focus();
	box.value = word;
	box.dispatchEvent(new Event("input", {bubbles: true}));
	box.dispatchEvent(new KeyboardEvent("keyup", {key: "a", bubbles: true}));
	const hits = await until(() => {
		const all = [...it.querySelectorAll(".md-search-result__link")];
		return all.length ? all : null;
	}, 20000);
	is("the search finds " + word, hits && hits.some(a => a.pathname.includes(where)));
};

(async () => {
	try {
		await pages();
		await search("rob_size", "reference/");
		await search("commit delay", "");
	} catch (e) {
		told.push("not ok " + e.stack.replace(/\n */g, " "));
	}
	told.push("done");
	await fetch("results", {method: "POST", body: told.join("\n")});
})();
