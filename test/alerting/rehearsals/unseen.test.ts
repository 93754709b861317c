/** What a rehearsal leaves elsewhere: nothing. */
import { expect, test } from "bun:test";
import { START } from "../../support/clock.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { HOOK, MAIL, MINUTE, Rehearsing } from "./support.ts";

/** Operations that say what channels delivered, who did what, or how large the database is. */
const CHANGING = /^\/admin\/(rehearsals|channels|audit|settings)\//;
/** Arguments that the reads of the sweep need; each ignores those of others. */
const ARGUMENTS = { id: 1, hostid: 1, from: START, to: START + 86_400, q: "web", service: "web" };

/** The reply of every operation that reads, by its path. */
async function everythingRead(rehearsing: Rehearsing): Promise<Map<string, string>> {
  const admin = await rehearsing.admin();
  const replies = new Map<string, string>();
  const reads = rehearsing.app.operations.filter(({ kind }) => kind === "read" || kind === "query");
  for (const { path } of reads) {
    if (CHANGING.test(path)) continue;
    const { status, text } = await admin.get(`/api/1${path}`, ARGUMENTS);
    replies.set(path, `${status} ${text}`);
  }
  return replies;
}

test("every list, report and figure is the same byte for byte after a rehearsal with deliveries and acknowledgements", async () => {
  await using rehearsing = await Rehearsing.create();
  const { app } = rehearsing;
  const now = () => app.clock.now();
  const about = { id: "agent-1", poll: 86_400, incarnation: START - 3600 };
  const service = (status: number) => ({
    services: [{ name: "web", status, body: "<status_hint>0</status_hint>" }],
  });
  await app.report({ ...about, at: now(), ...service(0) });
  // Both steps are due when the rule first notifies.
  const steps = [{ users: ["anna"] }, { after: 15, channels: [HOOK] }];
  const rule = await rehearsing.rule({ steps, delay: 15, flapcount: 0 });
  await rehearsing.call("admin/mailreports/create", {
    name: "Fleet",
    period: "daily",
    everything: true,
    channel: MAIL,
    users: ["anna"],
  });
  const event = { service: "web", state: 1, id: 512, message: "is gone" };
  await app.report({ ...about, at: now(), ...service(512), event });
  await rehearsing.pass(20 * MINUTE);
  expect([rehearsing.mail.mails.length, rehearsing.hook.received.length]).toEqual([1, 1]);

  await rehearsing.admin();
  const [replies, rows] = [await everythingRead(rehearsing), stored(app)];
  expect(replies.get("/incidents/list")).toContain("is gone");
  expect(JSON.parse(replies.get("/admin/deliveries/list")?.slice(4) ?? "")).toMatchObject({
    totalRecords: 2,
  });
  for (const path of [
    "/reports/events/alerts",
    "/reports/mail/get",
    "/reports/uptime/list",
    "/problems/list",
  ])
    expect([path, replies.get(path)?.slice(0, 3) ?? "200"]).toEqual([path, "200"]);

  await rehearsing.start({ rule, escalate: true });
  await rehearsing.work();
  await rehearsing.acknowledge(rehearsing.linkOfMail(1));
  await rehearsing.acknowledge(rehearsing.linkOfHook(1));
  await rehearsing.work();
  expect(await rehearsing.result()).toMatchObject({ ended: now(), notified: 2, acknowledged: 2, asleep: [] });

  expect(await everythingRead(rehearsing)).toEqual(replies);
  // A channel says how its last attempt ended.
  expect(changedTables(app, rows)).toEqual([
    "acknowledge_links",
    "channels",
    "deliveries",
    "rehearsal_messages",
    "rehearsals",
  ]);
});
