/** The password that libpq would find in a passfile. */
import { afterEach, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { passwordFor } from "../../../../src/platform/storage/postgres/passfile.ts";
import { temporaryFolder } from "../../../e2e/support.ts";

const before = process.env.PGPASSFILE;
const folder = temporaryFolder();
const file = join(folder.path, "passes");

afterEach(() => {
  if (before === undefined) delete process.env.PGPASSFILE;
  else process.env.PGPASSFILE = before;
});

/** The password for db1:5432 in a passfile with these lines. */
function found(...lines: string[]): string {
  writeFileSync(file, lines.join("\n"), { mode: 0o600 });
  chmodSync(file, 0o600);
  process.env.PGPASSFILE = file;
  return passwordFor({ host: "db1", port: 5432 }, { database: "muster", user: "a:b" });
}

test.each([
  [["db1:5432:muster:a\\:b:secret"], "secret"],
  [["*:*:*:*:any"], "any"],
  [
    ["db2:5432:muster:a\\:b:other", "db1:5433:muster:a\\:b:other", "db1:*:*:*:right\r", "*:*:*:*:late"],
    "right",
  ],
  [["# db1:5432:muster:a:comment", "", "db1:5432", "*:*:*:*:", "*:*:*:*:p:q\\:r\\\\s"], "p:q:r\\s"],
])("%j", (lines, password) => {
  expect(found(...lines)).toBe(password);
});

test("without a line for the host, without a file, and with one that others can read, there is none", () => {
  expect(() => found("db2:*:*:*:other", "db1:*:other:*:other")).toThrow("none is given");
  const ask = () => passwordFor({ host: "db1", port: 5432 }, { database: "muster", user: "muster" });
  chmodSync(file, 0o644);
  expect(ask).toThrow(`${file} can be read by others; run: chmod 600 ${file}`);
  process.env.PGPASSFILE = folder.path;
  expect(ask).toThrow(`${folder.path} cannot be read: it is a folder (EISDIR)`);
  process.env.PGPASSFILE = join(folder.path, "none");
  expect(ask).toThrow("it asks for a password, and none is given");
});
