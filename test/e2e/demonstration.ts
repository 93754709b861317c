/** `muster demo`, run from the delivered executable. */
import { EXECUTABLE, eventually, freePort, neutralEnvironment } from "./support.ts";

/** Starts `muster demo` with temporary files in this folder. */
export function startDemo(folder: string, ...args: string[]) {
  return Bun.spawn([EXECUTABLE, "demo", ...args], {
    cwd: folder,
    // What a service on the same machine has must stay untouched, and change nothing.
    env: {
      ...neutralEnvironment(folder),
      TMPDIR: folder,
      MUSTER_DATA: "elsewhere",
      MUSTER_LISTEN: "0.0.0.0:1",
      MUSTER_BASE_URL: "nonsense",
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** A demonstration that answers. Dispose of it to end it. */
export async function servedDemo(folder: string, ...args: string[]) {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = startDemo(folder, "--listen", `127.0.0.1:${port}`, ...args);
  const stop = () => {
    child.kill("SIGTERM");
    return child.exited;
  };
  await eventually("the demonstration answers or ends", async () => {
    if (child.exitCode !== null) return true;
    return (await fetch(`${url}/healthz`)).ok;
  });
  if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text());
  return { url, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
