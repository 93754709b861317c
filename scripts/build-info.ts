/**
 * Writes the build information of the executable to a file: `bun scripts/build-info.ts dist/build.json`. If nothing
 * changed, the file stays as it is, so that make does not build again.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { BuildInfo } from "../src/platform/version.ts";
import { commitHash } from "./commit.ts";
import { componentsOf, DEPENDENCIES } from "./sbom.ts";

const [file = ""] = process.argv.slice(2);
const dependencies = componentsOf(DEPENDENCIES).map(({ name, version }) => ({ name, version }));
const info: BuildInfo = { commit: commitHash(), dependencies };
const text = `${JSON.stringify(info)}\n`;
mkdirSync(dirname(file), { recursive: true });
if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
