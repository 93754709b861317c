/** The real app with a mail server and a web server, whose time passes in steps of a minute. */
import { TestApp, type TestOptions } from "../../support/app.ts";
import type { Fields, Reply, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { MailServer } from "../channels/mail-server.ts";
import { Receiver } from "../channels/support.ts";
import { partsOf } from "../mail-reports/support.ts";

export const BASE = "https://muster.example";
export const MINUTE = 60;
export const DAY = 86_400;
/** Ids of what `create` makes. */
export const [MAIL, HOOK] = [1, 2];

export class Rehearsing implements AsyncDisposable {
  #client: { client: TestClient; since: number } | null = null;

  private constructor(
    public app: TestApp,
    readonly mail: MailServer,
    readonly hook: Receiver,
  ) {}

  /** A mail channel, a webhook, and the users anna and ben. @param options of the app */
  static async create(options: TestOptions = { baseUrl: BASE }): Promise<Rehearsing> {
    const rehearsing = new Rehearsing(new TestApp(options), await MailServer.start(), await Receiver.start());
    const { mail, hook } = rehearsing;
    await rehearsing.call("admin/channels/create", {
      name: "Mail",
      kind: "email",
      settings: {
        host: "localhost",
        port: String(mail.port),
        security: "none",
        from: "muster@example.org",
        to: "ops@example.org",
      },
    });
    await rehearsing.call("admin/channels/create", {
      name: "Hook",
      kind: "webhook",
      settings: { url: hook.url },
    });
    for (const uname of ["anna", "ben"])
      await rehearsing.call("admin/users/create", {
        uname,
        password: `${uname} password`,
        fullname: uname,
        email: `${uname}@example.org`,
      });
    return rehearsing;
  }

  /** The administrator; the session may end when days pass. */
  async admin(): Promise<TestClient> {
    const now = this.app.clock.now();
    if (!this.#client || Math.abs(now - this.#client.since) > 1000)
      this.#client = { client: await this.app.admin(), since: now };
    return this.#client.client;
  }

  async post(path: string, fields: Fields): Promise<Reply> {
    return (await this.admin()).post(`/api/1/${path}`, fields);
  }

  async get(path: string, fields: Fields = {}): Promise<Reply> {
    return (await this.admin()).get(`/api/1/${path}`, fields);
  }

  /** @returns the reply of a call that succeeds */
  async call(path: string, fields: Fields): Promise<Reply["json"]> {
    const reply = await this.post(path, fields);
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  }

  /** A rule that notifies anna and, after 15 minutes, the webhook. @returns its id */
  async rule(fields: Fields = {}): Promise<number> {
    const steps = [{ users: ["anna"] }, { after: 15, channels: [HOOK] }];
    return (await this.call("admin/rules/create", { name: "Web", steps, ...fields })).id;
  }

  /** A schedule with this user on call, around the clock from a date on. @returns its id */
  async schedule(user: string, start = "2020-01-01"): Promise<number> {
    const turn = { start, handover: "00:00", unit: "week", every: 1, hours: null };
    const rotation = { name: "All", users: [user], ...turn };
    return (await this.call("oncall/create", { name: "Nights", timezone: "UTC", rotations: [rotation] })).id;
  }

  /** Starts a rehearsal, whose first messages are in the outbox then. @returns its id */
  async start(fields: Fields): Promise<number> {
    const { id } = await this.call("admin/rehearsals/start", fields);
    this.app.muster.rehearsals.step();
    return id;
  }

  async result(id = 1): Promise<Reply["json"]> {
    return (await this.get("admin/rehearsals/get", { id })).json;
  }

  /** One round of the background work. */
  async work(): Promise<void> {
    const { rehearsals, dispatcher, sender } = this.app.muster;
    rehearsals.step();
    while (dispatcher.step());
    for (let more = true; more; ) {
      sender.step();
      await sender.idle();
      sender.step();
      await sender.idle();
      more = this.app.rows(`select 1 from deliveries where next_at <= ${this.app.clock.now()}`).length > 0;
    }
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += MINUTE) {
      this.app.clock.step(Math.min(MINUTE, seconds - passed));
      await this.work();
    }
  }

  /** Like a process that is killed, and one that starts on the same database. */
  async restart(): Promise<void> {
    const { db, clock } = this.app;
    const now = clock.now();
    this.app = new TestApp({ db, baseUrl: BASE });
    this.app.clock.step(now - START);
    this.#client = null;
    this.app.muster.sender.start();
    await this.work();
  }

  /** What arrived by mail: recipient and subject. */
  mailed(): string[] {
    return this.mail.mails.map(({ to, text }) => `${to.join(",")}: ${subjectIn(text)}`);
  }

  /** The path of the link in the n-th mail. */
  linkOfMail(index: number): string {
    const unfolded = this.mail.mails[index]?.text.replaceAll("=\r\n", "") ?? "";
    return pathOf(/Acknowledge: (\S+)/.exec(unfolded)?.[1]);
  }

  /** The path of the link in the n-th request to the web server. */
  linkOfHook(index: number): string {
    return pathOf(this.hook.received[index]?.json.acknowledgeurl);
  }

  /** Follows a link and presses its button. */
  acknowledge(path: string): Promise<Reply> {
    return this.app.client().post(path, {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mail[Symbol.asyncDispose]();
    await this.hook[Symbol.asyncDispose]();
  }
}

/** The subject of a mail, decoded (RFC 2047). */
function subjectIn(mail: string): string {
  return partsOf(mail)
    .subject.replace(/\?= =\?UTF-8\?Q\?/g, "")
    .replace(/=\?UTF-8\?Q\?(.*)\?=/, (_, encoded: string) =>
      decodeURIComponent(encoded.replaceAll("_", " ").replaceAll("=", "%")),
    );
}

function pathOf(url = "none:"): string {
  return new URL(url).pathname;
}
