/**
 * A machine with Monit of its own, in namespaces of this one: what it writes below /etc, /var, /run and /usr/local is gone
 * with it. It shares the network.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TOOLS_PATH } from "../../scripts/test-tools.ts";
import { eventually } from "./support.ts";

/** Seconds between two cycles of Monit. */
const CYCLE = 1;

/** What changes of these folders is kept in memory. */
const LAYERED = ["etc", "var", "usr/local"];

const SET_UP = `
set -e
mount --make-rprivate /
mount -t tmpfs layers "$1"
for folder in ${LAYERED.join(" ")}; do
  layer="$1/$(echo "$folder" | tr / -)"
  mkdir "$layer" "$layer.work"
  mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$layer,workdir=$layer.work" "/$folder"
done
mount -t tmpfs run /run
hostname "$2"
rm -rf /var/lib/monit /var/log/monit.log
mkdir -p /var/lib/monit
sed -i 's/^set daemon.*/set daemon ${CYCLE}/' /etc/monit/monitrc
monit --id > /dev/null 2>&1
echo ready
exec sleep infinity
`;

interface Ran {
  code: number;
  /** Both outputs. */
  text: string;
}

export class Machine implements AsyncDisposable {
  readonly #holder: Bun.Subprocess<"ignore", "pipe", "pipe">;
  #pid = "";

  private constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true });
    const namespaces = ["--mount", "--pid", "--uts", "--fork", "--mount-proc", "--kill-child"];
    this.#holder = Bun.spawn(["unshare", ...namespaces, "sh", "-c", SET_UP, "sh", folder, name], {
      env: { PATH: TOOLS_PATH },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  /** @param folder an empty one, for what it changes @param name its host name */
  static async start(folder: string, name: string): Promise<Machine> {
    const machine = new Machine(join(folder, name), name);
    const { stdout, pid } = machine.#holder;
    const first = await stdout.getReader().read();
    if (!first.value) throw new Error(await new Response(machine.#holder.stderr).text());
    machine.#pid = await eventually("the process in the namespaces", () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim(),
    );
    return machine;
  }

  /** Runs a shell script as root. @param stdin the script's input @param env beside the search path */
  async run(script: string, env: Record<string, string> = {}, stdin = ""): Promise<Ran> {
    const inside = ["nsenter", "-t", this.#pid, "-m", "-p", "-u", "--", "sh", "-c", `{ ${script}\n} 2>&1`];
    const child = Bun.spawn(inside, {
      env: { PATH: TOOLS_PATH, HOME: "/root", ...env },
      stdin: new Blob([stdin]),
      stdout: "pipe",
      stderr: "ignore",
    });
    const text = await new Response(child.stdout).text();
    return { code: await child.exited, text };
  }

  /** The output of a shell script. @throws if it fails */
  async output(script: string): Promise<string> {
    const { code, text } = await this.run(script);
    if (code !== 0) throw new Error(`exit code ${code}: ${text}`);
    return text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#holder.kill("SIGKILL");
    await this.#holder.exited;
  }
}
