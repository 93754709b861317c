/**
 * Runs Muster from source, for development: `make dev ARGS="--listen 127.0.0.1:8080"`. It rebuilds the UI
 * when web/ changes, and restarts the server when its source or the UI changes. Reload the page in the
 * browser afterwards.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { writeDocPages } from "./doc-pages.ts";

const ROOT = join(import.meta.dir, "..");
const BUN = process.execPath;
/** Milliseconds to wait after the last change, since an editor or a build writes several files at once. */
const SETTLE_MS = 200;

function start(...args: string[]) {
  return Bun.spawn([BUN, ...args], { cwd: ROOT, stdin: "ignore", stdout: "inherit", stderr: "inherit" });
}

rmSync(join(ROOT, "dist/web"), { recursive: true, force: true });
mkdirSync(join(ROOT, "dist/web"), { recursive: true });
// The service worker is left out: it would keep files of an earlier build.
cpSync(join(ROOT, "LICENSES"), join(ROOT, "dist/web/licenses"), { recursive: true });
writeDocPages(join(ROOT, "dist/web/docs"));
for (const name of readdirSync(join(ROOT, "web/installed")))
  if (!name.endsWith(".ts")) cpSync(join(ROOT, "web/installed", name), join(ROOT, "dist/web", name));
const ui = start(
  "build",
  "--watch",
  "--no-clear-screen",
  "web/index.html",
  "--outdir=dist/web",
  "--public-path=/",
);
const startServer = () => start("src/main.ts", "serve", ...process.argv.slice(2));
let server = startServer();

let restarting: Promise<void> | null = null;
async function restart(): Promise<void> {
  server.kill("SIGTERM");
  await server.exited;
  restarting = null;
  server = startServer();
}

let settling: ReturnType<typeof setTimeout> | undefined;
for (const folder of ["src", "drizzle", "dist/web"])
  watch(join(ROOT, folder), { recursive: true }, () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      restarting ??= restart();
    }, SETTLE_MS);
  });

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    clearTimeout(settling);
    ui.kill();
    await restarting;
    server.kill("SIGTERM");
    const code = await server.exited;
    // A development build must not end up in the executable: `make build` builds its own.
    rmSync(join(ROOT, "dist/web"), { recursive: true, force: true });
    process.exit(code);
  });
