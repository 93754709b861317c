/** The real app with a mail server, and time that passes in steps of hours. */
import { ReportSender } from "../../../src/alerting/mail-reports/report-sender.service.ts";
import { processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, Reply, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { MailServer } from "../channels/mail-server.ts";

export const HOUR = 3600;
export const DAY = 86_400;
export const BASE = "https://muster.example";

/** Text and HTML of a mail, decoded. */
export function partsOf(mail: string): { subject: string; text: string; html: string } {
  const decoded = (part: string) =>
    Buffer.from(
      part
        .replace(/=\r\n/g, "")
        .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      "latin1",
    ).toString("utf8");
  const part = (type: string) => {
    const match = new RegExp(`Content-Type: ${type}([\\s\\S]*?)\\r\\n\\r\\n([\\s\\S]*?)\\r\\n-+_NmP`).exec(
      mail,
    );
    const [, head = "", body = ""] = match ?? [];
    const text = head.includes("quoted-printable") ? decoded(body) : body;
    return text.replaceAll("\r\n", "\n");
  };
  const subject = /^Subject: ((?:.|\r\n[ \t])*)\r$/m.exec(mail)?.[1]?.replace(/\r\n\s+/g, " ") ?? "";
  return { subject, text: part("text/plain"), html: part("text/html") };
}

export class Reporting implements AsyncDisposable {
  reportSender: ReportSender;

  #admin: { client: TestClient; since: number } | null = null;

  private constructor(
    readonly app: TestApp,
    readonly mail: MailServer,
  ) {
    this.reportSender = app.muster.reportSender;
  }

  /** A mail channel, the groups "web" and "db" with a host each, and the user "anna". */
  static async create(): Promise<Reporting> {
    const app = new TestApp({ baseUrl: BASE });
    const reporting = new Reporting(app, await MailServer.start());
    await reporting.call("admin/channels/create", {
      name: "Mail",
      kind: "email",
      settings: {
        host: "localhost",
        port: String(reporting.mail.port),
        security: "none",
        from: "muster@example.org",
        to: "ops@example.org",
      },
    });
    for (const [i, name] of ["web", "db"].entries()) {
      await app.report({
        id: `agent-${i + 1}`,
        hostname: `${name}-host`,
        poll: DAY,
        incarnation: START - HOUR,
      });
      await reporting.call("admin/groups/create", { name });
      await reporting.call("admin/groups/add", { id: i + 1, hostid: i + 1 });
    }
    await reporting.user("anna");
    return reporting;
  }

  /** The hosts have been known for so long that the time before counts. */
  hostsAreKnownFor(seconds: number): void {
    this.app.db.$client.run(`update hosts set created_at = created_at - ${seconds}`);
  }

  /** The administrator; the session may end when hours pass. */
  async admin(): Promise<TestClient> {
    const now = this.app.clock.now();
    if (!this.#admin || Math.abs(now - this.#admin.since) > 1000)
      this.#admin = { client: await this.app.admin(), since: now };
    return this.#admin.client;
  }

  async post(path: string, fields: Fields): Promise<Reply> {
    return await (await this.admin()).post(`/api/1/${path}`, fields);
  }

  async get(path: string, fields: Fields = {}): Promise<Reply["json"]> {
    return (await (await this.admin()).get(path, fields)).json;
  }

  async call(path: string, fields: Fields): Promise<Reply["json"]> {
    const reply = await this.post(path, fields);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  }

  /** A user with the mail address NAME@example.org, and levels if there are any. */
  async user(uname: string, levels?: Fields): Promise<void> {
    const password = `${uname} password`;
    await this.call("admin/users/create", {
      uname,
      password,
      fullname: uname,
      email: `${uname}@example.org`,
    });
    if (levels) await this.call("admin/grants/set", { uname, restricted: true, ...levels });
  }

  /** A daily report at 7 about everything to anna, unless `fields` say otherwise. */
  async report(fields: Fields = {}): Promise<number> {
    const usual = { name: "Fleet", period: "daily", hour: 7, channel: 1, users: ["anna"] };
    const about = fields.hostgroups === undefined ? { everything: true } : {};
    return (await this.call("admin/mailreports/create", { ...usual, ...about, ...fields })).id;
  }

  /** A service of a host fails. */
  async fail(host: number, service: string): Promise<void> {
    const at = this.app.clock.now();
    await this.app.report({
      id: `agent-${host}`,
      hostname: `${host === 1 ? "web" : "db"}-host`,
      poll: DAY,
      at,
      incarnation: START - HOUR,
      services: [{ name: service, status: 512, body: processXml() }],
      event: { service, state: 1, id: 512, message: "is gone" },
    });
  }

  /** One round of the background work. */
  async work(): Promise<void> {
    this.reportSender.step();
    const { sender } = this.app.muster;
    for (let more = true; more; ) {
      sender.step();
      await sender.idle();
      sender.step();
      await sender.idle();
      more = this.app.rows(`select 1 from deliveries where next_at <= ${this.app.clock.now()}`).length > 0;
    }
  }

  /** Time passes in steps of ten minutes. */
  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 600) {
      this.app.clock.step(Math.min(600, seconds - passed));
      await this.work();
    }
  }

  /** Nothing runs while time passes, and then a process starts on the same database. */
  async absent(seconds: number): Promise<void> {
    this.app.clock.step(seconds);
    await this.restart();
  }

  async restart(): Promise<void> {
    const { db, settings, clock, queries, grants } = this.app.muster;
    const rightsOf: typeof grants.rightsOf = (user) => grants.rightsOf(user);
    this.reportSender = new ReportSender({ db, settings, clock, queries, rightsOf });
    await this.work();
  }

  /** What has arrived since the last call: recipient, and the days of the report. */
  taken(): string[] {
    return this.mail.mails.splice(0).map(({ to, text }) => {
      const days = /report, (\S+(?: to \S+)?) \(/.exec(partsOf(text).text)?.[1];
      return `${to.join(",")}: ${days}`;
    });
  }

  answers(): string[] {
    return this.app
      .rows<{ t: string }>("select status || ': ' || answer as t from deliveries order by id")
      .map(({ t }) => t);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mail[Symbol.asyncDispose]();
  }
}
