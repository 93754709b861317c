/** Two builds of a commit give the same files to the byte, wherever and whenever they run. */
import { expect } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { allowClones, TAKE_DEPENDENCIES } from "../support/checkout.ts";
import { needing } from "../support/programs.ts";
import { temporaryFolder } from "./support.ts";

const { afterAll, test } = needing("git");

const ROOT = join(import.meta.dir, "../..");
const folder = temporaryFolder();
afterAll(folder.remove);

/** The differences between the machines of two people. */
const PEOPLE = {
  ann: { umask: "022", TZ: "UTC", LANG: "C.UTF-8", HOME: folder.path },
  "bob/src": { umask: "077", TZ: "Asia/Tokyo", LANG: "de_DE.UTF-8", HOME: join(folder.path, "home of bob") },
};

/** Clones the commit, builds executable, Debian package and apt repository. The installed dependencies are taken along. */
const BUILD = `
umask "$umask"
git clone --quiet "$ROOT" "$checkout"
cd "$checkout"
${TAKE_DEPENDENCIES}
make build
node_modules/.bin/bun -e '
  const { buildDeb } = await import("./packaging/deb.ts");
  const { writeAptRepository } = await import("./scripts/apt-repository.ts");
  const { commitDate } = await import("./scripts/commit.ts");
  const output = "dist/muster_1_amd64.deb";
  buildDeb({ executable: "dist/muster", architecture: "amd64", output, date: commitDate(), level: 1 });
  writeAptRepository("dist", commitDate());
'`;

function build(checkout: string, { umask, ...env }: (typeof PEOPLE)["ann"]): void {
  allowClones(env.HOME);
  const variables = { PATH: process.env.PATH, ...env, ROOT, checkout, umask };
  const { exitCode, stdout, stderr } = Bun.spawnSync(["bash", "-euo", "pipefail", "-c", BUILD], {
    env: variables,
  });
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`);
}

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

test("two builds of one commit in different folders are equal byte for byte", () => {
  const results = Object.entries(PEOPLE).map(([name, person]) => {
    const checkout = join(folder.path, name);
    build(checkout, person);
    return built(checkout);
  });
  expect(Object.keys(results[0] ?? {})).toContainValues([
    "muster",
    "muster_1_amd64.deb",
    "dists/stable/Release",
    "dists/stable/main/binary-amd64/Packages.gz",
    "build.json",
    "web/index.html",
  ]);
  expect(results[1]).toEqual(results[0] ?? {});
});
