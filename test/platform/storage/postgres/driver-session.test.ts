/** The driver's side of a session, in the thread of the test. */

import { deserialize } from "bun:jsc";
import { expect } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import {
  type BatchResult,
  CONTROL,
  CONTROL_WORDS,
  RESULT_MEMORY,
} from "../../../../src/platform/storage/postgres/driver-protocol.ts";
import { DriverSession } from "../../../../src/platform/storage/postgres/driver-session.ts";
import type { PostgresHost, PostgresOptions } from "../../../../src/platform/storage/postgres/options.ts";
import { eventually } from "../../../e2e/support.ts";
import { postgresTests, server } from "../../../support/postgres-tests.ts";

const { test } = postgresTests();

/** A session, and the memory that it shares with the thread that uses it. */
class Session {
  readonly #control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  readonly #result = new SharedArrayBuffer(RESULT_MEMORY.initial, { maxByteLength: RESULT_MEMORY.most });
  readonly driver: DriverSession;
  #batch = 1;

  constructor(options: PostgresOptions) {
    const control = this.#control.buffer as SharedArrayBuffer;
    const request = { kind: "open", session: 1, options, control, result: this.#result } as const;
    this.driver = new DriverSession(request, () => undefined);
  }

  /** Number of the present connection; 0 while there is none. */
  get connection(): number {
    return Atomics.load(this.#control, CONTROL.connection);
  }

  /** The rows of a query, or why there are none. */
  async run(text: string): Promise<unknown> {
    const statements = [{ text, params: [], name: null }];
    const { connection } = this;
    await this.driver.run({ kind: "batch", session: 1, batch: ++this.#batch, connection, statements });
    const length = Atomics.load(this.#control, CONTROL.length);
    const result = deserialize(new Uint8Array(this.#result, 0, length).slice().buffer) as BatchResult;
    return "failure" in result ? result.failure.message : result.rows;
  }
}

async function listening(proxy: Server): Promise<PostgresHost> {
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return { host: "127.0.0.1", port: (proxy.address() as AddressInfo).port };
}

test("a connection that ends while other hosts have their time to answer is made again", async () => {
  let connections = 0;
  // It ends the second connection with the reply to the last question before that is used.
  const ending = createServer((incoming) => {
    const isEnding = ++connections === 2;
    let isLast = false;
    const outgoing = connect(server.socket);
    incoming.on("error", () => undefined).on("close", () => outgoing.destroy());
    outgoing.on("error", () => undefined).on("close", () => incoming.destroy());
    incoming.on("data", (bytes) => {
      isLast = bytes.includes("idle_in_transaction_session_timeout");
      outgoing.write(bytes);
    });
    outgoing.on("data", (bytes) => {
      if (isEnding && isLast) incoming.end(bytes);
      else incoming.write(bytes);
    });
  });
  const silent = createServer((incoming) => incoming.on("error", () => undefined).resume());
  const { looksUp: _, ...options } = server.options("postgres");
  const session = new Session({ ...options, hosts: [await listening(ending), await listening(silent)] });
  try {
    await session.driver.open();
    expect(await session.run("select 1")).toEqual([[1]]);
    server.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'muster tests%'",
    );
    await eventually("there is a third connection", () => connections >= 3);
    await eventually("it is used", async () => Bun.deepEquals(await session.run("select 1"), [[1]]));
  } finally {
    await session.driver.close();
    ending.close();
    silent.close();
  }
});
