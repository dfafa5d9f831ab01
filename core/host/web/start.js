// Before the module's own code: how an instance begins and ends.
Module.thisProgram = 'cyclops';
Module.quit = (status, thrown) => { throw thrown; };
Module.print = Module.printErr = (text) => {
	if (Module.host)
		PAGE.put(2, new TextEncoder().encode(text + '\n'));
};
// At once, so that a child can run to its end within a call.
Module.instantiateWasm = (imports, receive) => {
	const instance = new WebAssembly.Instance(Module.wasmModule, imports);
	receive(instance, Module.wasmModule);
	return instance.exports;
};
Module.preRun = [() => PAGE.prepare()];
Module.onRuntimeInitialized = () => PAGE.begin();
Module.onExit = (code) => PAGE.end(code);
