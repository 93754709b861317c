/** Runs blocks of the documentation as if pasted into a shell, in a new folder. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { TOOLS_PATH } from "../../scripts/test-tools.ts";
import { endGroupWithTests } from "../support/groups.ts";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { EXECUTABLE, eventually, PASSWORDS, PATIENCE, temporaryFolder } from "./support.ts";

/** Texts of the documentation that depend on the machine, and those of the test. */
export type Replacements = readonly (readonly [documented: string, here: string])[];

/** @throws when the text does not contain what is to be replaced: the documentation changed */
export function replaced(text: string, replacements: Replacements): string {
  return replacements.reduce((text, [documented, here]) => {
    if (!text.includes(documented)) throw new Error(`the block does not contain ${documented}`);
    return text.replaceAll(documented, here);
  }, text);
}

export class Sandbox implements Disposable {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;
  readonly data = join(this.path, "data");
  readonly env: Record<string, string>;

  /** `muster` is on the path. */
  constructor() {
    const bin = join(this.path, "bin");
    mkdirSync(bin);
    symlinkSync(EXECUTABLE, join(bin, "muster"));
    this.env = {
      PATH: `${bin}:${TOOLS_PATH}`,
      HOME: this.path,
      TMPDIR: this.path,
      LANG: "C.UTF-8",
      MUSTER_DATA: this.data,
      MUSTER_LISTEN: "127.0.0.1:0",
      PASSWORD: ADMIN_PASSWORD,
      ...PASSWORDS,
    };
  }

  #spawn(script: string, cwd: string, env: Record<string, string>) {
    // A process group, to end everything that the block starts.
    const child = Bun.spawn(["setsid", "bash", "-euo", "pipefail", "-c", script], {
      cwd,
      env: { ...this.env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    endGroupWithTests(child);
    return child;
  }

  /** Runs commands to their end. @returns their output @throws with that if one fails */
  async run(script: string, { cwd = this.path, env = {} } = {}): Promise<string> {
    const child = this.#spawn(script, cwd, env);
    const killing = setTimeout(() => process.kill(-child.pid, "SIGKILL"), PATIENCE);
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    clearTimeout(killing);
    if (code !== 0) throw new Error(`exit code ${code}:\n${script}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Runs commands that end with a server, until it answers; then stops it. @returns the server's first line */
  async serve(script: string): Promise<string> {
    const child = this.#spawn(script, this.path, {});
    let output = "";
    const collect = async (stream: ReadableStream<Uint8Array>) => {
      for await (const chunk of stream) output += Buffer.from(chunk).toString();
    };
    const ended = Promise.all([collect(child.stdout), collect(child.stderr), child.exited]);
    try {
      const listening = await eventually(`the server of this block listens: ${script}`, () => {
        if (child.exitCode !== null) throw new Error(output);
        return /^info muster is listening .*$/m.exec(output)?.[0] ?? null;
      });
      const url = /listen=(\S+)/.exec(listening)?.[1] ?? "";
      if (!(await fetch(`http://${url}/healthz`)).ok) throw new Error("the server is not healthy");
      return listening;
    } finally {
      process.kill(-child.pid, "SIGTERM");
      await ended;
    }
  }

  [Symbol.dispose](): void {
    this.#folder.remove();
  }
}
