# Installing, and the Debian package. Included by the Makefile.

# Where zsh looks for functions that don't come with it.
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions

# What teaches, as it lies in the tree: sources, inputs, tours, scenarios, hand-ins, plug-ins, papers, pages; and what is built of it.
COURSE := $(DESTDIR)$(PREFIX)/share/cyclops
COURSE_FILES := find demos docs README.md TEACHING.md SECURITY.md core/README.md -path demos/screenshots -prune -o -path '*/results' -prune -o -type f -print
COURSE_BUILT := find build/demos -maxdepth 2 \( -path 'build/demos/papers' -o -name '*-*' -o -name '*.o' -o -name '*.s' -o -name '.*' \) -prune -o -type f -print
# Empty for who has no cross compiler: then what was built before is installed.
INSTALL_DEMOS ?= demos

install: build/cyclops reference $(INSTALL_DEMOS) ## install program, course, configurations, manual page, reference and completions below PREFIX (default /usr/local)
	install -d $(COURSE)
	tar -cf - $$($(COURSE_FILES); $(COURSE_BUILT)) | tar -xf - -C $(COURSE) --no-same-owner
	chmod -R u=rwX,go=rX $(COURSE)
	install -Dm755 build/cyclops $(DESTDIR)$(PREFIX)/bin/cyclops
	install -d $(DESTDIR)$(PREFIX)/share/cyclops/xprof
	install -m644 demos/include/xprof.h demos/include/xprof.inc demos/tools/xprof_runtime.c demos/tools/xprof_profile.h \
		demos/tools/xprof.ld $(DESTDIR)$(PREFIX)/share/cyclops/xprof
	install -m755 demos/tools/xprof-cc $(DESTDIR)$(PREFIX)/share/cyclops/xprof
	install -d $(DESTDIR)$(PREFIX)/share/doc/cyclops
	install -m644 build/docs/*.md $(DESTDIR)$(PREFIX)/share/doc/cyclops
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	build/cyclops help --man >$(DESTDIR)$(PREFIX)/share/man/man1/cyclops.1
	install -Dm644 ui/shell/cyclops.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cyclops
	install -Dm644 ui/shell/_cyclops $(DESTDIR)$(ZSH_FUNCTIONS)/_cyclops

deb: ## build a Debian package, build/deb/cyclops_VERSION_ARCHITECTURE.deb; installs nothing
	$(Q)make/setup.sh build demos deb
	$(sub) all reference demos
	$(Q)make/deb.sh build/deb

test-package: ## make the package and try it by itself, in a clean Debian root where that can be had; some minutes
	$(sub) deb
	$(Q)make/test-package.sh "$$(ls -t build/deb/*.deb | head -n 1)"

.PHONY: install deb test-package
