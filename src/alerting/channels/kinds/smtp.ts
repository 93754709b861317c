/** Mail over SMTP. A file of its own, so that the mail library takes memory only once mail is sent. */
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { Egress } from "../../../platform/egress/egress.ts";
import { cleanLine, cut } from "../../../platform/text.ts";
import { byError } from "./answers.ts";
import type { AlertMessage, Answer, ChannelSettings } from "./channel-kind.ts";
import { linesOf } from "./fields.ts";
import { linkLines } from "./links.ts";

const MAX_SUBJECT = 250;

const domainOf = (address: string) => address.split("@").at(-1) ?? "muster";

/**
 * Builds the mail. Mails about one failure refer to each other, so that mail programs show them as a thread.
 */
function compose({ from = "", to = "" }: ChannelSettings, message: AlertMessage): Promise<Buffer> {
  const { id, kind, title, text, html, events, at } = message;
  const links = linkLines(message);
  const key = events.length === 1 ? events[0]?.key : undefined;
  const thread = key && `<${createHash("sha256").update(key).digest("hex").slice(0, 32)}@${domainOf(from)}>`;
  const composer = new MailComposer({
    from: { name: "Muster", address: from },
    to: linesOf(to),
    subject: cut(cleanLine(title), MAX_SUBJECT),
    text: links.length === 0 ? text : `${[text, ...links].join("\n\n")}\n`,
    ...(html !== undefined && { html }),
    date: new Date(at * 1000),
    messageId: `<${id}@${domainOf(from)}>`,
    ...(thread && { references: thread, inReplyTo: thread }),
    headers: { "Auto-Submitted": "auto-generated", "X-Muster-Kind": kind },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

type Failure = Error & {
  /** EMESSAGE if the message was refused, rather than its sender or recipient. */
  code?: string | undefined;
  responseCode?: number | undefined;
  response?: string | undefined;
  /** What the server responded to. */
  command?: string | undefined;
  /** Set if the server refused the recipient. */
  rejectedErrors?: unknown[];
};

/** Responses of a server that does not know or have the command, which they often do not name. */
const NO_SUCH_COMMAND = { first: 500, last: 504 };

/** What the server responded; for a command that it does not have, with the command. */
function detailOf({ responseCode: code = 0, response, command, message }: Failure): string {
  if (!response) return message;
  const isUnknown = code >= NO_SUCH_COMMAND.first && code <= NO_SUCH_COMMAND.last;
  return isUnknown && command ? `${command}: ${response}` : response;
}

/** Replies to RCPT about its mailbox (RFC 5321, 4.2.3; 556 of RFC 7504). Others are about every mail, such as 421 and 554. */
const OF_MAILBOX: ReadonlySet<number> = new Set([450, 451, 452, 550, 551, 552, 553, 556]);
/** In reply to MAIL, which announces the size: the message is too large. */
const TOO_LARGE = 552;
/** A refusal for reasons of policy (RFC 3463, 3.8), as of a relay: it can be about every mail of this client or sender. */
const POLICY = /^5\d\d[ -]5\.7\./;

/** Whether the same mail will be refused again. The library itself refuses one that is larger than the server takes. */
function isPermanent({ responseCode, code }: Failure): boolean {
  return responseCode === undefined ? code === "EMESSAGE" : responseCode >= 500;
}

/** What alone was refused; undefined if the channel could not send another mail either. */
function onlyRefused(failure: Failure): Answer["only"] {
  const { responseCode = 0, response = "", code, command, rejectedErrors } = failure;
  if (POLICY.test(response)) return undefined;
  if (rejectedErrors) return OF_MAILBOX.has(responseCode) ? "recipient" : undefined;
  const isTooLarge = command === "MAIL FROM" && responseCode === TOO_LARGE;
  return isTooLarge || (code === "EMESSAGE" && isPermanent(failure)) ? "message" : undefined;
}

/** One SMTP session, over a socket that the egress client opened. */
class Conversation {
  readonly #connection: SMTPConnection;
  /** Whether the whole message was transferred, so that it may have arrived. */
  #isSent = false;

  constructor(
    private readonly settings: ChannelSettings,
    private readonly socket: Socket,
    egress: Egress,
  ) {
    const { host = "", security } = settings;
    const timeout = egress.timeLimit;
    this.#connection = new SMTPConnection({
      host,
      connection: socket,
      secure: security === "tls",
      secured: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      tls: { ...egress.trust },
      name: domainOf(settings.from ?? ""),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      socketCloseTimeout: 0,
      maxResponseSize: 64 * 1024,
    });
  }

  /** Sends the message. @returns the server's response @throws Failure */
  async hold(message: Buffer): Promise<string> {
    const connection = this.#connection;
    const broken = new Promise<never>((_resolve, reject) => connection.on("error", reject));
    // It may reject after the race is over; without a handler that would be an unhandled rejection.
    broken.catch(() => undefined);
    const { user, password: pass, from, to = "" } = this.settings;
    await Promise.race([broken, this.#step((done) => connection.connect(done))]);
    if (user)
      await Promise.race([broken, this.#step((done) => connection.login({ user, pass: pass ?? "" }, done))]);
    const stream = Readable.from([message]).on("end", () => {
      this.#isSent = true;
    });
    const envelope = { from, to: linesOf(to), size: message.length };
    const sent = new Promise<string>((resolve, reject) => {
      connection.send(envelope, stream, (error, info) => {
        if (error || !info) return reject(error ?? new Error("the server did not answer"));
        const refused = (info.rejectedErrors ?? []).map(
          ({ recipient, response }) => `${recipient}: ${response}`,
        );
        return resolve([info.response, ...refused].join("; "));
      });
    });
    return await Promise.race([broken, sent]);
  }

  /** The answer for a failed session. */
  answerOf(error: Failure): Answer {
    const { responseCode = 0 } = error;
    const only = onlyRefused(error);
    const answer = { detail: detailOf(error), ...(only && { only }) };
    if (isPermanent(error)) return { outcome: "refused", ...answer };
    return { outcome: this.#isSent && responseCode < 400 ? "unknown" : "failed", ...answer };
  }

  /** Whether the server has sent nothing, although it speaks first: it may be waiting for TLS. */
  get isUngreeted(): boolean {
    return this.settings.security !== "tls" && this.socket.bytesRead === 0;
  }

  end(): void {
    this.#connection.close();
  }

  #step(act: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())));
  }
}

/**
 * A promise that rejects at the time limit of an attempt.
 * @param reason why, asked at that time
 */
function timer(
  { timeLimit, startTimer }: Egress,
  reason: () => string,
): { over: Promise<never>; end: () => void } {
  const { promise: over, reject } = Promise.withResolvers<never>();
  // Nothing awaits it while the connection is being made; avoids an unhandled rejection.
  over.catch(() => undefined);
  return { over, end: startTimer(() => reject(new Error(reason())), timeLimit) };
}

/** Makes one attempt within the egress time limit. Never throws. */
export async function sendMail(
  settings: ChannelSettings,
  message: AlertMessage,
  egress: Egress,
): Promise<Answer> {
  const { host = "", port, security } = settings;
  const bytes = await compose(settings, message);
  const seconds = egress.timeLimit / 1000;
  let conversation: Conversation | null = null;
  const { over, end } = timer(egress, () =>
    conversation?.isUngreeted
      ? `the mail server sent no greeting within ${seconds} seconds; if its port expects TLS at once, as 465 does, choose tls`
      : `the mail server took longer than ${seconds} seconds`,
  );
  try {
    const socket = await egress.connect(host, Number(port), security === "tls");
    conversation = new Conversation(settings, socket, egress);
    return { outcome: "sent", detail: await Promise.race([over, conversation.hold(bytes)]) };
  } catch (error) {
    return conversation && error instanceof Error ? conversation.answerOf(error) : byError(error);
  } finally {
    end();
    conversation?.end();
  }
}
