/** Two builds of a commit give the same files to the byte, wherever and whenever they run. */
import { expect } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, ROOT } from "../docs/markdown.ts";
import { allowClones, TAKE_DEPENDENCIES } from "../support/checkout.ts";
import { needing } from "../support/programs.ts";
import { replaced, Sandbox } from "./documented.ts";

const { test } = needing("git");

/** The commands with which the README builds and starts Muster. The installed dependencies are taken along. */
function documentedCommands(): string {
  const block = blocksOf("README.md").find(({ text }) => text.startsWith("git clone"));
  return replaced(block?.text ?? "", [
    ["<this repository>", ROOT],
    ["cd muster", `cd muster && {${TAKE_DEPENDENCIES}}`],
  ]);
}

/** The same with nothing to start. */
const BUILD = `
git clone --quiet "${ROOT}" muster
cd muster
${TAKE_DEPENDENCIES}
make build`;

/** Makes Debian package and apt repository. A small file in place of the executable, which is compared by itself. */
const PACKAGE = `
node_modules/.bin/bun -e '
  const { buildDeb } = await import("./packaging/deb.ts");
  const { writeAptRepository } = await import("./scripts/apt-repository.ts");
  const { commitDate } = await import("./scripts/commit.ts");
  const output = "dist/muster_1_amd64.deb";
  buildDeb({ executable: "dist/build.json", architecture: "amd64", output, date: commitDate() });
  writeAptRepository("dist", commitDate());
'`;

/** Names and checksums of everything that was built. */
function built(checkout: string): Record<string, string> {
  const dist = join(checkout, "dist");
  const names = readdirSync(dist, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => /\.\w+$|muster$|Packages$|Release$/.test(name));
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dist, name)))
        .digest("hex"),
    ]),
  );
}

test("a clone builds and serves as documented, and a build in another folder is equal byte for byte", async () => {
  using ann = new Sandbox();
  allowClones(ann.path);
  const hers = { cwd: join(ann.path, "muster"), env: { TZ: "UTC" } };
  expect(await ann.serve(`umask 022\n${documentedCommands()}`)).toContain("version=");
  await ann.run(`umask 022\n${PACKAGE}`, hers);

  using bob = new Sandbox();
  const cwd = join(bob.path, "src");
  mkdirSync(cwd);
  const env = { TZ: "Asia/Tokyo", LANG: "de_DE.UTF-8", HOME: join(bob.path, "home of bob") };
  allowClones(env.HOME);
  const his = { cwd: join(cwd, "muster"), env };
  await bob.run(`umask 077\n${BUILD}`, { cwd, env });
  await bob.run(`umask 077\n${PACKAGE}`, his);

  const result = built(hers.cwd);
  expect(Object.keys(result)).toContainValues([
    "muster",
    "muster_1_amd64.deb",
    "dists/stable/Release",
    "dists/stable/main/binary-amd64/Packages.gz",
    "build.json",
    "web/index.html",
  ]);
  expect(built(his.cwd)).toEqual(result);
});
