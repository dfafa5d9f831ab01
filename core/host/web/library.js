// The page's side of core/host/web/: terminal, signals, children, and the file system's calls where
// emscripten's own lack something. Linked into the module; page.h lists what C calls. The page's
// worker and this file agree on the buffer and the fields of Module as README.md has them.

// Places in the buffer, as 32-bit words, and its rings.
// KEYS_IN: bytes that the page has put in, KEYS_OUT: that were taken; WAKE: counts changes.

(() => {
const page = {
	$PAGE__deps: ['$FS', '$PATH', '$SYSCALLS'],
	$PAGE: {
		KEYS_IN: 0, KEYS_OUT: 1, SIGNALS: 2, WIDTH: 3, HEIGHT: 4, WAKE: 5, MODES: 6, MAIL: 7,
		STATE: 8,
		RING_AT: 4096, RING_BYTES: 4096, MAIL_AT: 65536,
		COMPUTES: 1, WAITS: 2, ENDED: 3,
		SIGNALS_MODE: 1, LINES_MODE: 2, ECHO_MODE: 4, NEWLINES_MODE: 8, RETURNS_MODE: 16,
		USUAL_MODES: 31,
		HOME: '/home/student', COURSE: '/usr/local/share/cyclops', PROGRAM: '/usr/local/bin/cyclops',
		KEEP_EVERY_MS: 1000,
		host: null, // of all instances; the first one makes it
		mask: 18, // 022

		fail: (wasi) => { throw new FS.ErrnoError(wasi); },

		// ---- beginning ----

		// Before the program begins: devices, files.
		prepare: () => {
			const first = !Module.host;
			if (first)
				Module.host = PAGE.newHost();
			const host = PAGE.host = Module.host;
			if (!first)
				PAGE.shareFiles(Module.parent);
			PAGE.mendFiles();
			FS.registerDevice(FS.makedev(5, 0), PAGE.standardStream(1));
			FS.registerDevice(FS.makedev(6, 0), PAGE.standardStream(2));
			PAGE.before = host.current;
			host.current = {take: () => _signals_take(), fs: FS};
			if (first)
				PAGE.layFiles();
			FS.currentPath = Module.folder || PAGE.HOME;
			Object.assign(ENV, {HOME: undefined, LANG: undefined, LOGNAME: undefined,
				PATH: undefined, PWD: undefined, USER: undefined, _: undefined});
			Object.assign(ENV, first ? {TERM: 'xterm-256color', COLORTERM: 'truecolor',
				HOME: PAGE.HOME, USER: 'student', LANG: 'C.UTF-8', PATH: '/usr/local/bin'} : {},
				Module.environment);
		},
		newHost: () => {
			const buffer = Module.buffer;
			const host = {
				words: buffer ? new Int32Array(buffer) : null,
				bytes: buffer ? new Uint8Array(buffer) : null,
				modes: PAGE.USUAL_MODES, line: [], ready: [], seen: 0, ended: false,
				input: Module.input || new Uint8Array(0), taken: 0,
				output: Module.output, changed: Module.changed, packs: {},
				kept: new Map(), keptAt: 0, current: null,
			};
			if (host.words)
				Atomics.store(host.words, PAGE.MODES, host.modes);
			return host;
		},
		// A child has the files of its parent, and files open by itself.
		shareFiles: (parent) => {
			FS.root = parent.root;
			FS.nameTable = parent.nameTable;
			FS.ErrnoError = parent.ErrnoError;
			FS.genericErrors = parent.genericErrors;
			FS.FSNode = parent.FSNode;
			FS.createNode = parent.createNode;
			FS.mounts = parent.mounts;
			FS.createStandardStreams = () => {};
		},
		// A child's standard streams are its parent's.
		begin: () => {
			(Module.streams || []).forEach((stream, fd) => stream && PAGE.duplicate(stream, fd, fd));
		},
		layFiles: () => {
			for (const folder of [PAGE.HOME, PAGE.COURSE, '/usr/local/bin', '/memory'])
				FS.mkdirTree(folder);
			FS.writeFile(PAGE.PROGRAM, '', {mode: 0o755});
			const course = Module.course || {files: []};
			for (const file of course.files)
				PAGE.layLater(file[0], file[1], file[2], file[3], course.base || '');
			for (const file of Module.files || [])
				PAGE.lay(file);
			PAGE.noteKept(null);
		},
		lay: (file) => {
			FS.mkdirTree(PATH.dirname(file.path));
			if (file.folder)
				FS.mkdirTree(file.path);
			else if (file.link !== undefined)
				FS.analyzePath(file.path, true).exists || FS.symlink(file.link, file.path);
			else
				FS.writeFile(file.path, new Uint8Array(file.bytes), {mode: file.mode || 0o644});
			if (file.mode && file.bytes)
				FS.chmod(file.path, file.mode);
		},
		// A file whose bytes are fetched when they are first asked for.
		layLater: (path, size, mode, where, base) => {
			FS.mkdirTree(PATH.dirname(path));
			const node = FS.create(path, mode);
			node.usedBytes = size;
			Object.defineProperty(node, 'contents', {
				configurable: true,
				get: () => node.contents = PAGE.bytesOf(where, size, base),
				set: (value) => Object.defineProperty(node, 'contents',
					{value, writable: true, configurable: true}),
			});
		},
		bytesOf: (where, size, base) => {
			if (typeof where === 'string')
				return PAGE.fetchFile(base + where);
			const packs = PAGE.host.packs, shared = Array.isArray(where);
			const name = shared ? where[0] : 'texts.data', at = shared ? where[1] : where;
			packs[name] = packs[name] || PAGE.fetchFile(base + name);
			return packs[name].slice(at, at + size);
		},
		fetchFile: (url) => {
			try {
				if (Module.fetchFile)
					return Module.fetchFile(url);
				const request = new XMLHttpRequest();
				request.open('GET', url, false);
				request.responseType = 'arraybuffer';
				request.send();
				if (request.status !== 200 && request.status !== 0)
					PAGE.fail({{{ cDefine('EIO') }}});
				return new Uint8Array(request.response);
			} catch (e) {
				PAGE.fail({{{ cDefine('EIO') }}});
			}
		},

		// ---- what emscripten's file system lacks ----

		mendFiles: () => {
			const open = FS.open, rename = FS.rename, closeStream = FS.closeStream;
			const mayLookup = FS.mayLookup;
			const PLACE = 0x200000; // O_PATH
			FS.mayLookup = (node) => FS.isDir(node.mode) ? mayLookup(node) : {{{ cDefine('ENOTDIR') }}};
			// Says why a path leads nowhere; opens links and folders as places; files get the
			// permissions that the mask leaves.
			FS.open = (path, flags, mode, from, to) => {
				if (typeof path === 'string' && typeof flags === 'number' && path)
					FS.lookupPath(path, {parent: true});
				if (flags & PLACE) {
					const node = FS.lookupPath(path,
						{follow: !(flags & {{{ cDefine('O_NOFOLLOW') }}})}).node;
					if (flags & {{{ cDefine('O_DIRECTORY') }}} && !FS.isDir(node.mode))
						PAGE.fail({{{ cDefine('ENOTDIR') }}});
					return FS.createStream({node, path: FS.getPath(node), flags: PLACE, seekable: false,
						position: 0, stream_ops: {}, ungotten: [], error: false}, from, to);
				}
				return open(path, flags, mode === undefined ? mode : mode & ~PAGE.mask, from, to);
			};
			// A file that rename() replaces is found no more by its name.
			FS.rename = (from, to) => {
				let replaced = null;
				try {
					replaced = FS.lookupPath(to, {follow: false}).node;
				} catch (e) {
				}
				const moved = FS.lookupPath(from, {follow: false}).node;
				rename(from, to);
				if (replaced && replaced !== moved)
					FS.hashRemoveNode(replaced);
			};
			FS.closeStream = (fd) => {
				const stream = FS.streams[fd];
				closeStream(fd);
				if (stream && stream.node && stream.node.memory && --stream.node.memory === 0)
					FS.unlink(FS.getPath(stream.node));
			};
			// /proc/self/fd is the running instance's.
			const folder = FS.lookupPath('/proc/self/fd').node;
			folder.node_ops = {
				lookup: (parent, name) => {
					const stream = PAGE.host.current.fs.getStream(+name);
					if (!stream)
						PAGE.fail({{{ cDefine('ENOENT') }}});
					const link = {mount: {mountpoint: 'fake'}, mode: {{{ cDefine('S_IFLNK') }}},
						node_ops: {readlink: () => stream.path}};
					return link.parent = link;
				},
				readdir: () => ['.', '..'].concat(Object.keys(PAGE.host.current.fs.streams)),
				getattr: folder.node_ops.getattr,
			};
		},
		// Another descriptor of the same open file: they share its place.
		duplicate: (stream, from, to) => {
			const place = stream.place || {position: stream.position, flags: stream.flags};
			const share = (one) => {
				one.place = place;
				Object.defineProperty(one, 'position', {get: () => place.position,
					set: (n) => place.position = n, enumerable: false, configurable: true});
				Object.defineProperty(one, 'flags', {get: () => place.flags,
					set: (n) => place.flags = n, enumerable: false, configurable: true});
			};
			if (!stream.place)
				share(stream);
			const other = FS.createStream({node: stream.node, path: stream.path,
				seekable: stream.seekable, stream_ops: stream.stream_ops, tty: stream.tty,
				end: stream.end, ungotten: [], error: false}, from, to);
			share(other);
			if (stream.end)
				stream.end.open++;
			if (stream.node.memory)
				stream.node.memory++;
			return other;
		},
		// Pipes without a limit: those that write end before others read.
		pipe: () => {
			const chunks = [], reader = {open: 1}, writer = {open: 1};
			const node = (name) => ({name, mode: {{{ cDefine('S_IFIFO') }}} | 0o600, id: FS.nextInode++,
				parent: FS.root, mount: FS.root.mount, timestamp: Date.now(), rdev: 0,
				node_ops: {getattr: PAGE.statOfPipe}});
			const ops = (end, other) => ({
				close: () => { end.open--; },
				poll: () => end === reader
					? (chunks.length ? 1 : 0) | (writer.open ? 0 : 16)
					: reader.open ? 4 : 8,
				read: (stream, buffer, offset, length) => {
					if (!chunks.length)
						return writer.open && length ? PAGE.fail({{{ cDefine('EAGAIN') }}}) : 0;
					const n = Math.min(length, chunks[0].length);
					buffer.set(chunks[0].subarray(0, n), offset);
					if (n === chunks[0].length)
						chunks.shift();
					else
						chunks[0] = chunks[0].subarray(n);
					return n;
				},
				write: (stream, buffer, offset, length) => {
					if (!reader.open)
						PAGE.fail({{{ cDefine('EPIPE') }}});
					if (length)
						chunks.push(new Uint8Array(buffer.slice(offset, offset + length)));
					return length;
				},
			});
			const make = (end, flags) => FS.createStream({node: node('pipe'), path: 'pipe:[1]',
				flags, seekable: false, position: 0, end, stream_ops: ops(end), ungotten: []}).fd;
			return [make(reader, {{{ cDefine('O_RDONLY') }}}), make(writer, {{{ cDefine('O_WRONLY') }}})];
		},
		statOfPipe: (node) => ({dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0,
			rdev: 0, size: 0, blksize: 4096, blocks: 0, atime: new Date(node.timestamp),
			mtime: new Date(node.timestamp), ctime: new Date(node.timestamp)}),
		stat: (node, buf) => {
			if (!node.node_ops.getattr)
				PAGE.fail({{{ cDefine('EPERM') }}});
			return SYSCALLS.doStat(() => node.node_ops.getattr(node), '/', buf);
		},

		// ---- terminal ----

		isTerminal: () => !!PAGE.host.words,
		standardStream: (fd) => ({
			open: (stream) => {
				stream.seekable = false;
				if (PAGE.isTerminal())
					stream.tty = {};
			},
			close: () => {},
			read: (stream, buffer, offset, length) => PAGE.isTerminal()
				? PAGE.readTerminal(stream, buffer, offset, length)
				: PAGE.readInput(buffer, offset, length),
			write: (stream, buffer, offset, length) => {
				PAGE.put(fd, buffer.slice(offset, offset + length));
				return length;
			},
			poll: () => (!PAGE.isTerminal() || PAGE.hasInput() ? 1 : 0) | 4,
		}),
		put: (fd, bytes) => {
			const host = PAGE.host;
			let out = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
			if (PAGE.isTerminal() && host.modes & PAGE.NEWLINES_MODE && out.includes(10)) {
				const more = [];
				for (const byte of out) {
					if (byte === 10)
						more.push(13);
					more.push(byte);
				}
				out = new Uint8Array(more);
			}
			if (host.output)
				host.output(fd, out);
		},
		readInput: (buffer, offset, length) => {
			const host = PAGE.host;
			const bytes = host.input.subarray(host.taken, host.taken + length);
			buffer.set(bytes, offset);
			host.taken += bytes.length;
			return bytes.length;
		},
		// Moves bytes of the page from the ring to `ready`, through the line's editor.
		takeKeys: () => {
			const host = PAGE.host, w = host.words;
			const end = Atomics.load(w, PAGE.KEYS_IN);
			let at = Atomics.load(w, PAGE.KEYS_OUT);
			for (; at !== end; at = at + 1 | 0) {
				let byte = host.bytes[PAGE.RING_AT + (at & PAGE.RING_BYTES - 1)];
				if (byte === 13 && host.modes & PAGE.RETURNS_MODE)
					byte = 10;
				if (host.modes & PAGE.LINES_MODE)
					PAGE.editLine(byte);
				else
					host.ready.push(byte);
			}
			Atomics.store(w, PAGE.KEYS_OUT, end);
		},
		editLine: (byte) => {
			const host = PAGE.host, echo = host.modes & PAGE.ECHO_MODE;
			const put = (...bytes) => echo && PAGE.put(1, Uint8Array.from(bytes));
			if (byte === 127 || byte === 8) {
				if (!host.line.length)
					return;
				while (host.line.length && (host.line.pop() & 0xc0) === 0x80)
					;
				put(8, 32, 8);
			} else if (byte === 21) {
				while (host.line.length)
					PAGE.editLine(127);
			} else if (byte === 4) {
				host.ready.push(...host.line.splice(0));
				host.atEnd = !host.ready.length;
			} else {
				host.line.push(byte);
				put(byte);
				if (byte === 10)
					host.ready.push(...host.line.splice(0));
			}
		},
		hasInput: () => {
			PAGE.takeKeys();
			return PAGE.host.ready.length > 0 || !!PAGE.host.atEnd;
		},
		readTerminal: (stream, buffer, offset, length) => {
			const host = PAGE.host;
			for (;;) {
				if (host.current.take())
					PAGE.fail({{{ cDefine('EINTR') }}});
				if (PAGE.hasInput() || !length)
					break;
				if (stream.flags & {{{ cDefine('O_NONBLOCK') }}})
					PAGE.fail({{{ cDefine('EAGAIN') }}});
				PAGE.wait(-1);
			}
			const bytes = host.ready.splice(0, length);
			if (!bytes.length)
				host.atEnd = false;
			buffer.set(bytes, offset);
			return bytes.length;
		},
		takeSignals: () => {
			const w = PAGE.host.words, XCPU = 1 << 23;
			const over = Module.until && Date.now() > Module.until ? XCPU : 0;
			if (!w)
				return over;
			PAGE.host.seen = Atomics.load(w, PAGE.WAKE);
			if (Atomics.load(w, PAGE.MAIL))
				PAGE.takeMail();
			return Atomics.exchange(w, PAGE.SIGNALS, 0) | over;
		},
		// Waits for a change since takeSignals(); it may return before anything has come.
		wait: (ms) => {
			const host = PAGE.host, w = host.words;
			if (!w)
				return false;
			let limit = ms < 0 ? Infinity : ms;
			if (host.changed) {
				const left = host.keptAt + PAGE.KEEP_EVERY_MS - Date.now();
				if (left <= 0)
					PAGE.keep();
				else
					limit = Math.min(limit, left);
			}
			Atomics.store(w, PAGE.STATE, PAGE.WAITS);
			Atomics.wait(w, PAGE.WAKE, host.seen, limit);
			Atomics.store(w, PAGE.STATE, PAGE.COMPUTES);
			return true;
		},
		ready: (fd) => {
			const stream = FS.getStream(fd);
			return !stream ? 32 : stream.stream_ops.poll ? stream.stream_ops.poll(stream) : 5;
		},

		// ---- files that the page keeps ----

		takeMail: () => {
			const host = PAGE.host;
			const n = Atomics.load(host.words, PAGE.MAIL);
			const text = new TextDecoder().decode(host.bytes.slice(PAGE.MAIL_AT, PAGE.MAIL_AT + n));
			Atomics.store(host.words, PAGE.MAIL, 0);
			try {
				const mail = JSON.parse(text);
				for (const file of mail.put || [])
					PAGE.lay({path: file.path, mode: file.mode, bytes: PAGE.fetchFile(file.url)});
				if (mail.get && host.changed)
					host.changed(mail.get.map((path) => PAGE.entry(path)).filter((e) => e));
				if (mail.snapshot)
					PAGE.keep(true);
			} catch (e) {
				PAGE.put(2, new TextEncoder().encode(`cyclops: a file of the page: ${e.message || e}\n`));
			}
		},
		entry: (path) => {
			try {
				const node = FS.lookupPath(path, {follow: false}).node;
				if (FS.isDir(node.mode))
					return {path, folder: true};
				if (FS.isLink(node.mode))
					return {path, link: node.link};
				const bytes = node.usedBytes ? new Uint8Array(node.contents.slice(0, node.usedBytes))
					: new Uint8Array(0);
				return {path, bytes, mode: node.mode & 0o777};
			} catch (e) {
				return null;
			}
		},
		// Calls see(path, node) for all below the user's folder, folders before their files.
		walk: (see, folder, path) => {
			for (const name of Object.keys(folder.contents)) {
				const node = folder.contents[name];
				see(`${path}/${name}`, node);
				if (FS.isDir(node.mode))
					PAGE.walk(see, node, `${path}/${name}`);
			}
		},
		// Notes what is there; calls see(path) for what has changed since.
		noteKept: (see, all) => {
			const host = PAGE.host, was = host.kept, is = host.kept = new Map();
			PAGE.walk((path, node) => {
				const old = was.get(path);
				const now = {time: node.timestamp, size: node.usedBytes, folder: FS.isDir(node.mode),
					contents: FS.isFile(node.mode) ? node.contents : null};
				is.set(path, now);
				const same = old && old.folder === now.folder && (now.folder ||
					(old.time === now.time && old.size === now.size && old.contents === now.contents));
				if (see && (all || !same))
					see(path);
			}, FS.lookupPath(PAGE.HOME).node, PAGE.HOME);
			for (const path of was.keys())
				if (see && !is.has(path))
					see(path);
		},
		keep: (all) => {
			const host = PAGE.host, list = [];
			host.keptAt = Date.now();
			PAGE.noteKept((path) => list.push(PAGE.entry(path) || {path, bytes: null}), all);
			if (list.length && host.changed)
				host.changed(list);
		},

		// ---- children ----

		strings: (at) => {
			const list = [];
			for (; HEAPU32[at >> 2]; at += 4)
				list.push(UTF8ToString(HEAPU32[at >> 2]));
			return list;
		},
		run: (argv, environment, streams, seconds) => {
			const host = PAGE.host, current = host.current, modes = host.modes;
			let status = 0;
			const child = {
				wasmModule: Module.wasmModule, host, parent: FS, folder: FS.cwd(),
				arguments: argv.slice(1), fetchFile: Module.fetchFile,
				until: seconds ? Date.now() + seconds * 1000 : 0,
				environment: Object.fromEntries(environment.map((text) => {
					const at = text.indexOf('=');
					return [text.slice(0, at), text.slice(at + 1)];
				})),
				streams: streams.map((fd, i) => FS.getStream(fd < 0 ? i : fd)),
				ended: (code, signal) => { status = signal || (code & 255) << 8; },
			};
			try {
				globalThis.Cyclops(child);
			} catch (e) {
				PAGE.put(2, new TextEncoder().encode(`cyclops: ${e.message || e}\n`));
				status = 11;
			}
			host.current = current;
			host.modes = modes;
			return status;
		},
		// The program has ended: called once.
		end: (code) => {
			const host = PAGE.host, child = !!Module.parent;
			for (const stream of FS.streams)
				if (stream && stream.end)
					stream.end.open--;
			if (!child) {
				if (host.changed)
					PAGE.keep();
				if (host.words) {
					Atomics.store(host.words, PAGE.STATE, PAGE.ENDED);
				}
			}
			if (Module.ended)
				Module.ended(code, PAGE.signal || 0);
		},
	},

	page_take_signals__deps: ['$PAGE'],
	page_take_signals: function() { return PAGE.takeSignals(); },
	page_wait__deps: ['$PAGE'],
	page_wait: function(ms) { return PAGE.wait(ms) ? 1 : 0; },
	page_ready__deps: ['$PAGE'],
	page_ready: function(fd) { return PAGE.ready(fd); },
	page_terminal_size__deps: ['$PAGE'],
	page_terminal_size: function() {
		const w = PAGE.host.words;
		return Atomics.load(w, PAGE.HEIGHT) << 16 | Atomics.load(w, PAGE.WIDTH);
	},
	page_is_terminal__deps: ['$PAGE'],
	page_is_terminal: function(fd) {
		const stream = FS.getStream(fd);
		return stream && stream.tty ? 1 : 0;
	},
	page_modes__deps: ['$PAGE'],
	page_modes: function() { return PAGE.host.modes; },
	page_set_modes__deps: ['$PAGE'],
	page_set_modes: function(modes) {
		PAGE.host.modes = modes;
		if (PAGE.host.words)
			Atomics.store(PAGE.host.words, PAGE.MODES, modes);
	},
	page_set_mask__deps: ['$PAGE'],
	page_set_mask: function(mask) { PAGE.mask = mask; },
	page_run__deps: ['$PAGE'],
	page_run: function(argv, environment, streams, seconds) {
		return PAGE.run(PAGE.strings(argv), PAGE.strings(environment),
			[0, 1, 2].map((i) => HEAP32[(streams >> 2) + i]), seconds);
	},
	page_end_by_signal__deps: ['$PAGE'],
	page_end_by_signal: function(number) {
		PAGE.signal = number;
		procExit(128 + number);
	},
	page_memory_file__deps: ['$PAGE'],
	page_memory_file: function() {
		const stream = FS.open(`/memory/${FS.nextInode}`,
			{{{ cDefine('O_RDWR') }}} | {{{ cDefine('O_CREAT') }}} | {{{ cDefine('O_EXCL') }}}, 0o600);
		stream.node.memory = 1;
		return stream.fd;
	},
};

// Calls in place of emscripten's, which open a file anew to duplicate it, and find it by its name.
const calls = {
	__syscall_fstat64: function(fd, buf) {
		return PAGE.stat(SYSCALLS.getStreamFromFD(fd).node, buf);
	},
	__syscall_dup: function(fd) {
		return PAGE.duplicate(SYSCALLS.getStreamFromFD(fd)).fd;
	},
	__syscall_dup3: function(fd, to, flags) {
		const stream = SYSCALLS.getStreamFromFD(fd);
		if (fd === to)
			return -{{{ cDefine('EINVAL') }}};
		const there = FS.getStream(to);
		if (there)
			FS.close(there);
		return PAGE.duplicate(stream, to, to).fd;
	},
	__syscall_pipe: function(fds) {
		const ends = PAGE.pipe();
		HEAP32[fds >> 2] = ends[0];
		HEAP32[(fds >> 2) + 1] = ends[1];
		return 0;
	},
	__syscall_fcntl64: function(fd, command, varargs) {
		const stream = SYSCALLS.getStreamFromFD(fd);
		const changed = {{{ cDefine('O_APPEND') }}} | {{{ cDefine('O_NONBLOCK') }}};
		switch (command) {
		case {{{ cDefine('F_DUPFD') }}}:
		case 1030: { // F_DUPFD_CLOEXEC
			const from = SYSCALLS.get();
			return from < 0 ? -{{{ cDefine('EINVAL') }}} : PAGE.duplicate(stream, from).fd;
		}
		case {{{ cDefine('F_GETFD') }}}:
			return stream.closes ? 1 : 0;
		case {{{ cDefine('F_SETFD') }}}:
			stream.closes = !!(SYSCALLS.get() & 1);
			return 0;
		case {{{ cDefine('F_GETFL') }}}:
			return stream.flags;
		case {{{ cDefine('F_SETFL') }}}:
			stream.flags = stream.flags & ~changed | SYSCALLS.get() & changed;
			return 0;
		case {{{ cDefine('F_GETLK') }}}:
			HEAP16[SYSCALLS.get() >> 1] = {{{ cDefine('F_UNLCK') }}};
			return 0;
		case {{{ cDefine('F_SETLK') }}}:
		case {{{ cDefine('F_SETLKW') }}}:
			return 0;
		default:
			return -{{{ cDefine('EINVAL') }}};
		}
	},
	__syscall_readlinkat: function(folder, path, buf, size) {
		const at = SYSCALLS.calculateAt(folder, SYSCALLS.getStr(path));
		const node = FS.lookupPath(at).node;
		if (!node.node_ops.readlink)
			return -{{{ cDefine('EINVAL') }}};
		const text = new TextEncoder().encode(node.node_ops.readlink(node)).subarray(0, size);
		HEAPU8.set(text, buf);
		return text.length;
	},
	__syscall_readlink: function(path, buf, size) {
		return ___syscall_readlinkat({{{ cDefine('AT_FDCWD') }}}, path, buf, size);
	},
	__syscall_utimensat: function(folder, path, times, flags) {
		const at = SYSCALLS.calculateAt(folder, SYSCALLS.getStr(path), true);
		const NOW = 0x3fffffff, OMIT = 0x3ffffffe, now = Date.now();
		const time = (i) => {
			const seconds = HEAP32[(times >> 2) + 2 * i], ns = HEAP32[(times >> 2) + 2 * i + 1];
			return !times || ns === NOW ? now : ns === OMIT ? null : seconds * 1000 + ns / 1e6;
		};
		const node = FS.lookupPath(at, {follow: !(flags & {{{ cDefine('AT_SYMLINK_NOFOLLOW') }}})}).node;
		const written = time(1);
		if (written !== null)
			node.node_ops.setattr(node, {timestamp: written});
		return 0;
	},
};
for (const name of Object.keys(calls)) {
	wrapSyscallFunction(name, calls, false);
	calls[name + '__deps'].push('$PAGE');
}
calls.__syscall_readlink__deps.push('__syscall_readlinkat');
mergeInto(LibraryManager.library, page);
mergeInto(LibraryManager.library, calls);
})();
