import { expect } from "bun:test";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { seeds } from "../support/random.ts";
import { killFirstStarts } from "./first-start-kills.ts";

const { test } = needing("postgres");

const ROUNDS = 4;

test("after a first start on an empty server that was killed, alone or beside another one, a later start goes on", async () => {
  await using server = await PostgresServer.start();
  const [seed] = seeds(1);
  const { "no tables": none, tables, "set up": complete } = await killFirstStarts(server, ROUNDS, seed);
  expect(none + tables + complete).toBe(ROUNDS);
});
