// The worker in which the program runs: one for each session. It blocks until the program ends;
// page.js talks to it through the SharedArrayBuffer (core/host/web/README.md).
"use strict";

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
			output: (fd, bytes) => postMessage({output: bytes, fd}, [bytes.buffer]),
			changed: list => postMessage({changed: list}),
			ended: (status, signal) => postMessage({ended: status, signal}),
		});
	} catch (e) {
		postMessage({failed: String(e && e.stack || e)});
	}
};
