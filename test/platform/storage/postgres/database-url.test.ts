import { expect, test } from "bun:test";
import {
  parseDatabaseUrl,
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

test("a unix socket is named by its folder", () => {
  expect(parseDatabaseUrl("postgres://muster@/muster?host=/run/postgresql")).toMatchObject({
    hosts: [{ host: "/run/postgresql", port: 5432 }],
    password: null,
  });
});

test("TLS is used where the server has it, unless the address says otherwise", () => {
  expect(parseDatabaseUrl("postgres://u@h/d").tls.mode).toBe("prefer");
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
  ["postgres://u:geheim@h/d?sslrootcert=/nonexistent", "cannot be read"],
  ["postgres://u:geheim@h/d?pool=3", "pool"],
  ["postgres://u:geheim%@h/d", "%"],
] as const;

for (const [text, said] of WRONG)
  test(`${text} is refused in words without its password`, () => {
    expect(() => parseDatabaseUrl(text)).toThrow(said);
    expect(() => parseDatabaseUrl(text)).not.toThrow("geheim");
  });
