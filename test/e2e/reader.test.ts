/** The executable runs queries on threads of their own. */
import { expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { Muster, temporaryFolder } from "./support.ts";

/** How often the process has the database open. */
function connections({ pid }: Muster): number {
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return "closed meanwhile";
    }
  });
  return open.filter((path) => path.endsWith("/muster.db")).length;
}

test("queries start a thread, see what was just acknowledged, and the thread ends with the service", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const admin = await muster.admin();
  expect(connections(muster)).toBe(1);
  for (let i = 1; i <= 3; i++) {
    const sent = await muster.report({ id: `agent ${i}`, hostname: `h${i}`, services: [{ name: "web" }] });
    expect(sent.status).toBe(200);
    const { status, headers, json } = await admin.get("/api/1/status/hosts/list");
    expect([status, json.totalRecords]).toEqual([200, i]);
    const etag = headers.get("ETag") ?? "";
    expect((await admin.get("/api/1/status/hosts/list", {}, { "If-None-Match": etag })).status).toBe(304);
  }
  expect(connections(muster)).toBe(2);
  const csv = await admin.get("/api/1/reports/uptime/list", { format: "csv" });
  expect(csv.headers.get("Content-Type")).toStartWith("text/csv");
  expect(csv.text.split("\r\n")).toHaveLength(5);
  expect((await admin.get("/api/1/reports/uptime/get", { id: 99 })).status).toBe(404);
  const older = await admin.get("/reports/events/list");
  expect([older.json.pageSize, older.json.totalRecords]).toEqual([0, 0]);
  expect(await muster.stop()).toBe(0);
});
