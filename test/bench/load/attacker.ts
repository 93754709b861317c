/** Attacks by strangers, run as a process of its own with the attack and the port as arguments. */
import type { Socket } from "bun";
import { COLLECTOR_PASSWORD } from "../../support/app.ts";

type Talk = Socket<undefined>;

/** A connection that sends `text` and reads nothing. It stays until it is closed. */
function hold(port: number, text: string | Buffer, onClose: () => void = () => undefined): void {
  const bytes = Buffer.from(text as string);
  let sent = 0;
  const more = (socket: Talk) => {
    sent += socket.write(bytes, sent);
  };
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => {
        socket.pause();
        more(socket);
      },
      drain: more,
      data: () => undefined,
      close: onClose,
      error: () => undefined,
    },
  }).catch(onClose);
}

/** A connection that sends `text` and reads the reply. */
function say(port: number, text: string): void {
  const bytes = Buffer.from(text);
  let sent = 0;
  const more = (socket: Talk) => {
    sent += socket.write(bytes, sent);
  };
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: { open: more, drain: more, data: () => undefined, error: () => undefined },
  }).catch(() => undefined);
}

/** A connection that repeats the request as soon as it is answered, and reconnects when it is closed. */
function repeat(port: number, request: string): void {
  const again = () => {
    setTimeout(repeat, 1, port, request);
  };
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(request),
      data: (socket) => void socket.write(request),
      close: again,
      error: () => undefined,
    },
  }).catch(again);
}

function head(lines: string[]): string {
  return `${lines.join("\r\n")}\r\nHost: muster\r\n`;
}

/** A request without a credential and without a body. */
const POST_MESSAGE = `${head(["POST /collector HTTP/1.1"])}Content-Length: 0\r\n\r\n`;
const GET_HEALTH = `${head(["GET /healthz HTTP/1.1"])}\r\n`;
const GET_DESCRIPTION = `${head(["GET /api/1/openapi.json HTTP/1.1"])}\r\n`;

function loginOf(length: number): string {
  const form = "Content-Type: application/x-www-form-urlencoded";
  return `${head(["POST /api/1/login HTTP/1.1", form])}Content-Length: ${length}\r\n\r\n`;
}

const MIB = 1024 * 1024;
/** A body without its last byte. */
const stalled = (length: number) => Buffer.alloc(length - 1, "a");

const times = (count: number, work: () => void) => {
  for (let i = 0; i < count; i++) work();
};

export const ATTACKS = {
  "pipelined requests on one connection": (port) => hold(port, GET_DESCRIPTION.repeat(2000)),
  "pipelined requests on 1,000 connections": (port) =>
    times(1000, () => hold(port, GET_DESCRIPTION.repeat(2000))),
  "50 x 5,000 pipelined messages without a credential": (port) =>
    times(50, () => say(port, POST_MESSAGE.repeat(5000))),
  "50 x 5,000 pipelined health checks": (port) => times(50, () => say(port, GET_HEALTH.repeat(5000))),
  "logins over 16 connections": (port) => {
    const body = "z_username=admin&z_password=wrong";
    times(16, () => repeat(port, loginOf(body.length) + body));
  },
  "1,000 logins stalled at 1 MiB": (port) => {
    const request = Buffer.concat([Buffer.from(loginOf(MIB)), stalled(MIB)]);
    times(1000, () => hold(port, request));
  },
  "300 messages stalled at 4 MiB": (port) => {
    const credential = Buffer.from(`monit:${COLLECTOR_PASSWORD}`).toString("base64");
    const lines = [
      "POST /collector HTTP/1.1",
      "Content-Type: text/xml",
      `Authorization: Basic ${credential}`,
    ];
    const request = Buffer.concat([
      Buffer.from(`${head(lines)}Content-Length: ${4 * MIB}\r\n\r\n`),
      stalled(4 * MIB),
    ]);
    times(300, () => hold(port, request));
  },
  "10,050 silent sockets": (port) => times(10_050, () => hold(port, "G")),
} satisfies Record<string, (port: number) => void>;

export type Attack = keyof typeof ATTACKS;

if (import.meta.main) {
  const [attack, port] = process.argv.slice(2);
  ATTACKS[attack as Attack](Number(port));
  // Until it is stopped.
  setInterval(() => undefined, 60_000);
}
