/**
 * Runs the tests on PostgreSQL: `bun test --preload ./test/support/postgres-preload.ts`. Starts a server for them.
 */
import { afterAll } from "bun:test";
import { useServer } from "./database.ts";
import { PostgresServer } from "./postgres-server.ts";

const server = await PostgresServer.start();
useServer(server);

afterAll(() => server[Symbol.asyncDispose]());
