import { expect, test } from "bun:test";
import { getCACertificates } from "node:tls";
import {
  parseDatabaseUrl,
  parseWithPasswordOf,
  describe as shown,
} from "../../../../src/platform/storage/postgres/database-url.ts";

test("an address names hosts in order, user, database and password", () => {
  const options = parseDatabaseUrl(
    "postgresql://mus%40ter:p%2Fw@db1,db2:6432,[2001:db8::1]:5433/monitoring?sslmode=verify-full",
  );
  expect(options).toMatchObject({
    hosts: [
      { host: "db1", port: 5432 },
      { host: "db2", port: 6432 },
      { host: "2001:db8::1", port: 5433 },
    ],
    user: "mus@ter",
    password: "p/w",
    database: "monitoring",
    tls: { mode: "verify-full" },
  });
});

test("an address of several hosts is shown as it is written", () => {
  const address = "postgres://muster@db1,db2:6432,[2001:db8::1]:5433,[::1]/monitoring";
  expect(shown(parseDatabaseUrl(address))).toBe(address);
});

test("a unix socket is named by its folder", () => {
  expect(parseDatabaseUrl("postgres://muster@/muster?host=/run/postgresql")).toMatchObject({
    hosts: [{ host: "/run/postgresql", port: 5432 }],
    password: null,
  });
});

test("TLS is used where the server has it, unless the address says otherwise", () => {
  expect(parseDatabaseUrl("postgres://u@h/d").tls.mode).toBe("prefer");
});

test("an attempt to connect may take 4 s, or as long as the address says", () => {
  expect(parseDatabaseUrl("postgres://u@h/d").connectMs).toBe(4000);
  expect(parseDatabaseUrl("postgres://u@h/d?connect_timeout=7").connectMs).toBe(7000);
});

test("the authorities can be those of the system, which vouch for names", () => {
  const { tls } = parseDatabaseUrl("postgres://u@h/d?sslrootcert=system");
  expect(tls).toMatchObject({ mode: "verify-full", ca: getCACertificates("system").join("\n") });
  expect(parseDatabaseUrl("postgres://u@h/d?sslrootcert=system&sslmode=verify-full").tls).toEqual(tls);
});

test("a + in a parameter is one, as in libpq", () => {
  expect(parseDatabaseUrl("postgres://h/d?user=a+b&password=1%2B1").user).toBe("a+b");
});

test("a percent code of @ is one, wherever it is", () => {
  expect(parseDatabaseUrl("postgres://u%40x:p%40w@h%40y/d%40z?host=%40socket")).toMatchObject({
    hosts: [{ host: "@socket" }],
    user: "u@x",
    password: "p@w",
    database: "d@z",
  });
});

test("an address with the password of another one keeps its parameters, and takes those that it does not have", () => {
  const other = parseDatabaseUrl("postgres://u:geheim@h/d?sslmode=require&connect_timeout=9");
  const taken = (parameters: string) => {
    const { password, tls, connectMs } = parseWithPasswordOf(other, `postgres://u@h/d${parameters}`);
    return [password, tls.mode, connectMs];
  };
  expect(taken("")).toEqual(["geheim", "require", 9000]);
  expect(taken("?host=h")).toEqual(["geheim", "require", 9000]);
  expect(taken("?sslmode=verify-full")).toEqual(["geheim", "verify-full", 9000]);
  expect(taken("?sslrootcert=system")).toEqual(["geheim", "verify-full", 9000]);
  expect(taken("?connect_timeout=7")).toEqual(["geheim", "require", 7000]);
});

test("the address in messages has no password", () => {
  expect(shown(parseDatabaseUrl("postgres://u:geheim@h1,h2:6000/d"))).toBe("postgres://u@h1,h2:6000/d");
});

const WRONG = [
  ["mysql://u:geheim@h/d", "must be the address"],
  ["postgres://h/d", "has no user"],
  ["postgres://u:geheim@h", "has no name of a database"],
  ["postgres://u:geheim@/d", "has no host"],
  ["postgres://u:geheim@h:70000/d", "port out of range"],
  ["postgres://u:geheim@h/d?sslmode=maybe", "sslmode"],
  [
    "postgres://u:geheim@h/d?sslrootcert=/nonexistent",
    "has sslrootcert=/nonexistent, which cannot be read: there is no such file",
  ],
  ["postgres://u:geheim@h/d?sslrootcert=system&sslmode=require", "too weak"],
  ["postgres://u:geheim@h/d?connect_timeout=0", "connect_timeout"],
  ["postgres://u:geheim@h/d?connect_timeout=soon", "connect_timeout"],
  ["postgres://u:geheim@h/d?connect_timeout=61", "1 to 60 seconds"],
  ["postgres://u:geheim@h/d?pool=3", "pool"],
  ["postgres://u:geheim%@h/d", "%"],
  ["postgres://u:a?geheim@h/d", "write % : / ? # @ in a password as percent codes"],
  ["postgres://u:a?geheim=b@h/d", "percent codes"],
  ["postgres://u:a/geheim@h/d", "percent codes"],
  ["postgres://u:a@geheim@h/d", "percent codes"],
  ["postgres://u:a@geheim@h:70000/d", "percent codes"],
  ["postgres://u@h/d?password=a&geheim=b", "that Muster does not know"],
] as const;

for (const [text, said] of WRONG)
  test(`${text} is refused in words without its password`, () => {
    expect(() => parseDatabaseUrl(text)).toThrow(said);
    expect(() => parseDatabaseUrl(text)).not.toThrow("geheim");
  });
