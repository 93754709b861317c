/** The only place that knows whether migrations and web UI are files of a checkout or embedded in the executable. */
import { join } from "node:path";

const root = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, "../..");

/** The migrations, as drizzle-kit made them. */
export function migrationsFolder(): string {
  return join(root, "drizzle");
}

/** The built web UI. In a checkout it is missing until it is built. */
export function webFolder(): string {
  return join(root, Bun.isStandaloneExecutable ? "web" : "dist/web");
}

/** Entries of the build stand at its root, as they do in src/. */
const entries = Bun.isStandaloneExecutable ? import.meta.url : new URL("../", import.meta.url);

/** The thread on which long queries run: an entry of the build of its own. */
export function queryWorkerUrl(): URL {
  return new URL("./query.worker.ts", entries);
}

/** The thread that reads large messages: an entry of the build of its own. */
export function messageWorkerUrl(): URL {
  return new URL("./monit/message.worker.ts", entries);
}
