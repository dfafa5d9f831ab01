// Drives the page of `export html` with a user's events, and writes the results into the page: a
// line "ok WHAT" or "not ok WHAT" each.
"use strict";
const told = [];
const is = (what, truth) => told.push((truth ? "ok " : "not ok ") + what);
const key = (k, on) => (on || document.body).dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true}));
const mouse = (kind, x, y) => {
	const box = canvas.getBoundingClientRect();
	canvas.dispatchEvent(new PointerEvent(kind, {clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerId: 1}));
};
const texts = id => $(id).textContent;
const slotsShown = () => [...document.querySelectorAll("#cpi .bar")].reduce((n, bar) => n + Number(bar.dataset.slots), 0);
const now = () => { waiting = false; draw(); };

try {
	now();
	is("the title names the program", texts("title").startsWith("sort"));
	// Zoom: more and fewer cycles, and everything.
	const before = visible();
	key("+"); now();
	is("+ shows fewer cycles", visible().to - visible().from < before.to - before.from);
	key("-"); key("-"); key("-"); now();
	is("- shows more", visible().to - visible().from > before.to - before.from);
	key("0"); now();
	is("0 shows all rows", visible().first === 0 && visible().last === rows.length - 1);
	is("and all cycles", visible().to === length);
	is("all slots are those of all cycles", slotsShown() === length * D.width);
	$("in").click(); $("in").click(); now();
	is("buttons zoom", visible().to - visible().from < length);
	is("slots are those of the visible cycles",
		slotsShown() === slots(Math.floor(visible().from), Math.ceil(visible().to)).reduce((a, b) => a + b, 0) &&
		slotsShown() === (Math.ceil(visible().to) - Math.floor(visible().from)) * D.width);
	view.w = 14; view.h = 19;
	// Keys select; the panes beside follow.
	key("Home"); now();
	is("Home selects the first", picked === 0);
	key("ArrowDown"); key("ArrowDown");
	is("down, twice", picked === 2);
	is("it is told", texts("why").includes("#" + rows[2][SEQ]) && texts("why").includes(rows[2][STATE]));
	is("its code is marked", document.querySelector("#code .here").textContent.includes(code(rows[2])[2]));
	is("the address says so", location.hash === "#seq=" + rows[2][SEQ]);
	key("End");
	is("End selects the last", picked === rows.length - 1);
	// A consumer, its producer and back.
	const user = rows.findIndex((r, i) => i > 50 && r[FROM].some(s => byseq.has(s)) && r[STATE] === "committed");
	pick(user, true); now();
	key("p");
	is("p goes to a producer", rows[user][FROM].includes(rows[picked][SEQ]));
	is("whose consumers are told", texts("why").includes("used by"));
	key("c");
	is("c goes to a consumer", rows[picked][FROM].length > 0);
	const waits = rows.findIndex((r, i) => chain(i).length > 1);
	pick(waits, true);
	is("a chain of waiting is told", document.querySelectorAll("#why ol a").length === chain(waits).length);
	document.querySelector("#why ol a").click();
	is("its links lead there", picked === chain(waits)[0]);
	// Phases follow each other without a gap, from fetch to the end.
	is("phases are in their order", rows.every(r => phases(r).every((p, i, all) => !i || p[1] >= all[i - 1][1])));
	// Click and hover.
	key("Home"); now();
	const y = RULER + (3 - view.y) * view.h + view.h / 2;
	mouse("pointermove", 40, y);
	is("pointing says what it is", getComputedStyle($("tip")).display === "block" && texts("tip").includes("#" + rows[3][SEQ]));
	mouse("pointerdown", 40, y); mouse("pointerup", 40, y);
	is("a click selects", picked === 3);
	const x0 = view.x;
	mouse("pointerdown", 600, 200); mouse("pointermove", 500, 200); mouse("pointerup", 500, 200); now();
	is("dragging pans", view.x > x0);
	is("and selects nothing", picked === 3);
	// Search.
	key("/");
	is("/ goes to the search", document.activeElement === $("find"));
	const want = code(rows[200])[2].split(" ")[0];
	$("find").value = want; $("find").dispatchEvent(new Event("input"));
	const count = rows.filter(r => [code(r)[0], code(r)[1], code(r)[2], r[NOTE]].some(t => t.toLowerCase().includes(want))).length;
	is("all that have the word are found", hits.length === count && texts("hits").endsWith("of " + group(count)));
	const first = picked;
	key("Enter", $("find"));
	is("Enter goes on", picked !== first);
	key("Escape", $("find"));
	key("N");
	is("N goes back", picked === first);
	$("find").value = "#" + rows[77][SEQ]; $("find").dispatchEvent(new Event("input"));
	is("a number is found", picked === 77);
	$("find").value = "no such thing"; $("find").dispatchEvent(new Event("input"));
	is("nothing is said to be nothing", texts("hits") === "nothing found");
	key("Escape", $("find"));
	// Mispredictions, theme, help.
	if (rows.some(r => r[WRONG])) {
		key("m");
		is("m goes to a misprediction", rows[picked][WRONG] === 1);
		is("which is told", texts("why").includes("mispredicted"));
	}
	const was = dark;
	key("d");
	is("d changes light and dark", dark !== was && document.documentElement.dataset.theme === (dark ? "dark" : "light"));
	key("?");
	is("? lists keys", $("keys").open);
	$("keys").close();
	dispatchEvent(new Event("beforeprint"));
	is("printed light", !dark);
	// The picture itself: it is not empty, and has several colours.
	key("Home"); now();
	const pixels = draw2d.getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
	for (let i = 0; i < pixels.length; i += 40)
		seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
	is("it is drawn in colours", seen.size > 8);
	// The hash named an instruction: left for the one who asked.
	const asked2 = asked && byseq.has(+asked[1]) ? byseq.get(+asked[1]) : 0;
	pick(asked2, true);
} catch (e) {
	told.push("not ok " + e.stack);
}
const results = document.createElement("pre");
results.id = "results";
results.textContent = "\n" + told.join("\n") + "\ndone\n";
document.body.append(results);
