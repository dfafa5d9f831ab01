// Runs the program under node: for tests, and to compare it with the native one.
//   node core/host/web/run.js [--tree FOLDER]... [--here] -- ARGUMENTS...
// --tree gives the program a folder of the host at the same path, to read; --here begins in the
// host's current folder. On a terminal, this thread is the page, and a worker runs the program; else
// standard input is a file.
'use strict';
const fs = require('fs');
const path = require('path');
const {Worker, isMainThread, workerData, parentPort} = require('worker_threads');

const built = path.join(__dirname, '../../../build/web');

function listTree(folder, files) {
	for (const entry of fs.readdirSync(folder, {withFileTypes: true})) {
		const name = path.join(folder, entry.name);
		if (entry.isDirectory())
			listTree(name, files);
		else if (entry.isFile())
			files.push([name, fs.statSync(name).size, fs.statSync(name).mode & 0o777, name]);
	}
}

function readWords(words) {
	const given = {trees: [], folder: process.env.CYCLOPS_FOLDER};
	while (words.length && words[0] !== '--') {
		const option = words.shift();
		if (option === '--here') {
			given.folder = process.cwd();
		} else if (option === '--tree' && words.length) {
			listTree(path.resolve(words.shift()), given.trees);
		} else {
			console.error('run.js: expected --tree FOLDER, --here or -- before the arguments');
			process.exit(2);
		}
	}
	given.arguments = words.slice(1);
	return given;
}

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

function run(given, buffer) {
	globalThis.Cyclops = require(path.join(built, 'cyclops.js'));
	const list = path.join(built, 'files.json');
	const environment = {};
	for (const name of ['COLUMNS', 'NO_COLOR', 'COLORFGBG', 'COLORTERM', 'CYCLOPS_THEME', 'TERM',
		'LC_ALL'])
		if (process.env[name] !== undefined)
			environment[name] = process.env[name];
	let status = 2;
	globalThis.Cyclops({
		wasmModule: new WebAssembly.Module(fs.readFileSync(path.join(built, 'cyclops.wasm'))),
		arguments: given.arguments,
		folder: given.folder,
		input: buffer || process.stdin.isTTY ? new Uint8Array(0) : readInput(),
		buffer,
		environment,
		course: {files: JSON.parse(fs.readFileSync(list)).files.concat(given.trees), base: ''},
		fetchFile: (name) => new Uint8Array(fs.readFileSync(path.resolve(built, name))),
		output: write,
		ended: (code) => { status = code; },
	}).catch(() => {});
	return status;
}

// The page's part, with a terminal of the host.
function playPage(given) {
	const WAKE = 5, RING = 4096;
	const buffer = new SharedArrayBuffer(131072);
	const words = new Int32Array(buffer), bytes = new Uint8Array(buffer);
	const keys = [];
	const wake = () => {
		Atomics.add(words, WAKE, 1);
		Atomics.notify(words, WAKE);
	};
	const signal = (number) => {
		Atomics.or(words, 2, 1 << number - 1);
		wake();
	};
	const resize = () => {
		Atomics.store(words, 3, process.stdout.columns || 80);
		Atomics.store(words, 4, process.stdout.rows || 24);
	};
	const put = () => {
		while (keys.length && Atomics.load(words, 0) - Atomics.load(words, 1) < RING) {
			const byte = keys.shift(), at = Atomics.load(words, 0);
			if (Atomics.load(words, 6) & 1 && (byte === 3 || byte === 28)) {
				signal(byte === 3 ? 2 : 3);
				continue;
			}
			bytes[RING + (at & RING - 1)] = byte;
			Atomics.store(words, 0, at + 1 | 0);
		}
		wake();
		if (keys.length)
			setTimeout(put, 5);
	};
	resize();
	process.stdin.setRawMode(true);
	process.stdin.on('data', (data) => {
		keys.push(...data);
		put();
	});
	process.stdout.on('resize', () => {
		resize();
		signal(28);
	});
	const worker = new Worker(__filename, {workerData: {given, buffer}});
	worker.on('message', (status) => { process.exitCode = status; });
	worker.on('error', (e) => { process.stderr.write(`${e.stack.slice(-2000)}\r\n`); });
	worker.on('exit', () => {
		process.stdin.setRawMode(false);
		process.exit();
	});
}

if (!isMainThread)
	parentPort.postMessage(run(workerData.given, workerData.buffer));
else if (process.stdin.isTTY && process.stdout.isTTY)
	playPage(readWords(process.argv.slice(2)));
else
	process.exitCode = run(readWords(process.argv.slice(2)), null);
