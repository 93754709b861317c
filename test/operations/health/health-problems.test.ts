/** What is wrong with Muster itself is acknowledged as failures of hosts are. */
import { expect, test } from "bun:test";
import { Alerting } from "../../alerting/notifications/support.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { arrivedAt, failing, OF_MUSTER, PROBLEM, working } from "./support.ts";

/** Reminders every 2 minutes, and a further step after 3. */
async function reminding(app?: TestApp): Promise<Alerting> {
  const alerting = await Alerting.create(app);
  const steps = escalating([alerting.channel("mail")], 3, alerting.channel("boss"));
  await alerting.rule({ filter: OF_MUSTER, repeat: 2, ...steps });
  return alerting;
}

const acknowledge = (alerting: Alerting, fields: object = {}) =>
  alerting.admin.post("/api/1/admin/health/acknowledge", { id: 1, ...fields });
const unacknowledge = (alerting: Alerting) =>
  alerting.admin.post("/api/1/admin/health/unacknowledge", { id: 1 });
const acknowledgedOf = async ({ app, admin }: Alerting) => {
  app.muster.metrics.backgroundFailed("retention");
  const { json } = await admin.get("/api/1/admin/health/get");
  return json.findings.map(({ id, acknowledged }: { id: number; acknowledged: unknown }) => [
    id,
    acknowledged,
  ]);
};
const rowsOf = ({ app }: Alerting) =>
  app.rows(
    "select finding_id as id, uname, note, until, ended_at as ended from finding_acknowledgements order by id",
  );

test("after an acknowledgement there is no step and no reminder, but those who were notified get the end", async () => {
  const alerting = await reminding();
  await failing(alerting, 2);
  expect((await acknowledge(alerting, { note: "freeing space" })).status).toBe(200);
  const date = alerting.app.clock.now();
  expect(await acknowledgedOf(alerting)).toEqual([
    [1, { uname: "admin", date, until: null, note: "freeing space" }],
  ]);
  await failing(alerting, 8);
  expect(arrivedAt(alerting)).toEqual([`@66 mail problem: ${PROBLEM}`]);
  await working(alerting, 2);
  expect(arrivedAt(alerting).slice(1)).toEqual([expect.stringContaining("mail recovery: Recovered after")]);
  expect(rowsOf(alerting)).toEqual([
    { id: 1, uname: "admin", note: "freeing space", until: null, ended: expect.any(Number) },
  ]);
});

test("the next failure of the check is not acknowledged", async () => {
  const alerting = await reminding();
  await failing(alerting, 2);
  await acknowledge(alerting);
  await working(alerting, 2);
  await failing(alerting, 2);
  expect(await acknowledgedOf(alerting)).toEqual([[2, null]]);
  expect(arrivedAt(alerting).slice(2)).toEqual([expect.stringContaining(`mail problem: ${PROBLEM}`)]);
});

test("an acknowledgement before anyone was notified keeps everyone from it", async () => {
  const alerting = await reminding();
  await failing(alerting);
  await acknowledge(alerting);
  await failing(alerting, 5);
  await working(alerting, 2);
  expect(arrivedAt(alerting)).toEqual([]);
  expect(alerting.app.rows("select outcome from health_alerts")).toEqual([
    { outcome: "acknowledged by admin" },
  ]);
});

test("when an acknowledgement ends by its time, people are notified again, and steps follow", async () => {
  const alerting = await reminding();
  await failing(alerting, 2);
  const until = alerting.app.clock.now() + 400;
  await acknowledge(alerting, { until });
  await failing(alerting, 6);
  expect(arrivedAt(alerting)).toHaveLength(1);
  await failing(alerting, 2);
  expect(arrivedAt(alerting).slice(1, 3)).toEqual([
    expect.stringContaining(`@${until - START} mail reminder: Ongoing for`),
    expect.stringContaining("boss escalation: "),
  ]);
  expect(await acknowledgedOf(alerting)).toEqual([[1, null]]);
});

test("an acknowledgement that is taken back notifies again, too", async () => {
  const alerting = await reminding();
  await failing(alerting, 2);
  await acknowledge(alerting);
  await failing(alerting);
  expect((await unacknowledge(alerting)).status).toBe(200);
  expect(await acknowledgedOf(alerting)).toEqual([[1, null]]);
  await alerting.pass(1);
  expect(arrivedAt(alerting).slice(1)).toEqual([expect.stringContaining("mail reminder: Ongoing for")]);
});

test("a second acknowledgement replaces the first, and a restart keeps it", async () => {
  const alerting = await reminding();
  await failing(alerting, 2);
  await acknowledge(alerting, { note: "first" });
  await acknowledge(alerting, { note: "second" });
  alerting.restart();
  await failing(alerting, 4);
  expect(arrivedAt(alerting)).toHaveLength(1);
  expect(await acknowledgedOf(alerting)).toEqual([[1, expect.objectContaining({ note: "second" })]]);
  expect(rowsOf(alerting)).toMatchObject([
    { note: "first", ended: expect.any(Number) },
    { note: "second", ended: null },
  ]);
});

test("a failure that flaps is acknowledged by its newest finding", async () => {
  const alerting = await Alerting.create();
  const steps = notifying(alerting.channel("mail"));
  await alerting.rule({ filter: OF_MUSTER, repeat: 2, flapcount: 2, flapwindow: 20, ...steps });
  await failing(alerting, 2);
  await working(alerting, 2);
  await failing(alerting, 2);
  const before = alerting.arrived.length;
  await acknowledge(alerting, { id: 2 });
  await failing(alerting, 6);
  expect(alerting.arrived).toHaveLength(before);
});

test("findings that are over or never were are refused by name, and nothing is stored", async () => {
  const alerting = await reminding();
  await failing(alerting, 2);
  const now = alerting.app.clock.now();
  await working(alerting, 2);
  const before = stored(alerting.app);
  for (const [fields, status, error] of [
    [{ id: 1 }, 400, "id must be the id of a finding that lasts, which 1 does not"],
    [{ id: 9 }, 404, "finding 9"],
    [{ id: 1, until: now - 1 }, 400, "until must be"],
  ] as const) {
    const reply = await acknowledge(alerting, fields);
    expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(error)]);
  }
  expect((await alerting.admin.post("/api/1/admin/health/unacknowledge", { id: 9 })).status).toBe(404);
  expect(changedTables(alerting.app, before)).toEqual(["sessions"]);
});

test("of several findings all are acknowledged or none", async () => {
  const alerting = await reminding();
  await failing(alerting, 2);
  expect((await acknowledge(alerting, { id: [1, 9] })).status).toBe(404);
  expect(rowsOf(alerting)).toEqual([]);
});

test("the link in a message acknowledges, once, and the audit log names its recipient", async () => {
  const alerting = await reminding(new TestApp({ baseUrl: "https://muster.example" }));
  await failing(alerting, 2);
  const path = new URL(alerting.arrived[0]?.message.acknowledgeUrl ?? "none:").pathname;
  const nobody = alerting.app.client();
  const looked = await nobody.get(path);
  expect([looked.status, looked.text.includes(`<li>${PROBLEM}</li>`)]).toEqual([200, true]);
  expect(rowsOf(alerting)).toEqual([]);
  const used = await nobody.post(path, {});
  expect([used.status, used.text.includes("Acknowledged.")]).toEqual([200, true]);
  expect((await nobody.post(path, {})).status).toBe(410);
  expect(rowsOf(alerting)).toMatchObject([{ id: 1, uname: "mail", ended: null }]);
  const { json } = await alerting.admin.get("/api/1/admin/audit/list?operation=admin/health");
  expect(json.records).toMatchObject([
    { operation: "admin/health/acknowledge", subject: "finding", subjectid: "1", via: "link" },
  ]);
  await failing(alerting, 6);
  expect(alerting.arrived).toHaveLength(1);
});

test("a link of a failure that is over acknowledges nothing", async () => {
  const alerting = await reminding(new TestApp({ baseUrl: "https://muster.example" }));
  await failing(alerting, 2);
  const path = new URL(alerting.arrived[0]?.message.acknowledgeUrl ?? "none:").pathname;
  await alerting.call("mutes/create", { filter: { rules: [1] }, minutes: 20 });
  await working(alerting, 2);
  expect((await alerting.app.client().post(path, {})).status).toBe(410);
  // Nor does it acknowledge the next one, which begins before the end of the first could be told.
  await failing(alerting, 2);
  expect((await alerting.app.client().post(path, {})).status).toBe(410);
  expect(rowsOf(alerting)).toEqual([]);
});
