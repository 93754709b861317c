/** A database with one page that a disk spoiled. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { report, setUp } from "./serving.ts";
import { Muster, run, temporaryFolder } from "./support.ts";

/** Spoils the first page of a table in the file, as a bad block of a disk does. */
function damageTable(file: string, table: string): void {
  const db = new Database(file);
  const { size, page } = db
    .query("select page_size as size, rootpage as page from pragma_page_size, sqlite_schema where name = ?")
    .get(table) as { size: number; page: number };
  db.close();
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(size, 0xaa), 0, size, (page - 1) * size);
  closeSync(descriptor);
}

const DAMAGED = /^error the database is damaged: run muster doctor; .* finding=".*page.*$/gm;

test("a start says once that a page is damaged and names the command that examines it, and serves the rest", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await setUp(cwd);
  {
    await using sound = await Muster.start({ cwd });
    expect(sound.output).not.toMatch(DAMAGED);
    expect(await sound.stop()).toBe(0);
  }
  damageTable(join(cwd, "data/muster.db"), "status_pages");
  {
    await using muster = await Muster.start({ cwd });
    expect(muster.output.match(DAMAGED)).toHaveLength(1);
    expect((await report(muster, "first")).status).toBe(200);
    const { json } = await (await muster.admin()).get("/api/1/status/hosts/list");
    expect(json.records).toMatchObject([{ hostname: "first", heartbeat: 1 }]);
    await muster.stop();
  }
  const { code, stdout } = await run(["doctor", "--data", "data"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain("The file is damaged");
});
