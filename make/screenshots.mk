# Pictures of the screen for the README.

screenshots: ## take the README's pictures of the screen anew (SVG, demos/screenshots)
	$(Q)make/setup.sh build demos test
	$(sub) all demos build/demos/screenshots/svg
	$(Q)demos/screenshots/take.sh build/demos/screenshots/svg

build/demos/screenshots/svg: demos/screenshots/svg.c ui/screen/svg_row.c ui/screen/svg_row.h
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -o $@ $(filter %.c,$^)

.PHONY: screenshots
