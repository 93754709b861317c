import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestApp } from "../../support/app.ts";

let folder: string;
let file: string;
let app: TestApp;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-file-"));
  file = join(folder, "muster.db");
  app = new TestApp({ database: file });
  await app.report({ id: "a" });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LOSSES: [what: string, lose: () => void][] = [
  ["whose folder is deleted", () => rmSync(folder, { recursive: true })],
  ["that is deleted", () => rmSync(file)],
  ["whose log is deleted", () => rmSync(`${file}-wal`)],
  [
    "that is replaced",
    () => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
];

for (const [title, lose] of LOSSES)
  test(`a database ${title} under the server is answered 503 everywhere, and said once`, async () => {
    const admin = await app.admin();
    lose();
    app.clock.step(2);
    expect((await app.client().get("/healthz")).status).toBe(503);
    expect((await app.report({ id: "a" })).status).toBe(503);
    expect((await app.report({ id: "b" })).status).toBe(503);
    expect((await admin.get("/api/1/status/hosts/list")).status).toBe(503);
    app.pass(300);
    expect((await app.client().get("/healthz")).status).toBe(503);
    expect(app.logged.filter((line) => line.startsWith("error"))).toEqual([
      expect.stringContaining("its file was deleted or replaced"),
    ]);
  });

test("the log of a database to which a link leads is missed, too", async () => {
  const real = join(folder, "real.db");
  const link = join(folder, "link.db");
  symlinkSync(real, link);
  const linked = new TestApp({ database: link });
  expect((await linked.report({ id: "a" })).status).toBe(200);
  rmSync(`${real}-wal`);
  linked.clock.step(2);
  expect((await linked.report({ id: "a" })).status).toBe(503);
});

test("a database that is moved back is used again, and no host is charged for the time between", async () => {
  renameSync(file, `${file}.elsewhere`);
  expect((await app.report({ id: "a" })).status).toBe(503);
  app.pass(600);
  renameSync(`${file}.elsewhere`, file);
  app.pass(10);
  expect((await app.report({ id: "a" })).status).toBe(200);
  expect(app.rows("select heartbeat from hosts")).toEqual([{ heartbeat: 1 }]);
  expect(app.rows("select id from events")).toEqual([]);
});
