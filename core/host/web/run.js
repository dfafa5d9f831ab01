// Runs the program under node, with node's standard streams: for tests, and to compare with others.
//   node core/host/web/run.js [--file PATH]... [--out FOLDER] -- ARGUMENTS...
// from a folder with build/web/. --file gives the program a file of the host at the same path;
// --out writes what lies in /tmp/out at the end into FOLDER. The course is the one of the build.
'use strict';
const fs = require('fs');
const path = require('path');

const built = path.join(process.cwd(), 'build/web');
const words = process.argv.slice(2);
const files = [];
let out = null;
while (words.length && words[0] !== '--') {
	const option = words.shift();
	if (option === '--file') {
		const name = path.resolve(words.shift());
		files.push({path: name, bytes: fs.readFileSync(name), mode: fs.statSync(name).mode & 0o777});
	} else if (option === '--out') {
		out = words.shift();
	} else {
		console.error(`run.js: ${option}: expected --file PATH, --out FOLDER or --`);
		process.exit(2);
	}
}
words.shift();

function write(fd, bytes) {
	for (let at = 0; at < bytes.length;) {
		try {
			at += fs.writeSync(fd, bytes, at);
		} catch (e) {
			if (e.code !== 'EAGAIN')
				throw e;
		}
	}
}

function readInput() {
	try {
		return fs.readFileSync(0);
	} catch (e) {
		return new Uint8Array(0);
	}
}

globalThis.Cyclops = require(path.join(built, 'cyclops.js'));
const list = path.join(built, 'files.json');
const course = fs.existsSync(list) ? JSON.parse(fs.readFileSync(list)) : {files: []};
let status = 2;
const module_ = {
	wasmModule: new WebAssembly.Module(fs.readFileSync(path.join(built, 'cyclops.wasm'))),
	arguments: words,
	files,
	folder: process.env.CYCLOPS_FOLDER,
	input: process.stdin.isTTY ? new Uint8Array(0) : readInput(),
	environment: process.env.COLUMNS ? {COLUMNS: process.env.COLUMNS} : {},
	course: {files: course.files, base: built + '/'},
	fetchFile: (name) => new Uint8Array(fs.readFileSync(name)),
	output: write,
	changed: out ? (changes) => changes.forEach((entry) => {
		const name = path.join(out, path.basename(entry.path));
		if (entry.bytes)
			fs.writeFileSync(name, entry.bytes);
	}) : undefined,
	ended: (code) => { status = code; },
};
globalThis.Cyclops(module_).catch(() => {});
process.exitCode = status;
