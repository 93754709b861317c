/**
 * The least that the same stack can do with a message and still be durable: check the credential, inflate, commit one row of
 * values and the time of its host together with the messages that wait, and answer after that. Nothing is parsed.
 * Arguments: port, file of the database, password of the collector.
 */
import { Database } from "bun:sqlite";
import { timingSafeEqual } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { INFLATED_AT_ONCE } from "../../../src/monit/inflate.ts";

const HOSTS = 1000;
/** As many as a message of the load has: 60 numbers. */
const VALUES = Buffer.alloc(60 * Float64Array.BYTES_PER_ELEMENT);
/** As those of `IngestQueue`. */
const MAX_BATCH = 256;
const MAX_GATHER_MS = 5;

/** As Muster opens its file. */
function openDatabase(path: string): Database {
  const db = new Database(path, { create: true, strict: true });
  for (const pragma of ["journal_mode = WAL", "synchronous = FULL"]) db.run(`PRAGMA ${pragma}`);
  db.run('create table samples (host integer, "at" integer, "values" blob)');
  db.run('create table hosts (id integer primary key, "at" integer)');
  return db;
}

class FloorQueue {
  readonly #insert;
  readonly #touch;
  #waiting: (() => void)[] = [];
  #isScheduled = false;
  #gathered = 0;
  #since = 0;
  #messages = 0;

  constructor(private readonly db: Database) {
    this.#insert = db.prepare<null, [number, number, Buffer]>("insert into samples values (?, ?, ?)");
    this.#touch = db.prepare<null, [number, number]>(
      'insert into hosts values (?, ?) on conflict (id) do update set "at" = excluded."at"',
    );
  }

  /** Resolves once a message is durable. */
  add(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) this.#since = performance.now();
      this.#waiting.push(resolve);
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => this.#gather());
    });
  }

  #gather(): void {
    const { length } = this.#waiting;
    const isRecent = performance.now() - this.#since < MAX_GATHER_MS;
    if (length > this.#gathered && length < MAX_BATCH && isRecent) {
      this.#gathered = length;
      setImmediate(() => this.#gather());
    } else this.#flush();
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#isScheduled = false;
    this.#gathered = 0;
    this.db.transaction(() => {
      for (const _ of batch) {
        const host = this.#messages++ % HOSTS;
        this.#touch.run(host, Date.now());
        this.#insert.run(host, Date.now(), VALUES);
      }
    })();
    for (const resolve of batch) resolve();
  }
}

const [port, path = "", password] = process.argv.slice(2);
const credential = Buffer.from(`Basic ${Buffer.from(`monit:${password}`).toString("base64")}`);
const isAccepted = (sent: Buffer) =>
  sent.byteLength === credential.byteLength && timingSafeEqual(sent, credential);
const queue = new FloorQueue(openDatabase(path));
const app = new Hono();
app.post("/collector", async (c) => {
  if (!isAccepted(Buffer.from(c.req.header("authorization") ?? ""))) return c.body(null, 401);
  const document = gunzipSync(await c.req.arrayBuffer(), { maxOutputLength: INFLATED_AT_ONCE });
  if (document.byteLength === 0) return c.body(null, 400);
  await queue.add();
  return c.body(null, 200);
});
const server = createAdaptorServer({ fetch: app.fetch });
server.listen(Number(port), "0.0.0.0", () => console.log("listening"));
