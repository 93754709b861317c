/** The units that `make flakes` repeats: test files that depend on more than their code, and the others. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { bunTest, ROOT, type Step } from "./test-run.ts";
import { ON_POSTGRES, onPostgres } from "./test-steps.ts";

/** Sockets, processes, threads, and the time of the machine. */
const OUTSIDE =
  /\bBun\.(?:spawn|spawnSync|serve|listen|connect|udpSocket|sleep|sleepSync|nanoseconds)\b|"node:(?:child_process|dgram|http|http2|https|net|tls|worker_threads)"|\bnew (?:Worker|WebSocket)\(|\bset(?:Timeout|Interval)\(|\b(?:Date|performance)\.now\(|\bnew Date\(\)|\bfetch\(|"playwright-core"/;
/** A module that starts PostgreSQL, but only for the tests that run on it. */
const ONLY_ON_POSTGRES = "test/support/database.ts";

/** Whether a test, or a test module that it imports, uses sockets, processes, threads or the time of the machine. */
export function dependsOnMachine(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (OUTSIDE.test(text)) return true;
  if (relative(ROOT, file) === ONLY_ON_POSTGRES) return false;
  return new Bun.Transpiler({ loader: file.endsWith("x") ? "tsx" : "ts" })
    .scanImports(text)
    .filter(({ path }) => path.startsWith("."))
    .map(({ path }) => join(dirname(file), path))
    .filter((path) => !/^(?:src|web)\//.test(relative(ROOT, path)) && /\.tsx?$/.test(path))
    .some((path) => existsSync(path) && dependsOnMachine(path, seen));
}

/** The comment of a file whose tests continue each where the previous one ended. */
const STORY = /^(?:\/\/|\/\*\*) .*\bone story, in this order\b/im;

export interface Unit {
  step: Step;
  /** Whether its tests tell a story, and so keep their order. */
  isStory: boolean;
  /** How often it runs in each of the surroundings. */
  runs: number;
}

/**
 * The units of a folder or file.
 * @param tests a folder of tests, or one file
 * @param runs of each file that depends on the machine, and of those that run on PostgreSQL
 * @param runsOfRest of all other files, in one process
 */
export function unitsOf(tests: string, runs: number, runsOfRest: number): Unit[] {
  const root = join(ROOT, tests);
  if (!existsSync(root)) return [];
  const files = tests.endsWith(".ts")
    ? [root]
    : [...new Bun.Glob("**/*.test.ts").scanSync({ cwd: root, absolute: true })].sort();
  const outside = files.filter((file) => file.includes("/e2e/") || dependsOnMachine(file));
  const otherFiles = files.filter((file) => !outside.includes(file));
  const again = ON_POSTGRES.filter((path) => `${join(ROOT, path)}/`.startsWith(`${root}/`));
  const isStory = (file: string) => STORY.test(readFileSync(file, "utf8"));
  const unit = (step: Step, times: number, inOrder = false) => ({ step, runs: times, isStory: inOrder });
  return [
    ...(again.length > 0 ? [unit(onPostgres(...again), runs)] : []),
    ...outside.map((file) => unit(bunTest(relative(ROOT, file), file), runs, isStory(file))),
    ...(otherFiles.length > 0 ? [unit(bunTest("all other tests", ...otherFiles), runsOfRest)] : []),
  ];
}
