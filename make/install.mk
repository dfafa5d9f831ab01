# Installing, and the Debian package. Included by the Makefile.

# Where zsh looks for functions that don't come with it.
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions

install: build/cyclops reference ## install program, configurations, what profile instructions need, manual page, reference and completions below PREFIX (default /usr/local)
	install -Dm755 build/cyclops $(DESTDIR)$(PREFIX)/bin/cyclops
	install -d $(DESTDIR)$(PREFIX)/share/cyclops/configs
	install -m644 $(wildcard demos/configs/*.lua) $(DESTDIR)$(PREFIX)/share/cyclops/configs
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
	$(Q)make/setup.sh build deb
	$(sub) all reference
	$(Q)make/deb.sh build/deb

.PHONY: install deb
