/** Answers over HTTP/1.1, read from bytes that anyone may have sent. */
import { MAX_ANSWER_BYTES, type OutletResponse } from "./outlet.ts";

/** A longer head is no answer, bytes. */
export const MAX_HEAD_BYTES = 16 * 1024;

/** It is no HTTP. */
export class NoAnswer extends Error {}

interface Head {
  status: number;
  headers: Record<string, string>;
  /** Where the body begins. */
  end: number;
}

function readHead(bytes: Buffer, from: number): Head | null {
  const end = bytes.indexOf("\r\n\r\n", from, "latin1");
  if (end < 0 ? bytes.length - from > MAX_HEAD_BYTES : end - from > MAX_HEAD_BYTES)
    throw new NoAnswer("its answer has too long a head");
  if (end < 0) return null;
  const [first = "", ...lines] = bytes.toString("latin1", from, end).split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new NoAnswer("what it answered is no HTTP");
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const [, name, value = ""] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name) headers[name.toLowerCase()] ??= value;
  }
  return { status, headers, end: end + 4 };
}

/** The chunks so far, and whether they are all. */
function readChunks(bytes: Buffer): { body: Buffer; complete: boolean } {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    if (lineEnd < 0) break;
    const size = /^([0-9a-f]{1,8})(?:[ \t]*;.*)?$/i.exec(bytes.toString("latin1", at, lineEnd))?.[1];
    if (size === undefined) throw new NoAnswer("its answer is broken");
    const length = Number.parseInt(size, 16);
    if (length === 0) return { body: Buffer.concat(chunks), complete: true };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
    if (at > bytes.length) break;
  }
  return { body: Buffer.concat(chunks), complete: false };
}

function readBody(
  { status, headers }: Head,
  bytes: Buffer,
  ended: boolean,
): { body: Buffer; complete: boolean } {
  if (status === 204 || status === 304) return { body: Buffer.alloc(0), complete: true };
  if (/\bchunked\b/i.test(headers["transfer-encoding"] ?? "")) return readChunks(bytes);
  const length = headers["content-length"];
  if (length === undefined || !/^\d+$/.test(length)) return { body: bytes, complete: ended };
  return { body: bytes.subarray(0, Number(length)), complete: bytes.length >= Number(length) };
}

/**
 * @param bytes all that came so far
 * @param ended whether no more will come
 * @returns the answer once it is complete or long enough; null while more is needed
 * @throws NoAnswer
 */
export function readAnswer(bytes: Buffer, ended: boolean): OutletResponse | null {
  let head = readHead(bytes, 0);
  // Before the answer there may be others that only say it is being worked on.
  while (head && head.status < 200) head = readHead(bytes, head.end);
  if (!head) {
    if (ended) throw new NoAnswer("it closed the connection without an answer");
    return null;
  }
  const { body, complete } = readBody(head, bytes.subarray(head.end), ended);
  // A status is an answer, even if the rest of it never comes.
  if (!complete && !ended && body.length < MAX_ANSWER_BYTES) return null;
  const { status, headers } = head;
  return { status, headers, body: body.subarray(0, MAX_ANSWER_BYTES).toString("utf8") };
}
