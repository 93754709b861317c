/** Tests that need a program which some machines lack. */
import * as bun from "bun:test";
import { faultOf, type Program } from "../../scripts/test-tools.ts";

type Tests = Pick<typeof bun, "test" | "beforeAll" | "afterAll" | "beforeEach" | "afterEach">;

const probed = new Map<Program, boolean>();

/** Whether a program runs here. It is started to see that, once in each process of tests. */
function runs(program: Program): boolean {
  const ran = probed.get(program) ?? faultOf(program) === null;
  probed.set(program, ran);
  return ran;
}

/** Whether tests that need these programs run here. */
export function isReady(...programs: readonly Program[]): boolean {
  return programs.every(runs);
}

/**
 * `test` and its hooks for tests that need programs: where one of them does not run, the tests are skipped with that
 * reason in their name, by which `make test` knows them, and the hooks do nothing.
 */
export function needing(...programs: readonly Program[]): Tests {
  const missing = programs.filter((program) => !runs(program));
  if (missing.length === 0) return bun;
  const reason = missing.map((program) => `[needs ${program}]`).join(" ");
  const named = (name: string) => `${name} ${reason}`;
  type Body = () => void;
  const skip = (name: string, body: Body) => bun.test.skip(named(name), body);
  const each = (rows: readonly unknown[]) => (name: string, body: Body) =>
    bun.test.skip.each(rows as unknown[])(named(name), body);
  const nothing = () => undefined;
  const hooks = { beforeAll: nothing, afterAll: nothing, beforeEach: nothing, afterEach: nothing };
  return { test: Object.assign(skip, { each }) as unknown as typeof bun.test, ...hooks };
}

/**
 * Stands for what a file makes for its tests, where they are skipped: every property or call of it gives the same
 * again.
 */
export function nothingToTest<T>(): T {
  const stub: unknown = new Proxy(() => undefined, {
    get: (_, name) => (name === "then" ? undefined : stub),
    apply: () => stub,
  });
  return stub as T;
}
