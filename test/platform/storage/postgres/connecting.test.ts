/** How a connection to a server is made and protected: TLS as libpq names its modes, SCRAM, several hosts. */
import { describe, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres, startPostgresDriver } from "../../../../src/platform/storage/open-postgres.ts";
import { parseDatabaseUrl } from "../../../../src/platform/storage/postgres/database-url.ts";
import { DatabaseAway } from "../../../../src/platform/storage/postgres/postgres-error.ts";
import { freePort, temporaryFolder } from "../../../e2e/support.ts";
import { CertificateAuthority, someAddress, useCertificate } from "../../../support/certificates.ts";
import { PostgresServer } from "../../../support/postgres-server.ts";
import { needing } from "../../../support/programs.ts";

const { afterAll, beforeAll, test } = needing("openssl", "postgres");

/** No machine is that slow. */
const LIMIT_MS = 60_000;
const ADDRESS = someAddress();
const HBA = [
  "local all postgres trust",
  "hostssl all muster all scram-sha-256",
  "hostssl all certified all cert",
  "host all open all trust",
  "hostnossl all unprotected all trust",
];

const folder = temporaryFolder();
let server: PostgresServer;
let driver: Worker;
let ca: CertificateAuthority;
let other: CertificateAuthority;
let client: { cert: string; key: string };
/** Forwards connections to the server, under the name localhost. */
let forwarder: Bun.Subprocess<"ignore", "pipe", "inherit">;
let forwarderPort = 0;

async function restart(settings: string[]): Promise<void> {
  await server.stop();
  await server.run(settings);
}

beforeAll(async () => {
  ca = new CertificateAuthority(folder.path, "right");
  other = new CertificateAuthority(folder.path, "wrong");
  client = ca.issue("certified");
  // What is committed has to outlive the restarts.
  server = await PostgresServer.start(["fsync=off"]);
  server.query(
    "create role muster login password 'geheim'; create role open login; create role certified login; create role unprotected login",
  );
  writeFileSync(join(server.folder, "data/pg_hba.conf"), `${HBA.join("\n")}\n`);
  const script = join(import.meta.dir, "../../../support/forward.ts");
  forwarder = Bun.spawn([process.execPath, script, ADDRESS, "5432"], { stdout: "pipe" });
  for await (const chunk of forwarder.stdout) {
    forwarderPort = Number(new TextDecoder().decode(chunk));
    break;
  }
  driver = startPostgresDriver();
});

afterAll(async () => {
  forwarder.kill();
  folder.remove();
  await server[Symbol.asyncDispose]();
});

/** Connects. @returns whether it is encrypted, or why there is no connection */
function connection(url: string): string {
  let db: ReturnType<typeof openPostgres>;
  try {
    db = openPostgres(driver, parseDatabaseUrl(url), LIMIT_MS);
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error;
    return `${error.isDenied ? "denied" : "away"}: ${error.message}`;
  }
  const row = db.$client
    .query<{ ssl: number }>("select ssl from pg_stat_ssl where pid = pg_backend_pid()")
    .get();
  db.$client.close();
  return row?.ssl === 1 ? "encrypted" : "plain";
}

const byName = () => `localhost:${forwarderPort}`;
const open = (host: string, parameters: string) =>
  connection(`postgres://open@${host}/postgres?${parameters}`);

describe("with a certificate for the name localhost", () => {
  beforeAll(() => restart(useCertificate(server, ca, ADDRESS, "named", ["DNS:localhost"])));

  test("disable uses no TLS, prefer and require use it without looking at the certificate", () => {
    expect(open(ADDRESS, "sslmode=disable")).toBe("plain");
    expect(open(ADDRESS, "sslmode=prefer")).toBe("encrypted");
    expect(open(ADDRESS, "")).toBe("encrypted");
    expect(open(ADDRESS, "sslmode=require")).toBe("encrypted");
  });

  test("require with a file of authorities looks at the certificate, as with libpq", () => {
    expect(open(ADDRESS, `sslmode=require&sslrootcert=${ca.file}`)).toBe("encrypted");
    expect(open(ADDRESS, `sslmode=require&sslrootcert=${other.file}`)).toContain("denied");
  });

  test("verify-ca wants the right authority under any name", () => {
    expect(open(ADDRESS, `sslmode=verify-ca&sslrootcert=${ca.file}`)).toBe("encrypted");
    expect(open(byName(), `sslmode=verify-ca&sslrootcert=${ca.file}`)).toBe("encrypted");
    expect(open(ADDRESS, `sslmode=verify-ca&sslrootcert=${other.file}`)).toContain("denied");
    expect(open(ADDRESS, "sslmode=verify-ca")).toContain("denied");
  });

  test("verify-full wants the name as well", () => {
    expect(open(byName(), `sslmode=verify-full&sslrootcert=${ca.file}`)).toBe("encrypted");
    expect(open(ADDRESS, `sslmode=verify-full&sslrootcert=${ca.file}`)).toContain("denied");
    expect(open(byName(), `sslmode=verify-full&sslrootcert=${other.file}`)).toContain("denied");
    expect(open(byName(), "sslmode=verify-full")).toContain("denied");
  });

  test("prefer does without TLS where the server wants none, and require does not", () => {
    const url = `postgres://unprotected@${ADDRESS}/postgres`;
    expect(connection(url)).toBe("plain");
    expect(connection(`${url}?sslmode=require`)).toContain("denied: no pg_hba.conf entry");
  });

  test("a client shows a certificate of its own", () => {
    const files = `sslcert=${client.cert}&sslkey=${client.key}`;
    const url = `postgres://certified@${ADDRESS}/postgres?sslmode=require`;
    expect(connection(`${url}&${files}`)).toBe("encrypted");
    expect(connection(url)).toContain("denied");
  });

  test("SCRAM takes the right password, and denies another one, none, and a connection without TLS", () => {
    const to = (password: string, mode = "require") =>
      connection(`postgres://muster${password}@${ADDRESS}/postgres?sslmode=${mode}`);
    expect(to(":geheim")).toBe("encrypted");
    expect(to(":falsch")).toBe('denied: password authentication failed for user "muster"');
    expect(to("")).toBe("denied: it asks for a password, and none is given");
    expect(to(":geheim", "disable")).toContain("denied: no pg_hba.conf entry");
  });

  test("the first of several hosts that is there is taken, and a denial counts more than an absence", () => {
    const absent = `127.0.0.1:${freePort()}`;
    const url = (user: string, ...hosts: string[]) => `postgres://${user}@${hosts.join(",")}/postgres`;
    expect(connection(url("muster:geheim", absent, ADDRESS))).toBe("encrypted");
    expect(connection(url("muster:geheim", ADDRESS, absent))).toBe("encrypted");
    expect(connection(url("muster:geheim", absent, absent))).toContain("away: ");
    expect(connection(url("muster:falsch", ADDRESS, absent))).toContain("denied: password");
  });
});

describe("with a certificate for an address", () => {
  beforeAll(() => restart(useCertificate(server, ca, ADDRESS, "addressed", [`IP:${ADDRESS}`])));

  test("verify-full takes it, and it holds for no name", () => {
    expect(open(ADDRESS, `sslmode=verify-full&sslrootcert=${ca.file}`)).toBe("encrypted");
    expect(open(byName(), `sslmode=verify-full&sslrootcert=${ca.file}`)).toContain("denied");
  });
});

describe("without TLS", () => {
  beforeAll(() => restart(["fsync=off", `listen_addresses=${ADDRESS}`]));

  test("a server is used by disable and prefer only", () => {
    expect(open(ADDRESS, "sslmode=disable")).toBe("plain");
    expect(open(ADDRESS, "sslmode=prefer")).toBe("plain");
    for (const mode of ["require", "verify-ca", "verify-full"])
      expect(open(ADDRESS, `sslmode=${mode}`)).toContain("denied: The server does not support SSL");
  });
});
