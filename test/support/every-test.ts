/** Hooks of every test of all files (bunfig.toml). */
import { afterEach, beforeEach } from "bun:test";
import { endTest, startTest } from "./test-end.ts";

beforeEach(startTest);
afterEach(endTest);
