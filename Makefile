# Muster. `make help` lists what there is to make.

# Nothing here is made by a built-in rule, and to look for one that fits each source takes a fifth of a second.
MAKEFLAGS += --no-builtin-rules

BUN_VERSION := 1.4.5
# The pinned bun comes into node_modules with everything else; npm's or the machine's own only fetches it.
BUN := node_modules/.bin/bun
INSTALLER := $(shell command -v npx >/dev/null 2>&1 && echo npx --yes bun@$(BUN_VERSION) || echo bun)
INSTALLED := node_modules/.installed

SOURCES := $(shell find src web -type f 2>/dev/null) $(wildcard drizzle/*.sql LICENSES/* docs/*.md) CHANGELOG.md scripts/doc-pages.ts package.json

.PHONY: help run dev build executable release sign test flakes check fmt migration simulate mutants bench bench-long screenshots clean FORCE

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "%-11s %s\n", $$1, $$2 }'

run: dist/muster ## set up, build if stale, and start Muster (ARGS="--listen 127.0.0.1:9000")
	./dist/muster serve $(ARGS)

dev: $(INSTALLED) ## start from source, reload server and UI on change
	$(BUN) scripts/dev.ts $(ARGS)

build: dist/muster ## build dist/muster, the one executable

release: dist/web ## make executables, Debian packages, apt repository, install.sh, checksums and SBOM in dist/release
	$(BUN) scripts/release.ts

# SIGNERS lists the public keys of maintainers; SIGNED is what they sign.
RELEASE := dist/release
SIGNERS := packaging/allowed_signers
SIGNED = $(RELEASE)/SHA256SUMS
# What apt verifies: it reads OpenPGP signatures only.
SUITE = $(RELEASE)/dists/stable

sign: ## sign a release with a maintainer's SSH key (KEY=~/.ssh/id_ed25519), its apt repository with GPG_KEY=FINGERPRINT
	@test -n "$(KEY)" || { echo "KEY is missing: make sign KEY=path of the private key"; exit 1; }
	cd $(RELEASE) && sha256sum --check --strict --quiet SHA256SUMS
	rm -f $(SIGNED).sig
	ssh-keygen -Y sign -f $(KEY) -n muster-release $(SIGNED)
	@ssh-keygen -Y verify -f $(SIGNERS) -I muster -n muster-release -s $(SIGNED).sig < $(SIGNED) || \
	  { rm $(SIGNED).sig; echo "The public key of $(KEY) is not in $(SIGNERS)."; exit 1; }
	rm -f $(SUITE)/InRelease $(SUITE)/Release.gpg $(RELEASE)/muster.asc
	@test -n "$(GPG_KEY)" || { echo "GPG_KEY is missing: the apt repository stays unsigned."; exit 0; }; \
	  set -ex; gpg --batch --local-user "$(GPG_KEY)" --output $(SUITE)/InRelease --clearsign $(SUITE)/Release; \
	  gpg --batch --local-user "$(GPG_KEY)" --output $(SUITE)/Release.gpg --armor --detach-sign $(SUITE)/Release; \
	  gpg --batch --output $(RELEASE)/muster.asc --armor --export "$(GPG_KEY)"

test: dist/muster ## set up and run every check and test
	$(BUN) scripts/test.ts

flakes: dist/muster ## repeat tests in random order on one core, on two, and beside busy loops (TESTS=test RUNS=20 REST=5)
	$(BUN) scripts/flakes.ts

check: $(INSTALLED) ## types, lint, format, direction of imports, unused code, tables of docs/api.md
	$(BUN) --bun node_modules/.bin/tsc -p .
	$(BUN) --bun node_modules/.bin/biome check .
	$(BUN) scripts/api-docs.ts --check
	$(BUN) --bun node_modules/.bin/depcruise --config .dependency-cruiser.cjs src web
	$(BUN) --bun node_modules/.bin/knip --no-progress

fmt: $(INSTALLED) ## format, fix what lint can fix, and write the tables of docs/api.md
	$(BUN) --bun node_modules/.bin/biome check --write .
	$(BUN) scripts/api-docs.ts

migration: $(INSTALLED) ## make migrations of both engines from changes of src/platform/storage/schema.ts (NAME=what_changes)
	$(BUN) --bun node_modules/.bin/drizzle-kit generate --name $(or $(NAME),change)
	$(BUN) scripts/postgres-migration.ts $(or $(NAME),change)

simulate: $(INSTALLED) ## run the server in virtual time among faults (SEED=1 DAYS=1 AGENTS=200 POLL=300 RUNS=1)
	$(BUN) test/simulation/main.ts

mutants: $(INSTALLED) ## see which small faults in the source the simulation finds (SEED=1 MUTANTS=30)
	$(BUN) test/simulation/mutations.ts

bench: dist/muster ## run the benchmarks in short (about ten minutes), results in bench-results/
	$(BUN) test/bench/bench.ts

bench-long: dist/muster ## run the benchmarks at full length (about two hours)
	$(BUN) test/bench/bench.ts --long

screenshots: dist/muster ## take docs/screenshots anew
	$(BUN) scripts/screenshots.ts

clean: ## remove what was built and installed
	rm -rf dist node_modules

$(INSTALLED): package.json bun.lock
	$(INSTALLER) install --frozen-lockfile
	@touch $@

dist/web: $(INSTALLED) $(SOURCES)
	rm -rf dist/web
	$(BUN) build web/index.html --outdir dist/web --minify --splitting --public-path=/
	$(BUN) build web/installed/service-worker.ts --outdir dist/web --minify
	cp web/installed/*.png web/installed/*.webmanifest dist/web/
	cp -R LICENSES dist/web/licenses
	$(BUN) scripts/doc-pages.ts dist/web/docs
	@touch dist/web

# EXECUTABLE is the file to make; SCOPE is for another platform than this one.
EXECUTABLE := dist/muster
SCOPE :=

executable: dist/build.json
	$(BUN) build --compile --format=esm --bytecode --minify --sourcemap \
	  --define "MUSTER_BUILD=$$(cat dist/build.json)" \
	  --no-compile-autoload-dotenv --no-compile-autoload-bunfig $(SCOPE) \
	  --asset ./drizzle --asset ./dist/web src/main.ts src/query.worker.ts src/transfer.worker.ts src/backup.worker.ts src/monit/message.worker.ts src/platform/storage/postgres/driver.worker.ts --outfile $(EXECUTABLE)

# The commit and the dependencies, which the executable tells. Its time changes only when its content does.
dist/build.json: $(INSTALLED) FORCE
	@$(BUN) scripts/build-info.ts $@

dist/muster: dist/web dist/build.json
	@$(MAKE) --no-print-directory executable
