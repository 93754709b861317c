/** A mail server that keeps its mails. */
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { CERT, KEY } from "./support.ts";

export interface Mail {
  from: string;
  to: string[];
  user: string | undefined;
  secure: boolean;
  text: string;
}

export const MAIL_USER = "muster";
export const MAIL_PASSWORD = "mail-password-1";

export class MailServer implements AsyncDisposable {
  readonly mails: Mail[] = [];
  connections = 0;
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      cert: CERT,
      key: KEY,
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onAuth: ({ username, password }, _session, done) =>
        username === MAIL_USER && password === MAIL_PASSWORD
          ? done(null, { user: username })
          : done(new Error(`Wrong password ${password}`)),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            from: mailFrom ? mailFrom.address : "",
            to: rcptTo.map(({ address }) => address),
            user: session.user || undefined,
            secure: session.secure,
            text: Buffer.concat(chunks).toString("utf8"),
          });
          done(null, "queued as 4711");
        });
      },
      ...options,
    });
    this.#server.on("error", () => undefined);
  }

  static start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const mail = new MailServer(options);
    return new Promise((resolve) => mail.#server.listen(0, "127.0.0.1", () => resolve(mail)));
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
