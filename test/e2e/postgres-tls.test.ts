/** The executable and a server that requires TLS and a password. */
import { expect } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentXml } from "../support/agent-messages.ts";
import { CertificateAuthority, someAddress, useCertificate } from "../support/certificates.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { freePort, Muster, PASSWORDS, run, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("openssl", "postgres");

const ADDRESS = someAddress();
const folder = temporaryFolder();
const cwd = folder.path;
let server: PostgresServer;
let ca: CertificateAuthority;

beforeAll(async () => {
  ca = new CertificateAuthority(cwd, "authority");
  server = await PostgresServer.start(["fsync=off"]);
  server.query("create role muster login password 'geheim:\\heim'");
  server.query("create database muster owner muster");
  const hba = ["local all postgres trust", "hostssl all muster all scram-sha-256"];
  writeFileSync(join(server.folder, "data/pg_hba.conf"), `${hba.join("\n")}\n`);
  await server.stop();
  await server.run(useCertificate(server, ca, ADDRESS, "server", [`IP:${ADDRESS}`]));
});

afterAll(async () => {
  folder.remove();
  await server[Symbol.asyncDispose]();
});

/** The second host exists. */
const url = (mode = "verify-full", password = "") =>
  `postgres://muster${password}@127.0.0.1:${freePort()},${ADDRESS}/muster?sslmode=${mode}&sslrootcert=${ca.file}`;

test("the password comes from a passfile, a variable or a file, and is nowhere to be seen", async () => {
  const passfile = join(cwd, "passes");
  writeFileSync(passfile, `${ADDRESS}:5432:muster:muster:geheim\\:\\\\heim\n`, { mode: 0o600 });
  const env = { ...PASSWORDS, PGPASSFILE: passfile };
  const muster = await Muster.start({ cwd, env, args: ["--database", url()] });
  expect((await muster.report(agentXml({ id: "a", hostname: "alpha" }))).status).toBe(200);
  const used = server.query(
    "select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'muster'",
  );
  expect(used).toBe("t");
  await muster.stop();
  expect(muster.output).not.toContain("heim");

  const users = (env: Record<string, string>, ...args: string[]) =>
    run(["user", "list", "--data", "data", ...args], { cwd, env });
  const secret = encodeURIComponent("geheim:\\heim");
  const cases: [Record<string, string>, ...string[]][] = [
    [{ PGPASSFILE: passfile }, "--database", url()],
    [{ MUSTER_DATABASE: url("verify-full", `:${secret}`) }],
    [{ MUSTER_DATABASE_FILE: join(cwd, "address") }],
  ];
  writeFileSync(join(cwd, "address"), `${url("verify-full", `:${secret}`)}\n`, { mode: 0o600 });
  for (const [variables, ...args] of cases) {
    const { code, stdout, stderr } = await users(variables, ...args);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringContaining("admin"),
      stderr: "",
    });
  }
  const home = join(cwd, ".pgpass");
  writeFileSync(home, `*:*:*:muster:geheim\\:\\\\heim\n`, { mode: 0o600 });
  expect((await users({}, "--database", url())).code).toBe(0);
  // As with libpq, a passfile that others can read is ignored.
  chmodSync(home, 0o644);
  const refused = await users({}, "--database", url());
  expect({ code: refused.code, said: refused.stderr }).toEqual({
    code: 1,
    said: expect.stringMatching(
      /^muster: postgres:\S+: it asks for a password, and (\S+) can be read by others; run: chmod 600 \1\n?$/,
    ),
  });
});

test("a wrong password and a certificate of another authority end a node in one line", async () => {
  const other = new CertificateAuthority(cwd, "impostor");
  const wrong = url("verify-full", ":falsch");
  for (const [address, said] of [
    [wrong, 'password authentication failed for user "muster"'],
    [wrong.replace(ca.file, other.file), "certificate"],
  ] as const) {
    const { code, stderr } = await run(["serve", "--data", "d", "--listen", "127.0.0.1:0"], {
      cwd,
      env: { MUSTER_DATABASE: address },
    });
    expect({ code, lines: stderr.trim().split("\n").length, stderr }).toEqual({
      code: 1,
      lines: 1,
      stderr: expect.stringContaining(said),
    });
    expect(stderr).not.toContain("falsch");
  }
});
