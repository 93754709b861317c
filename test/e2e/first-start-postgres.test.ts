import { expect, setDefaultTimeout } from "bun:test";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { killFirstStarts } from "./first-start-kills.ts";
import { TIMEOUT } from "./support.ts";

const { test } = needing("postgres");

setDefaultTimeout(TIMEOUT);

const ROUNDS = 4;

test("after a first start on an empty server that was killed, alone or beside another one, a later start goes on", async () => {
  await using server = await PostgresServer.start();
  // SEED repeats a failure.
  const seed = process.env.SEED === undefined ? undefined : Number(process.env.SEED);
  const { "no tables": none, tables, "set up": complete } = await killFirstStarts(server, ROUNDS, seed);
  expect(none + tables + complete).toBe(ROUNDS);
});
