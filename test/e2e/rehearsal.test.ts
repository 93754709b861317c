/** A rehearsal by the executable: two steps over a mail server and a web server, and both links. */
import { expect, test } from "bun:test";
import { MailServer } from "../alerting/channels/mail-server.ts";
import type { Fields } from "../support/client.ts";
import { Receiver } from "../support/receiver.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";

/** Presses the button of the page that a link leads to. */
async function acknowledge(url: string): Promise<string> {
  const reply = await fetch(url, { method: "POST" });
  expect(reply.status).toBe(200);
  return reply.text();
}

test("a rehearsal mails the first step, notifies the second a minute later, and measures who answers", async () => {
  using folder = temporaryFolder();
  await using mail = await MailServer.start();
  using hook = new Receiver();
  await using muster = await Muster.start({ cwd: folder.path, args: ["--channel-reach", "loopback"] });
  const admin = await muster.admin();
  const call = async (path: string, fields: Fields) => {
    const reply = await admin.post(`/api/1/${path}`, fields);
    expect([path, reply.status]).toEqual([path, 200]);
    return reply.json;
  };
  await call("admin/settings/update", {
    baseurl: muster.url,
    mailhost: "127.0.0.1",
    mailport: mail.port,
    mailsecurity: "none",
    mailfrom: "muster@example.org",
  });
  const anna = { uname: "anna", password: "long enough", fullname: "Anna", email: "anna@example.org" };
  await call("admin/users/create", anna);
  const ops = { name: "Mail", kind: "email", settings: { to: "ops@example.org" } };
  await call("admin/channels/create", ops);
  const { id: channel } = await call("admin/channels/create", {
    name: "Hook",
    kind: "webhook",
    settings: { url: `${hook.url}/hook` },
  });
  const steps = [{ users: ["anna"] }, { after: 1, channels: [channel] }];
  const { id: rule } = await call("admin/rules/create", { name: "Web", steps });
  const { id } = await call("admin/rehearsals/start", { rule, escalate: true });
  const result = async () => (await admin.get("/api/1/admin/rehearsals/get", { id })).json;

  const [first] = await eventually("the first step is mailed", () => mail.mails.length > 0 && mail.mails);
  expect(first?.to).toEqual(["anna@example.org"]);
  const text = first?.text.replaceAll("=\r\n", "") ?? "";
  expect(text).toContain("Rehearsal, nothing is wrong");
  expect(hook.requests).toEqual([]);

  const [second] = await eventually("the second step is notified", () => hook.requests[0] && hook.requests);
  const posted = JSON.parse(second?.body ?? "");
  expect(posted).toMatchObject({ kind: "rehearsal", rule: "Web", events: [{ id: 0, state: "success" }] });
  expect(posted.text).toContain("Step 2: nobody had acknowledged it after 1 min.");
  expect(await acknowledge(posted.acknowledgeurl)).toContain("You would have noticed a problem");
  expect(await result()).toMatchObject({ ended: null, notified: 2, acknowledged: 1, asleep: ["anna"] });

  await acknowledge(/Acknowledge: (\S+)/.exec(text)?.[1] ?? "");
  const { messages, date, ended } = await eventually("it ends once everyone has answered", async () => {
    const now = await result();
    return now.ended !== null && now;
  });
  expect(messages).toMatchObject([
    { step: 0, person: "anna", channel: "Mail", status: "sent" },
    { step: 1, person: "", channel: "Hook", status: "sent" },
  ]);
  const [toAnna, toHook] = messages;
  expect(toAnna.acknowledged).toBeGreaterThanOrEqual(60);
  expect(toHook.acknowledged).toBeLessThanOrEqual(ended - date - 60);
  expect([mail.mails.length, hook.requests.length]).toEqual([1, 1]);
  // It is no event, and no message of an alert.
  for (const path of ["reports/events/list", "admin/deliveries/list"])
    expect((await admin.get(`/api/1/${path}`)).json).toMatchObject({ totalRecords: 0 });
});
