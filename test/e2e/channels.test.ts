/** Channels of the executable as it is delivered: what is bundled into it works there too. */
import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAIL_PASSWORD, MAIL_USER, MailServer } from "../alerting/channels/mail-server.ts";
import { CERT, Receiver } from "../alerting/channels/support.ts";
import { Muster, PASSWORDS, temporaryFolder } from "./support.ts";

/** The certificate of the remotes, as an administrator lets Muster trust one of his own. */
function trusting(folder: string): Record<string, string> {
  const path = join(folder, "ca.pem");
  writeFileSync(path, CERT);
  return { ...PASSWORDS, NODE_EXTRA_CA_CERTS: path };
}

test("mail, a webhook over TLS and a program arrive", async () => {
  using folder = temporaryFolder();
  await using mail = await MailServer.start();
  await using far = await Receiver.start(true);
  const args = ["--channel-reach", "loopback", "--allow-exec", "yes"];
  await using muster = await Muster.start({ cwd: folder.path, env: trusting(folder.path), args });
  const admin = await muster.admin();
  const tried = async (fields: object) =>
    (await admin.post("/api/1/admin/channels/test", { ...fields })).json;

  const settings = {
    host: "localhost",
    port: String(mail.port),
    user: MAIL_USER,
    password: MAIL_PASSWORD,
    from: "muster@example.org",
    to: "admin@example.org",
  };
  const channel = { name: "mail", kind: "email", settings };
  const created = await admin.post("/api/1/admin/channels/create", channel);
  expect([created.status, created.json]).toEqual([200, { id: 1 }]);
  expect(await tried({ id: 1 })).toMatchObject({ outcome: "sent", detail: "250 queued as 4711" });
  expect(mail.mails).toMatchObject([{ to: ["admin@example.org"], user: MAIL_USER, secure: true }]);

  const url = `https://localhost:${far.port}/in`;
  expect(await tried({ channel: { name: "x", kind: "webhook", settings: { url } } })).toMatchObject({
    outcome: "sent",
    detail: "200 ok",
  });
  expect(far.only.json.kind).toBe("test");

  const program = join(folder.path, "program");
  writeFileSync(program, '#!/bin/sh\necho "$MUSTER_KIND of $MUSTER_HOST"\n');
  chmodSync(program, 0o755);
  expect(await tried({ channel: { name: "x", kind: "exec", settings: { program } } })).toMatchObject({
    outcome: "sent",
    detail: "exit code 0: test of host.example",
  });
  for (const secret of [MAIL_PASSWORD, "program\n"]) expect(muster.output).not.toContain(secret);
  expect(await muster.stop()).toBe(0);
});

test("unless it is allowed, no program is started and nothing on this machine is asked", async () => {
  using folder = temporaryFolder();
  await using far = await Receiver.start();
  await using muster = await Muster.start({ cwd: folder.path });
  const admin = await muster.admin();
  const test = (kind: string, settings: object) =>
    admin.post("/api/1/admin/channels/test", { channel: { name: "x", kind, settings } });
  expect((await test("exec", { program: "/bin/true" })).status).toBe(400);
  for (const url of [far.url, `http://localhost:${far.port}/`, `${muster.url}/metrics`])
    expect((await test("webhook", { url })).json.outcome).toBe("refused");
  expect(far.received).toEqual([]);
});
