import { expect, test } from "bun:test";
import { RejectedMessages } from "../../../src/monitoring/collector/rejected-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START, TestClock } from "../../support/clock.ts";

test("refused posts are grouped by address and reason, the last seen first", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  await app.report("nonsense", "198.51.100.1");
  app.clock.step(10);
  await app.report("more nonsense", "198.51.100.1");
  app.clock.step(10);
  await app.report("nonsense", "198.51.100.2");
  await app.client("198.51.100.1").raw("/collector", { method: "POST", body: "x" });
  const { json } = await admin.get("/api/1/admin/refusals/list");
  const reason = "The document must begin with the element monit.";
  expect(json).toEqual({
    totalRecords: 3,
    records: [
      {
        address: "198.51.100.1",
        reason: expect.stringContaining("The user name or password of the collector is wrong"),
        count: 1,
        first: START + 20,
        last: START + 20,
      },
      { address: "198.51.100.2", reason, count: 1, first: START + 20, last: START + 20 },
      { address: "198.51.100.1", reason, count: 2, first: START, last: START + 10 },
    ],
  });
});

test.each(["/", "/collector/", "/Collector"])("the message of an agent to %s is listed", async (path) => {
  const app = new TestApp();
  const client = app.client("198.51.100.1");
  await client.raw(path, { method: "POST", headers: { "User-Agent": "Monit/5.33.0" }, body: "<monit/>" });
  await client.raw(path, { method: "POST", headers: { "User-Agent": "curl/8.5.0" }, body: "<monit/>" });
  await client.raw(path, { headers: { "User-Agent": "Monit/5.33.0" } });
  const reason = "The path of the address in the agent's control file has to be /collector";
  expect(app.muster.rejectedMessages.list()).toEqual([
    { address: "198.51.100.1", reason, count: 1, first: START, last: START },
  ]);
});

test("200 groups are kept: the one not seen for longest makes room", () => {
  const clock = new TestClock();
  const rejectedMessages = new RejectedMessages(clock);
  for (let i = 0; i < 200; i++) rejectedMessages.add(`address ${i}`, "reason");
  rejectedMessages.add("address 0", "reason");
  for (let i = 200; i < 205; i++) rejectedMessages.add(`address ${i}`, "reason");
  const addresses = rejectedMessages.list().map(({ address }) => address);
  expect(addresses).toHaveLength(200);
  expect(addresses).toContain("address 0");
  for (let i = 1; i <= 5; i++) expect(addresses).not.toContain(`address ${i}`);
  expect(addresses).toContain("address 6");
});

test("an agent's text never becomes a reason", async () => {
  const app = new TestApp();
  for (let i = 0; i < 5; i++) {
    await app.report(`<monit id="a" incarnation="x${i}" version="1"></monit>`);
    await app.report(`<monit id="a" incarnation="1" version="1"><secret${i}/></monit>`);
    await app.report(`<?xml version="1.0"?><monit>broken${i}`);
  }
  expect(app.muster.rejectedMessages.list().length).toBeLessThanOrEqual(3);
  expect(JSON.stringify(app.muster.rejectedMessages.list())).not.toMatch(/secret|broken|x\d/);
});
