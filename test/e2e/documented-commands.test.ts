/** Every fenced block of the documentation is run, checked by the program that reads it, or excused with a reason. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { templateFault } from "../../src/alerting/channels/kinds/template.ts";
import { type Block, blocksOf, pages, ROOT } from "../docs/markdown.ts";
import { allowClones, TAKE_DEPENDENCIES } from "../support/checkout.ts";
import { sign, smallRelease, throwAwayKey } from "../support/signed-release.ts";
import { type Replacements, replaced, Sandbox } from "./documented.ts";
import { EXECUTABLE, Muster, TIMEOUT } from "./support.ts";

setDefaultTimeout(TIMEOUT);

const blocks = pages.flatMap(blocksOf);
const placeOf = ({ page, line }: Block) => `${page}:${line}`;

/** Blocks of commands that are not run here: how each begins, why, and the test that does it instead. */
const EXCUSED: readonly { page: string; begin: string; why: string; heldBy: [file: string, name: string] }[] =
  [
    {
      page: "README.md",
      begin: "make test",
      why: "this test is a part of it",
      heldBy: ["test/scripts/test-count.test.ts", "each test of a run is counted, whatever it prints"],
    },
    {
      page: "docs/operations.md",
      begin: "sudo muster install",
      why: "it changes the services of the machine",
      heldBy: [
        "test/e2e/package.test.ts",
        "is installed, runs and is removed, leaving the settings until it is purged",
      ],
    },
    {
      page: "docs/operations.md",
      begin: "docker build",
      why: "it fetches the base image; buildah builds and runs the same file on a stand-in",
      heldBy: [
        "test/e2e/container.test.ts",
        "a container with nothing else in it starts, is healthy, and ends",
      ],
    },
  ];

/** The program that reads a language, and how it checks a file. Null: there is nothing to run. */
const CHECKERS: Record<string, ((text: string, sandbox: Sandbox) => Promise<unknown> | unknown) | null> = {
  // Drawn by GitHub; written for Caddy, which Debian's tests need for nothing else; one expression of a receiver.
  mermaid: null,
  caddy: null,
  python: null,
  json: (text) => (text.includes("{{") ? expect(templateFault(text)).toBeNull() : JSON.parse(text)),
  monit: (text, sandbox) => {
    writeFileSync(join(sandbox.path, "monitrc"), `set daemon 30\n${text}`, { mode: 0o600 });
    return sandbox.run("monit -t -c monitrc");
  },
  nginx: (text, sandbox) => {
    const http =
      "access_log off; error_log stderr; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f;";
    const more = "uwsgi_temp_path u; scgi_temp_path s;";
    const server = `events {}\npid nginx.pid;\nhttp { ${http} ${more}\nserver { listen 127.0.0.1:1;\n${text}} }\n`;
    writeFileSync(join(sandbox.path, "nginx.conf"), server);
    return sandbox.run('nginx -t -p "$PWD" -c nginx.conf');
  },
  yaml: (text, sandbox) => {
    const job = text.startsWith(" ") ? `scrape_configs:\n${text}` : text;
    writeFileSync(join(sandbox.path, "prometheus.yml"), job);
    return sandbox.run("promtool check config prometheus.yml");
  },
  promql: (text, sandbox) => {
    const rules = { groups: [{ name: "documented", rules: [{ alert: "Documented", expr: text.trim() }] }] };
    // YAML includes JSON.
    writeFileSync(join(sandbox.path, "rules.yml"), JSON.stringify(rules));
    return sandbox.run("promtool check rules rules.yml");
  },
};

const run = new Set<Block>();
/** The block of commands that begins like this. @throws unless there is exactly one */
function commandsOf(page: string, begin: string): string {
  const found = blocks.filter(
    (each) => each.page === page && each.language === "sh" && each.text.startsWith(begin),
  );
  const [block] = found;
  if (!block || found.length > 1) throw new Error(`${found.length} blocks of ${page} begin with ${begin}`);
  run.add(block);
  return block.text;
}

describe("a server of the documentation starts and is healthy", () => {
  const servers: [
    page: string,
    begin: string,
    replacements: (sandbox: Sandbox) => Replacements,
    says: string,
  ][] = [
    [
      "README.md",
      "./muster serve",
      ({ data }) => [
        ["/var/lib/muster", data],
        ["0.0.0.0:8080", "127.0.0.1:0"],
      ],
      "data=",
    ],
    [
      "docs/operations.md",
      "muster serve --listen 127.0.0.1:8080 --base-url",
      () => [["127.0.0.1:8080", "127.0.0.1:0"]],
      "listen=127.0.0.1",
    ],
    [
      "docs/operations.md",
      "MUSTER_OIDC_CLIENT_SECRET_FILE",
      ({ path }) => [["/etc/muster/oidc-secret", join(path, "oidc-secret")]],
      "listen=127.0.0.1",
    ],
    [
      "docs/operations.md",
      "muster serve --listen 127.0.0.1:8080 --trusted-proxy",
      () => [["127.0.0.1:8080", "127.0.0.1:0"]],
      "listen=127.0.0.1",
    ],
  ];
  for (const [page, begin, replacements, says] of servers) {
    const text = commandsOf(page, begin);
    test(`${page}: ${begin}`, async () => {
      using sandbox = new Sandbox();
      symlinkSync(EXECUTABLE, join(sandbox.path, "muster"));
      writeFileSync(join(sandbox.path, "oidc-secret"), "secret\n", { mode: 0o600 });
      expect(await sandbox.serve(replaced(text, replacements(sandbox)))).toContain(says);
      expect(existsSync(join(sandbox.data, "muster.db"))).toBe(true);
    });
  }

  const fromSource = commandsOf("README.md", "git clone");
  test("README.md: from a clone of the source", async () => {
    using sandbox = new Sandbox();
    allowClones(sandbox.path);
    const script = replaced(fromSource, [
      ["<this repository>", ROOT],
      ["cd muster", `cd muster && {${TAKE_DEPENDENCIES}}`],
    ]);
    expect(await sandbox.serve(script)).toContain("version=");
  });
});

describe("commands on a data folder", () => {
  const backup = commandsOf("docs/operations.md", "muster backup");
  test("docs/operations.md: muster backup", async () => {
    using sandbox = new Sandbox();
    await sandbox.serve("muster serve");
    mkdirSync(join(sandbox.path, "backup"));
    const script = replaced(backup, [
      ["/var/lib/muster", sandbox.data],
      [" /backup/", ` ${sandbox.path}/backup/`],
    ]);
    await sandbox.run(script);
    expect(readdirSync(join(sandbox.path, "backup"))).toEqual([
      expect.stringMatching(/^muster-\d{4}-\d\d-\d\d\.db$/),
    ]);
  });

  const transfer = commandsOf("docs/moving.md", "muster export");
  test("docs/moving.md: muster export and import", async () => {
    using sandbox = new Sandbox();
    await sandbox.serve("muster serve");
    await sandbox.run(transfer);
    expect(JSON.parse(readFileSync(join(sandbox.path, "muster.json"), "utf8"))).toMatchObject({ muster: 1 });
  });
});

describe("docs/operations.md: a release", () => {
  const signing = commandsOf("docs/operations.md", "make sign");
  const verifying = commandsOf("docs/operations.md", "ssh-keygen -Y verify");

  test("is signed with the maintainer's key", async () => {
    using sandbox = new Sandbox();
    mkdirSync(join(sandbox.path, ".ssh"));
    const { release, signers } = smallRelease(
      sandbox.path,
      throwAwayKey(join(sandbox.path, ".ssh"), "id_ed25519"),
    );
    await sandbox.run(signing, { cwd: ROOT, env: { MAKEFLAGS: `-- RELEASE=${release} SIGNERS=${signers}` } });
    expect(existsSync(join(release, "SHA256SUMS.sig"))).toBe(true);
  });

  test("is verified in the folder of the download", async () => {
    using sandbox = new Sandbox();
    const key = throwAwayKey(sandbox.path);
    const { release, signers } = smallRelease(sandbox.path, key);
    expect(sign(release, signers, key)).toMatchObject({ code: 0 });
    copyFileSync(signers, join(release, "allowed_signers"));
    const said = await sandbox.run(verifying, { cwd: release });
    expect(said).toContain('Good "muster-release" signature');
    expect(said).toContain("muster.cdx.json: OK");
    writeFileSync(join(release, "muster.cdx.json"), "{}\n");
    expect(sandbox.run(verifying, { cwd: release })).rejects.toThrow("muster.cdx.json: FAILED");
  });
});

describe("docs/api.md: the cookbook", () => {
  const cookbook = blocks.filter(({ page, language }) => page === "docs/api.md" && language === "sh");
  for (const block of cookbook) run.add(block);

  test("succeeds line by line against a server with a host, an event and a channel", async () => {
    using sandbox = new Sandbox();
    await using muster = await Muster.start({ cwd: sandbox.path });
    const services = [
      { name: "web", status: 512 },
      { name: "worker", status: 0 },
    ];
    const event = { service: "web", message: "process is not running" };
    expect((await muster.report({ hostname: "web1", services, event })).status).toBe(200);
    const admin = await muster.admin();
    const channel = { name: "ops", kind: "webhook", "setting.url": "https://example.org/hook" };
    expect((await admin.post("/api/1/admin/channels/create", channel)).json).toMatchObject({ id: 1 });

    // Each reply on a line of its own.
    writeFileSync(join(sandbox.path, ".curlrc"), 'write-out = "\\n"\n');
    const script = cookbook.map(({ text }) => text).join("");
    const output = await sandbox.run(replaced(script, [["127.0.0.1:8080", new URL(muster.url).host]]));
    // No agent can be reached, and there is no message that could be sent again. Everything else succeeds.
    const errors = output.split("\n").filter((line) => line.startsWith('{"error":'));
    expect(errors.map((line) => JSON.parse(line).code)).toEqual(["agent.failed", "object.unknown"]);
    expect(output).toContain("web1");
    expect(output).toContain("304");
    expect((await admin.get("/api/1/admin/users/list")).text).toContain("Ann Example");
    expect((await admin.get("/api/1/admin/rules/list")).text).toContain("Europe/Oslo");
  });
});

describe("configuration that the documentation shows is valid", () => {
  for (const block of blocks.filter(({ language }) => CHECKERS[language]))
    test(`${placeOf(block)}: ${block.language}`, async () => {
      using sandbox = new Sandbox();
      await CHECKERS[block.language]?.(block.text, sandbox);
    });
});

describe("nothing is left out", () => {
  test("every block of commands is run or excused, and every other one has a known reader", () => {
    const isExcused = (block: Block) =>
      EXCUSED.some(({ page, begin }) => block.page === page && block.text.startsWith(begin));
    const left = blocks.filter(
      (block) =>
        !run.has(block) && !(block.language in CHECKERS) && !(block.language === "sh" && isExcused(block)),
    );
    expect(left.map(placeOf)).toEqual([]);
  });

  test.each(EXCUSED)("$page: $begin is excused because $why", ({ page, begin, heldBy }) => {
    expect(blocks.filter((block) => block.page === page && block.text.startsWith(begin))).toHaveLength(1);
    if (!heldBy) return;
    const [file, name] = heldBy;
    expect(readFileSync(join(ROOT, file), "utf8")).toContain(`test("${name}"`);
  });
});
