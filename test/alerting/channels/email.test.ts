/** Mail, through a real server. */
import { describe, expect, spyOn, test } from "bun:test";
import type { ChannelSettings } from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { HandTimers } from "../../support/hand-timers.ts";
import { MAIL_PASSWORD, MAIL_USER, MailServer } from "./mail-server.ts";
import { channelOf, message, Sockets, testEgress } from "./support.ts";

const WHO = { from: "muster@example.org", to: "one@example.org\n\ntwo@example.org" };

function mailer({ port }: { port: number }, more: ChannelSettings = {}, egress = testEgress()) {
  return channelOf("email", { host: "localhost", port: String(port), ...WHO, ...more }, egress);
}

const LOGIN = { user: MAIL_USER, password: MAIL_PASSWORD };

describe("a mail arrives", () => {
  const WAYS: readonly [name: string, settings: ChannelSettings, tls: boolean, secure: boolean][] = [
    ["in the open", { security: "none" }, false, false],
    ["over STARTTLS", { security: "starttls" }, false, true],
    ["over TLS", { security: "tls" }, true, true],
    ["over STARTTLS with a login", { security: "starttls", ...LOGIN }, false, true],
    ["over TLS with a login, by address", { security: "tls", ...LOGIN, host: "127.0.0.1" }, true, true],
    ["over STARTTLS, by address", { security: "starttls", host: "127.0.0.1" }, false, true],
  ];
  for (const [name, settings, tls, secure] of WAYS)
    test(name, async () => {
      await using server = await MailServer.start({ secure: tls });
      const answer = await mailer(server, settings).send();
      expect(answer).toEqual({ outcome: "sent", detail: "250 queued as 4711" });
      const { user } = settings;
      expect(server.mails).toEqual([
        {
          from: WHO.from,
          to: ["one@example.org", "two@example.org"],
          user,
          secure,
          text: expect.any(String),
        },
      ]);
    });

  test("with everything that it needs", async () => {
    await using server = await MailServer.start();
    await mailer(server).send();
    const { text = "" } = server.mails[0] ?? {};
    const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
    for (const line of [
      "From: Muster <muster@example.org>",
      "To: one@example.org, two@example.org",
      "Subject: mysqld on db-1: connection refused",
      "Date: Fri, 15 Jan 2027 08:00:00 +0000",
      `Message-ID: <${message().id}@example.org>`,
      "Auto-Submitted: auto-generated",
      "X-Muster-Kind: problem",
    ])
      expect(head.split("\r\n")).toContain(line);
    expect(body).toContain(
      "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\r\n\r\nRule: Databases\r\n\r\nhttps://muster.example/events/17",
    );
  });

  test("problem and recovery are one thread, and no other", async () => {
    await using server = await MailServer.start();
    const { send } = mailer(server);
    await send();
    await send(message({ id: "2", kind: "recovery" }));
    const [event] = message().events;
    await send(message({ id: "3", events: event ? [{ ...event, key: "another" }] : [] }));
    const threads = server.mails.map(({ text }) => /^References: (.*)\r$/m.exec(text)?.[1]);
    expect(threads[0]).toMatch(/^<[0-9a-f]{32}@example.org>$/);
    expect([threads[1] === threads[0], threads[2] === threads[0]]).toEqual([true, false]);
  });

  test("whatever stands in title and text: no header is added, no end of the message is faked", async () => {
    await using server = await MailServer.start();
    const hostile = message({
      title: "a\r\nBcc: evil@example.org\u0000",
      text: "x\r\n.\r\nMAIL FROM:<e@e>\r\näöü😀",
    });
    expect((await mailer(server).send(hostile)).outcome).toBe("sent");
    const { to, text } = server.mails[0] ?? { to: [], text: "" };
    expect([server.mails.length, to.length]).toEqual([1, 2]);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(text).toMatch(/^Subject: a Bcc: evil@example.org/m);
  });

  test("to those whom the server takes; the answer names the others", async () => {
    await using server = await MailServer.start({
      onRcptTo: ({ address }, _session, done) =>
        done(
          address.startsWith("two") ? Object.assign(new Error("No such user"), { responseCode: 550 }) : null,
        ),
    });
    const { outcome, detail } = await mailer(server).send();
    expect(outcome).toBe("sent");
    expect(detail).toBe("250 queued as 4711; two@example.org: 550 No such user");
  });
});

describe("a mail does not arrive", () => {
  const failing = (responseCode: number) => Object.assign(new Error("not now"), { responseCode });

  test("when the server refuses for good, it is not tried again; for now, it is", async () => {
    for (const [code, outcome] of [
      [550, "refused"],
      [451, "failed"],
    ] as const) {
      await using sender = await MailServer.start({
        onMailFrom: (_address, _session, done) => done(failing(code)),
      });
      expect(await mailer(sender).send()).toEqual({ outcome, detail: `${code} not now` });
      await using everyone = await MailServer.start({
        onRcptTo: (_address, _session, done) => done(failing(code)),
      });
      expect(await mailer(everyone).send()).toMatchObject({ outcome, detail: `${code} not now` });
      await using after = await MailServer.start({
        onData: (stream, _session, done) => {
          stream.resume().on("end", () => done(failing(code)));
        },
      });
      expect(await mailer(after).send()).toMatchObject({ outcome, detail: `${code} not now` });
    }
  });

  test("for a reason of its own or of its recipient, or for one that keeps others from arriving, too", async () => {
    const refusing = (code: number, why: string) => Object.assign(new Error(why), { responseCode: code });
    const answerTo = async (command: "MAIL" | "RCPT" | "DATA", code: number, why = "no") => {
      await using server = await MailServer.start({
        ...(command === "MAIL" && { onMailFrom: (_address, _session, done) => done(refusing(code, why)) }),
        ...(command === "RCPT" && { onRcptTo: (_address, _session, done) => done(refusing(code, why)) }),
        ...(command === "DATA" && {
          onData: (stream, _session, done) => {
            stream.resume().on("end", () => done(refusing(code, why)));
          },
        }),
      });
      return await mailer(server, { to: "one@example.org" }).send();
    };
    const refused = { outcome: "refused", only: "message" };
    const refusedRecipient = { outcome: "refused", only: "recipient" };
    const ofAll = { outcome: "refused", only: undefined };
    const later = { outcome: "failed", only: "recipient" };
    const laterOfAll = { outcome: "failed", only: undefined };
    for (const [command, code, why, expected] of [
      ["RCPT", 450, "greylisted", later],
      ["RCPT", 451, "4.7.1 greylisted", later],
      ["RCPT", 452, "4.2.2 mailbox full", later],
      ["RCPT", 421, "shutting down", laterOfAll],
      ["RCPT", 550, "5.1.1 no such user", refusedRecipient],
      ["RCPT", 553, "no such address", refusedRecipient],
      ["RCPT", 550, "5.7.1 relaying denied", ofAll],
      ["RCPT", 554, "relay access denied", ofAll],
      ["RCPT", 530, "authentication required", ofAll],
      ["MAIL", 421, "shutting down", laterOfAll],
      ["MAIL", 451, "not now", laterOfAll],
      ["MAIL", 550, "no such sender", ofAll],
      ["MAIL", 552, "message too large", refused],
      ["DATA", 421, "shutting down", laterOfAll],
      ["DATA", 452, "disk full", laterOfAll],
      ["DATA", 552, "5.3.4 message too large", refused],
      ["DATA", 554, "5.6.0 not conforming", refused],
      ["DATA", 550, "5.7.26 sender is not authenticated", ofAll],
    ] as const) {
      const { outcome, detail, only } = await answerTo(command, code, why);
      expect<object>({ command, detail, outcome, only }).toEqual({
        command,
        detail: `${code} ${why}`,
        ...expected,
      });
    }
  });

  test("as it is larger than the server takes", async () => {
    await using server = await MailServer.start({ size: 100 });
    expect(await mailer(server).send()).toEqual({
      outcome: "refused",
      detail: "Message size larger than allowed 100",
      only: "message",
    });
  });

  test("with a wrong password", async () => {
    await using server = await MailServer.start();
    const answer = await mailer(server, { user: MAIL_USER, password: "wrong" }).send();
    expect([answer.outcome, answer.detail]).toEqual(["refused", "535 Wrong password wrong"]);
    expect(server.mails).toEqual([]);
  });

  test("when the server has no STARTTLS: it is not sent in the open", async () => {
    await using server = await MailServer.start({ hideSTARTTLS: true, disabledCommands: ["STARTTLS"] });
    const answer = await mailer(server, LOGIN).send();
    expect(answer).toEqual({ outcome: "refused", detail: "STARTTLS: 500 Error: command not recognized" });
    expect(server.mails).toEqual([]);
  });

  test("when the certificate is that of another", async () => {
    for (const security of ["starttls", "tls"]) {
      await using server = await MailServer.start({ secure: security === "tls" });
      const egress = testEgress({ resolve: async () => ["127.0.0.1"] });
      const answer = await mailer(server, { security, host: "mail.example" }, egress).send();
      expect(answer.outcome).toBe("failed");
      expect(answer.detail).toMatch(/altnames|certificate/i);
      expect(server.mails).toEqual([]);
    }
  });

  test("where no mail server is, or none may be", async () => {
    const { outcome, detail } = await mailer({ port: 1 }).send();
    expect([outcome, detail]).toEqual([
      "failed",
      expect.stringContaining("localhost port 1 cannot be reached"),
    ]);
    await using server = await MailServer.start();
    const refused = await mailer(server, {}, testEgress({ reach: "private" })).send();
    expect(refused.outcome).toBe("refused");
    for (const host of ["2130706433", "0x7f.1", "127.1", "::ffff:127.0.0.1"])
      expect((await mailer(server, { host }, testEgress({ reach: "private" })).send()).outcome).toBe(
        "refused",
      );
    expect(server.connections).toBe(0);
  });

  test("when the server has no logins", async () => {
    await using server = await MailServer.start({ disabledCommands: ["AUTH"] });
    const answer = await mailer(server, LOGIN).send();
    expect(answer).toEqual({ outcome: "refused", detail: "AUTH PLAIN: 500 Error: command not recognized" });
  });

  test("when the port expects TLS at once: the answer says what to choose", async () => {
    const timers = new HandTimers();
    const egress = testEgress({ timeLimit: 600_000, startTimer: timers.start });
    const connecting = spyOn(egress, "connect");
    await using server = await MailServer.start({ secure: true });
    for (const security of ["starttls", "none"]) {
      connecting.mockClear();
      const answer = mailer(server, { security }, egress).send();
      while (connecting.mock.results.length === 0) await Bun.sleep(0);
      await connecting.mock.results[0]?.value;
      timers.end();
      expect(await answer).toEqual({
        outcome: "failed",
        detail:
          "the mail server sent no greeting within 600 seconds; if its port expects TLS at once, as 465 does, choose tls",
      });
    }
  });

  test("when the server stalls after it greeted, or never answers what it was given", async () => {
    const timers = new HandTimers();
    const egress = testEgress({ timeLimit: 600_000, startTimer: timers.start });
    const late = "the mail server took longer than 600 seconds";
    await using mute = await Sockets.start((socket) => {
      socket.write("220 hello\r\n");
      socket.once("data", timers.end);
    });
    expect(await mailer(mute, {}, egress).send()).toEqual({ outcome: "failed", detail: late });
    await using stalling = await MailServer.start({
      onData: (stream) => void stream.resume().on("end", timers.end),
    });
    expect(await mailer(stalling, {}, egress).send()).toEqual({ outcome: "unknown", detail: late });
  });

  test("when the connection breaks: before the message certainly, after it nobody knows", async () => {
    await using early = await Sockets.start((socket) => socket.end("220 hello\r\n"));
    expect((await mailer(early, { security: "none" }).send()).outcome).toBe("failed");
    await using late = await Sockets.start((socket) => {
      socket.write("220 hello\r\n");
      let isData = false;
      socket.on("data", (chunk) => {
        const line = String(chunk);
        if (isData) socket.destroy();
        else if (/^DATA/.test(line)) socket.write("354 go on\r\n");
        else socket.write("250 fine\r\n");
        isData ||= /^DATA/.test(line);
      });
    });
    expect((await mailer(late, { security: "none" }).send()).outcome).toBe("unknown");
  });

  test("when the server talks without end", async () => {
    await using babbling = await Sockets.start((socket) => {
      const babble = () => {
        while (!socket.destroyed && socket.write("220-".padEnd(60_000, "x")));
        if (!socket.destroyed) socket.once("drain", babble);
      };
      babble();
    });
    const { outcome, detail } = await mailer(babbling).send();
    expect([outcome, detail.length < 1000]).toEqual(["failed", true]);
  });
});

describe("settings", () => {
  const WRONG: readonly [settings: ChannelSettings, field: string][] = [
    [{ host: "mail.example/x" }, "host"],
    [{ port: "0" }, "port"],
    [{ port: "65536" }, "port"],
    [{ port: "smtp" }, "port"],
    [{ from: "muster" }, "from"],
    [{ from: "a@b\r\nBcc: c@d" }, "from"],
    [{ to: "one@example.org, two@example.org" }, "to"],
    [{ to: "\n" }, "to"],
    [{ to: "a@b\n".repeat(101) }, "to"],
    [{ password: "x" }, "user"],
    [{ user: "x", security: "none" }, "security"],
  ];
  for (const [settings, field] of WRONG)
    test(`${JSON.stringify(settings).slice(0, 60)} is refused for its ${field}`, () => {
      const { kind, settings: complete } = mailer({ port: 25 }, settings);
      expect(kind.check?.(complete)?.field).toBe(field);
    });

  test("that are in order are taken", () => {
    const { kind, settings } = mailer({ port: 25 }, LOGIN);
    expect(kind.check?.(settings)).toBeNull();
  });
});
