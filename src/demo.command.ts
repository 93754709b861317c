/** A demonstration: Muster with a fleet that exists only in it, in a folder that goes when it ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { insertUser } from "./accounts/users/users.repository.ts";
import { DemoAgents } from "./demo/demo-agents.ts";
import { demoConfiguration } from "./demo/demo-configuration.ts";
import { DemoHistory, SetClock } from "./demo/demo-history.ts";
import { DEMO_FLEET } from "./demo/demo-hosts.ts";
import { assemble } from "./muster.ts";
import type { Command, CommandLine, Io } from "./operations/commands/command.ts";
import { setUpFirstStart } from "./operations/first-start/first-start.ts";
import { itemsOf } from "./operations/transfer/transfer.service.ts";
import { DAY, HOUR, systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config/config.definitions.ts";
import { readConfig } from "./platform/config/config.ts";
import { ConfigError } from "./platform/config/values.ts";
import { Listener } from "./platform/http/listener.ts";
import { isLoopback } from "./platform/net/client-address.ts";
import type { SecretBox } from "./platform/secrets/secret-box.ts";
import {
  type DataFolder,
  dataFolder,
  makeDataFolder,
  openForService,
} from "./platform/storage/data-folder.ts";
import { lockFolder } from "./platform/storage/lock.ts";
import { closeDatabase, type Db, transaction } from "./platform/storage/open.ts";
import { offlineRuntime } from "./runtime.ts";
import { fromSignals } from "./serve.command.ts";
import { serve } from "./serve.ts";

/** Length of the history, seconds. */
const PAST = 90 * DAY;
/** The last part of the history, which is replayed message by message, seconds. */
const REPLAYED = DAY;
/** Seconds between two reports of an agent. */
const POLL = 120;
const ADDRESS = "127.0.0.1:8080";
const FLAGS = ["--listen", "--base-url", "--trusted-proxy"] as const;

const READ_ONLY = {
  flag: "--read-only",
  doc: "let everyone look, and nobody change anything",
};

interface Filling {
  /** The user whom everyone is taken for. */
  visitor: { uname: string; admin: boolean };
  /** End of the history, unix seconds. */
  end: number;
  /** Ends it early. */
  stop: AbortSignal;
}

/** Fills a new data folder with the fleet, its history and its configuration. */
async function fill(folder: DataFolder, filling: Filling): Promise<void> {
  makeDataFolder(folder);
  const lock = lockFolder(folder);
  const { db, box } = openForService(folder, () => undefined);
  try {
    await fillDatabase(db, box, filling);
  } finally {
    closeDatabase(db);
    lock.close();
  }
}

async function fillDatabase(db: Db, box: SecretBox, { visitor, end, stop }: Filling): Promise<void> {
  const clock = new SetClock(end - PAST);
  const muster = assemble({ ...offlineRuntime(db, box), clock });
  const history = new DemoHistory(
    { ...muster, clock, events: muster.eventLog, limits: muster.limitEvaluation },
    { hosts: DEMO_FLEET, end, poll: POLL },
  );
  const replayed = end - REPLAYED - ((end - REPLAYED) % HOUR);
  for (const part of [history.makePast(end - PAST, replayed), history.replay(() => replayed)])
    for (const _step of part) {
      // A signal is noticed only between two turns.
      await nextTurn();
      if (stop.aborted) return;
    }
  transaction(db, () => {
    setUpFirstStart(muster, { adminPassword: null, collectorPassword: null });
    insertUser(db, { ...visitor, fullname: "Visitor", passwordMd5: "", origin: "proxy" });
    muster.transfer.import(itemsOf(demoConfiguration(end)));
  });
}

/** @throws ConfigError when strangers could change the demonstration */
function configOf(args: CommandLine, data: string, isReadOnly: boolean): Config {
  const overrides = FLAGS.flatMap((flag) => {
    const value = args.value(flag);
    return value === undefined ? [] : [[flag, value] as const];
  });
  // No variables: those of a service on the same machine are not meant for its demonstration.
  const config = readConfig(
    new Map([["--data", data], ["--listen", ADDRESS], ["--log-level", "error"], ...overrides]),
    {},
  );
  if (!isReadOnly && config.listen.some((address) => !("host" in address) || !isLoopback(address.host)))
    throw new ConfigError(
      "--listen: everyone who reaches the demonstration is its administrator: use an address of this machine, or --read-only",
    );
  return config;
}

/**
 * Checks the address before the folder is filled, which takes seconds.
 * @throws StartupError that names an address in use
 */
async function refuseUnusableAddress(config: Config): Promise<void> {
  const listener = await Listener.open((_request, response) => void response.writeHead(503).end(), config);
  await listener.close();
}

/** Runs the demonstration until it is stopped. */
async function run(args: CommandLine, io: Io): Promise<number> {
  const readOnly = args.has(READ_ONLY.flag);
  // Before the folder is made: a signal while it is filled must not leave it behind.
  const control = fromSignals();
  const path = mkdtempSync(join(tmpdir(), "muster-demo-"));
  try {
    const config = configOf(args, path, readOnly);
    await refuseUnusableAddress(config);
    const visitor = { uname: readOnly ? "visitor" : "demo", admin: !readOnly };
    io.print(`Creating ${DEMO_FLEET.length} hosts with three months of history ...`);
    const end = systemClock.now();
    await fill(dataFolder(path), { visitor, end, stop: control.stop });
    if (control.stop.aborted) return 0;
    const agents = new DemoAgents({ hosts: DEMO_FLEET, end, poll: POLL });
    await serve(config, control, {
      visitor: visitor.uname,
      readOnly,
      started: (muster, background, origin) => {
        background.every(1000, "agents of the demonstration", () => agents.step(muster));
        io.print(
          `The demonstration is at ${origin}. You are signed in there. Ctrl-C ends it and deletes everything.`,
        );
      },
    });
    return 0;
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

export const demoCommand: Command = {
  name: "demo",
  summary: `try Muster: ${DEMO_FLEET.length} hosts with three months of history, in a temporary folder`,
  usesNoData: true,
  settings: ["listen", "baseUrl", "trustedProxy"],
  notes: { listen: `default ${ADDRESS}`, baseUrl: "", trustedProxy: "" },
  options: [READ_ONLY],
  run,
};
