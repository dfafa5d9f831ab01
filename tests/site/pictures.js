// Measures each picture's texts in a browser: a text is as long as its cells, and no longer than the way to the next one.
"use strict";
const CELL = 8.4, told = [];
const is = (what, truth) => told.push((truth ? "ok " : "not ok ") + what);
const wide = c => /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(c);
const cells = s => [...s].reduce((n, c) => n + (wide(c) ? 2 : 1), 0);
const number = (e, name) => parseFloat(e.getAttribute(name));

// The pictures of a file: the frames of one that moves, or the file itself.
const measure = async name => {
	const svg = new DOMParser().parseFromString(await (await fetch(name)).text(), "image/svg+xml").documentElement;
	document.body.replaceChildren(svg);
	await document.fonts.ready;
	const texts = [...svg.querySelectorAll("text[textLength]")];
	is(name + " has texts", texts.length > 20);
	const stretched = texts.filter(t => Math.abs(number(t, "textLength") - cells(t.textContent) * CELL) > 0.5);
	is(name + ": no text is stretched: " + stretched.slice(0, 3).map(t => t.textContent).join(" | "), !stretched.length);
	// Fonts differ in signs; letters and digits have the font's own width.
	const loose = texts.filter(t => {
		const plain = /^[\x20-\x7e]{4,}$/.test(t.textContent), want = number(t, "textLength");
		t.removeAttribute("textLength");
		const own = t.getComputedTextLength();
		t.setAttribute("textLength", want);
		return plain && Math.abs(own / want - 1) > 0.12;
	});
	is(name + ": letters are as wide as cells: " + loose.slice(0, 3).map(t => t.textContent).join(" | "), !loose.length);
	const over = texts.filter(t => {
		const box = t.getBBox();
		return texts.some(o => o !== t && o.parentNode === t.parentNode && number(o, "y") === number(t, "y") &&
			number(o, "x") > number(t, "x") && number(o, "x") < box.x + box.width - 1);
	});
	is(name + ": no text lies over another: " + over.slice(0, 3).map(t => t.textContent).join(" | "), !over.length);
};

(async () => {
	try {
		for (const name of PICTURES)
			await measure(name);
	} catch (e) {
		told.push("not ok " + e.stack.replace(/\n */g, " "));
	}
	told.push("done");
	await fetch("results", {method: "POST", body: told.join("\n")});
})();
