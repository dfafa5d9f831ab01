// The worker in which the program runs: one for each session. It blocks until the program ends;
// page.js talks to it through the SharedArrayBuffer (core/host/web/README.md).
"use strict";

// Bytes of a URL, at once: the program waits for them. A service worker that is just being replaced
// fails a request; the next one reaches the new one.
function fetchFile(url) {
	let why = "";
	for (let tries = 0; tries < 4; tries++) {
		try {
			const request = new XMLHttpRequest();
			request.open("GET", url, false);
			request.responseType = "arraybuffer";
			request.send();
			if (request.status === 200)
				return new Uint8Array(request.response);
			why = `status ${request.status}`;
		} catch (e) {
			why = e.message;
		}
	}
	postMessage({missing: `${url}: ${why}`});
	throw new Error(why);
}

onmessage = async event => {
	const o = event.data;
	try {
		importScripts("cyclops.js");
		const list = await (await fetch("files.json")).json();
		Cyclops({
			wasmModule: o.wasmModule,
			arguments: o.arguments,
			environment: o.environment,
			files: o.files,
			course: {files: list.files, base: new URL("./", location.href).href},
			buffer: o.buffer,
			fetchFile,
			output: (fd, bytes) => postMessage({output: bytes, fd}, [bytes.buffer]),
			changed: list => postMessage({changed: list}),
			ended: (status, signal) => postMessage({ended: status, signal}),
		});
	} catch (e) {
		postMessage({failed: String(e && e.stack || e)});
	}
};
