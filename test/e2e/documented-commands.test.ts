/** Every block of commands in the documentation is run in a new folder, or excused with a reason. */
import { describe, expect, test } from "bun:test";
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
import { type Block, blocksOf, pages, ROOT, textOf } from "../docs/markdown.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { sign, smallRelease, throwAwayKey } from "../support/signed-release.ts";
import { type Replacements, replaced, Sandbox } from "./documented.ts";
import { EXECUTABLE, freePort } from "./support.ts";

/** All blocks of commands; those of docs/api.md are run by documented-api.test.ts. */
const blocks = pages
  .filter((page) => page !== "docs/api.md")
  .flatMap(blocksOf)
  .filter(({ language }) => language === "sh");

/** Blocks of commands that are not run here: how each begins, why, and the test that covers it instead. */
const EXCUSED: readonly { page: string; begin: string; why: string; heldBy: [file: string, name: string] }[] =
  [
    {
      page: "README.md",
      begin: "git clone",
      why: "it builds Muster, which takes long",
      heldBy: [
        "test/e2e/reproducible.test.ts",
        "a clone builds and serves as documented, and a build in another folder is equal byte for byte",
      ],
    },
    {
      page: "README.md",
      begin: "make test",
      why: "this test is a part of it",
      heldBy: ["test/scripts/test-count.test.ts", "each test of a run is counted, whatever it prints"],
    },
    {
      page: "docs/integrations.md",
      begin: "#!/bin/sh\nexport MUSTER_URL",
      why: "it is a script that Ansible calls",
      heldBy: [
        "test/operations/commands/inventory.test.ts",
        "a server tells its inventory to a token that may only read; addresses to those of administrators",
      ],
    },
    {
      page: "docs/alerts.md",
      begin: "export MUSTER_URL",
      why: "it upgrades the machine",
      heldBy: [
        "test/operations/commands/mute.test.ts",
        "a command runs under a mute, whose lease ends with it, and its exit code is passed on",
      ],
    },
    {
      page: "docs/moving.md",
      begin: "export MUSTER_URL=https://muster.example.org MUSTER_TOKEN_FILE",
      why: "it reads another server, and prompts for a password",
      heldBy: [
        "test/e2e/import-from.test.ts",
        "hosts, groups, users and past events come along from one process to another",
      ],
    },
    {
      page: "docs/operations.md",
      begin: "sudo muster install --force",
      why: "it changes the services of the machine",
      heldBy: [
        "test/operations/commands/install.test.ts",
        "the documented command writes a unit of 1.0.0 anew with the options that it has",
      ],
    },
    {
      page: "docs/operations.md",
      begin: "sudo muster install --listen",
      why: "it changes the services of the machine",
      heldBy: [
        "test/e2e/package.test.ts",
        "is installed, runs and is removed, leaving the settings until it is purged",
      ],
    },
    {
      page: "docs/operations.md",
      begin: "curl -fsSO https://downloads.example.org",
      why: "it installs from a server that does not exist",
      heldBy: [
        "test/e2e/release-folder.test.ts",
        "installs the executable of a signed release, and replaces it by that of the next one",
      ],
    },
    {
      page: "docs/operations.md",
      begin: "sudo curl -fsS -o /etc/apt/keyrings",
      why: "it installs from a server that does not exist",
      heldBy: [
        "test/e2e/release-folder.test.ts",
        "downloads the package of a repository that it has verified, and the package runs",
      ],
    },
    {
      page: "docs/operations.md",
      begin: "podman load",
      why: "it needs the files of a release; buildah loads and runs such an image",
      heldBy: [
        "test/e2e/container.test.ts",
        "a container with nothing else in it starts, is healthy, and ends",
      ],
    },
  ];

const run = new Set<Block>();
/** The block of commands that begins with this text. @throws unless there is exactly one */
function commandsOf(page: string, begin: string): string {
  const matching = blocks.filter((each) => each.page === page && each.text.startsWith(begin));
  const [block] = matching;
  if (!block || matching.length > 1)
    throw new Error(`${matching.length} blocks of ${page} begin with ${begin}`);
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

  const onPostgres = commandsOf("docs/cluster.md", "MUSTER_DATABASE_FILE");
  needing("postgres").test("docs/cluster.md: on PostgreSQL", async () => {
    await using server = await PostgresServer.start();
    server.query("create database muster");
    using sandbox = new Sandbox();
    symlinkSync(EXECUTABLE, join(sandbox.path, "muster"));
    const file = join(sandbox.path, "database");
    writeFileSync(file, `${server.url("muster")}\n`, { mode: 0o600 });
    const replacements: Replacements = [
      ["/etc/muster/database", file],
      ["/var/lib/muster", sandbox.data],
    ];
    await sandbox.serve(replaced(onPostgres, replacements));
    expect(existsSync(join(sandbox.data, "muster.db"))).toBe(false);
    expect(server.query("select count(*) from users", "muster")).toBe("1");
  });

  const toServer = commandsOf("docs/cluster.md", "muster move --data /var/lib/muster --to");
  const toFile = commandsOf("docs/cluster.md", "muster move --data /var/lib/muster-file --from");
  needing("postgres").test("docs/cluster.md: moving a database to PostgreSQL and back", async () => {
    await using server = await PostgresServer.start();
    server.query("create database muster");
    using sandbox = new Sandbox();
    await sandbox.serve("muster serve");
    const address = ["postgres://muster@db1,db2/muster?sslmode=verify-full", server.url("muster")] as const;
    expect(await sandbox.run(replaced(toServer, [["/var/lib/muster", sandbox.data], address]))).toContain(
      "users: 1 row, compared",
    );
    const back = join(sandbox.path, "back");
    mkdirSync(back, { mode: 0o700 });
    copyFileSync(join(sandbox.data, "secret.key"), join(back, "secret.key"));
    await sandbox.run(replaced(toFile, [["/var/lib/muster-file", back], address]));
    await sandbox.serve(`muster serve --data ${back}`);
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

/** Each command in the table of docs/operations.md, as it is run here, one after the other on one data folder. */
const TABLE: Readonly<Record<string, string>> = {
  "user list": "muster user list",
  "user add NAME [--admin]": "muster user add ann --admin <<< 'a long password'",
  "user passwd NAME": "muster user passwd ann --generate",
  "user delete NAME": "muster user delete ann",
  // The administrator of a first start has no second factor to remove.
  "user totp-off NAME": "! muster user totp-off admin 2> reason && grep 'no second factor' reason",
  // A first start has no host group that could be named.
  "user grants NAME": "muster user grants admin | grep administrator",
  "user grant NAME GROUP LEVEL": "! muster user grant admin web view 2> reason && grep 'no group web' reason",
  "user revoke NAME GROUP": "! muster user revoke admin web 2> reason && grep 'no group web' reason",
  "backup FILE": "muster backup copy.db",
  // A first start names no place for backups.
  "backup list [--place PLACE]": "! muster backup list 2> reason && grep -e --place reason",
  "backup key FILE": "muster backup key identity.txt | grep age1",
  "restore BACKUP [--force] [--at DATE] [--identity FILE]": "muster restore copy.db --force",
  // They need a server; the blocks of docs/cluster.md have one.
  "move --to ADDRESS": "! muster move --to mysql://h/d 2> reason && grep 'address of a database' reason",
  "move --from ADDRESS": "! muster move --from mysql://h/d 2> reason && grep 'address of a database' reason",
  "export [--secrets]": "muster export --secrets > all.json",
  "import FILE": "muster import all.json",
  // It needs two running servers; test/e2e/import-from.test.ts has them.
  "import-from URL --user NAME [--password-file FILE] [--dry-run]":
    "! muster import-from http://192.0.2.1 --user admin 2> reason && grep MUSTER_URL reason",
  "doctor [--repair]": "muster doctor && muster doctor --repair",
  "rotate-key [--lost]": "muster rotate-key && rm $MUSTER_DATA/secret.key && muster rotate-key --lost",
  config: "muster config",
  "agent-config [--address URL]": "muster agent-config --address http://192.0.2.1:8080 | grep 192.0.2.1",
  healthcheck: "muster serve & until muster healthcheck; do sleep 0.1; done; kill %1; wait %1",
  // They need a running server; test/operations/commands/keys.test.ts has one.
  "key list": "! muster key list 2> reason && grep MUSTER_URL reason",
  "key create NAME [--group NAME,...] [--tag TAG,...] [--hosts PATTERN]":
    "! muster key create web 2> reason && grep MUSTER_URL reason",
  "key end NAME [--in HOURS]": "! muster key end web --in soon 2> reason && grep hours reason",
  "key replace NAME [--overlap HOURS]":
    "! muster key replace web --overlap -1 2> reason && grep hours reason",
  "key code NAME [--uses COUNT] [--in HOURS]": "! muster key code web 2> reason && grep MUSTER_URL reason",
  "key helper NAME": "! muster key helper web 2> reason && grep MUSTER_URL reason",
  "key move NAME --host NAME,...": "! muster key move web 2> reason && grep -e --host reason",
  // They need a running server; test/operations/commands/expect.test.ts has one.
  "expect FILE [--group NAME,...] [--tag TAG,...] [--create-groups] [--preview]":
    "! muster expect hosts 2> reason && grep MUSTER_URL reason",
  expected: "! muster expected 2> reason && grep MUSTER_URL reason",
  // It needs a remote server; test/operations/commands/mute.test.ts has one.
  "mute --group NAME -- COMMAND": "! muster mute --group web -- true 2> reason && grep MUSTER_URL reason",
  "inventory --list": "muster inventory --list | grep _meta",
  "inventory --host NAME": "! muster inventory --host nobody 2> reason && grep nobody reason",
  // test/e2e/demo.test.ts has one that serves.
  "demo [--read-only]": "! muster demo --listen 0.0.0.0:9 2> reason && grep -e --read-only reason",
  // It writes no secret into the unit, and these tests set some.
  "install [--force]":
    "unset MUSTER_{ADMIN,COLLECTOR}_PASSWORD; muster install --unit-dir . --data /var/lib/muster --force",
  "version [--json]": "muster version && muster version --json",
};

test("docs/operations.md: every command of the table is run", async () => {
  const rows =
    /^## Commands$.*?^## /ms.exec(textOf("docs/operations.md"))?.[0].matchAll(/^\| (`.*?) \|/gm) ?? [];
  const documented = [...rows].flatMap(([, cell = ""]) =>
    cell.split(", ").map((code) => code.replaceAll("`", "")),
  );
  expect(documented).toEqual(Object.keys(TABLE));
  using sandbox = new Sandbox();
  await sandbox.serve("muster serve");
  const env = { MUSTER_LISTEN: `127.0.0.1:${freePort()}` };
  for (const script of Object.values(TABLE)) await sandbox.run(script, { env });
});

describe("docs/operations.md: a release", () => {
  const { test } = needing("ssh-keygen");
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

test("every block of commands is run or excused", () => {
  const isExcused = ({ page, text }: Block) =>
    EXCUSED.some((excuse) => page === excuse.page && text.startsWith(excuse.begin));
  const left = blocks.filter((block) => !run.has(block) && !isExcused(block));
  expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});

test.each(EXCUSED)("$page: $begin is excused because $why", ({ page, begin, heldBy }) => {
  expect(blocks.filter((block) => block.page === page && block.text.startsWith(begin))).toHaveLength(1);
  if (!heldBy) return;
  const [file, name] = heldBy;
  expect(readFileSync(join(ROOT, file), "utf8")).toContain(`test("${name}"`);
});
