/**
 * Runs the tests on PostgreSQL: `bun test --preload ./test/support/postgres-preload.ts`. Starts a server for them,
 * and gives the databases of each test to others when it ends.
 */
import { afterAll, afterEach, beforeEach } from "bun:test";
import { keepTestDatabases, releaseTestDatabases, useServer } from "./database.ts";
import { PostgresServer } from "./postgres-server.ts";

const server = await PostgresServer.start();
useServer(server);

beforeEach(keepTestDatabases);
afterEach(releaseTestDatabases);
afterAll(() => server[Symbol.asyncDispose]());
