/** What a rule about Muster itself would have sent, and what it selects now. */
import { expect, test } from "bun:test";
import { Alerting } from "../../alerting/notifications/support.ts";
import { ADMIN_PASSWORD } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { failing, OF_MUSTER, PROBLEM, working } from "./support.ts";

const preview = async ({ admin }: Pick<Alerting, "admin">, args: Fields) => {
  const { status, json } = await admin.post("/api/1/admin/rules/preview", args);
  expect([status, json]).toEqual([200, json]);
  return json;
};
const rule = (fields: Fields = {}) => ({ name: "own", filter: OF_MUSTER, ...notifying(1), ...fields });
const FINDING = {
  ...{ id: 1, code: "background.failing", subject: "retention", severity: "warning", since: START },
  text: "Background work is failing: retention.",
};

test("a preview shows the current findings that the rule selects, whom it notifies, and changes nothing", async () => {
  const alerting = await Alerting.create();
  alerting.channel("mail");
  await alerting.report();
  await alerting.event({ message: "is gone" });
  await failing(alerting, 2);
  const before = stored(alerting.app);
  const steps = [{ channels: [1], users: ["admin"] }];
  const previewed = await preview(alerting, { rule: rule({ steps }) });
  expect(previewed).toMatchObject({ total: 1, matched: 1, taken: 0, truncated: false });
  expect(previewed.current).toEqual([{ ...FINDING, channels: [1], people: ["admin"] }]);
  expect(previewed.records).toEqual([
    {
      ...{ date: START + 66, kind: "problem", title: PROBLEM, events: [], findings: [1], heldback: "" },
      ...{ channels: [1], people: ["admin"] },
    },
  ]);
  expect(changedTables(alerting.app, before)).toEqual(["sessions"]);
});

test("a preview says what the stored rule sent", async () => {
  const alerting = await Alerting.create();
  const steps = escalating([alerting.channel("mail")], 3, alerting.channel("boss"));
  await alerting.rule({ filter: OF_MUSTER, repeat: 2, ...steps });
  await failing(alerting, 6);
  await working(alerting, 3);
  const { records, current } = await preview(alerting, { id: 1 });
  const sent = alerting.app.rows<{ kind: string; date: number }>(
    "select distinct kind, created_at as date from deliveries order by date, kind",
  );
  const times = (list: readonly { kind: string; date: number }[]) =>
    [...new Set(list.map(({ kind, date }) => `${date - START} ${kind}`))].sort();
  expect(times(records)).toEqual(times(sent));
  expect(current).toEqual([]);
});

test("severities, earlier final rules, mutes and acknowledgements count", async () => {
  const alerting = await Alerting.create();
  alerting.channel("mail");
  await failing(alerting, 2);
  const none = { total: 0, matched: 0, taken: 0, records: [], current: [] };
  const critical = rule({ filter: { ...OF_MUSTER, severities: [2] } });
  expect(await preview(alerting, { rule: critical })).toMatchObject(none);
  expect(await preview(alerting, { rule: { name: "hosts", ...notifying(1) } })).toMatchObject(none);

  await alerting.call("admin/health/acknowledge", { id: 1 });
  await failing(alerting, 4);
  const reminding = await preview(alerting, { rule: rule({ repeat: 2 }) });
  expect(reminding.records.map(({ kind }: { kind: string }) => kind)).toEqual(["problem"]);
  const late = await preview(alerting, { rule: rule({ delay: 3 }) });
  expect([late.records, late.current.length]).toEqual([[], 1]);

  const schedule = { kind: "once", from: START, to: START + 3600 };
  await alerting.call("admin/maintenance/create", { name: "Move", filter: {}, schedule });
  expect((await preview(alerting, { rule: rule() })).records).toEqual([]);

  await alerting.rule({ name: "first", final: true, filter: OF_MUSTER, ...notifying(1) });
  expect(await preview(alerting, { rule: rule() })).toMatchObject({ ...none, taken: 1 });
});

test("what lasted when the period began counts from then", async () => {
  const alerting = await Alerting.create();
  alerting.channel("mail");
  await failing(alerting, 2);
  const { health, metrics } = alerting.app.muster;
  for (let day = 0; day < 2; day++) {
    alerting.app.clock.step(86_400);
    metrics.backgroundFailed("retention");
    await health.evaluate(0);
  }
  // The session is over.
  const admin = await alerting.app.signedIn("admin", ADMIN_PASSWORD);
  const { records, datefrom, current } = await preview({ admin }, { rule: rule(), days: 1 });
  expect(records).toMatchObject([{ date: datefrom + 5, kind: "problem", findings: [1] }]);
  expect(current).toContainEqual({ ...FINDING, channels: [1], people: [] });
});
