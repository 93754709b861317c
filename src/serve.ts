/** Starts what muster.ts builds, listens, waits for the stop signal, and stops everything in reverse. */
import { rmSync } from "node:fs";

import { oidcOptions } from "./accounts/openid/oidc-options.ts";
import type { ProxyLoginOptions } from "./accounts/sign-in/external-users.service.ts";
import { FIRST_MOVES_STEP_MS } from "./alerting/incidents/first-moves.service.ts";
import { REPORT_STEP_MS } from "./alerting/mail-reports/report-sender.service.ts";
import { DISPATCH_IDLE_MS, DISPATCH_STEP_MS } from "./alerting/notifications/dispatcher.service.ts";
import { SEND_STEP_MS } from "./alerting/notifications/sender.service.ts";
import { REHEARSAL_STEP_MS } from "./alerting/rehearsals/rehearsals.service.ts";
import { SHIFT_STEP_MS } from "./alerting/shifts/shift-notices.service.ts";
import { createApp } from "./app.ts";
import { ACTIONS_STEP_MS } from "./monitoring/actions/actions.service.ts";
import { collectorLine } from "./monitoring/agent-keys/collector-credential.ts";
import { KEY_USE_STEP_MS } from "./monitoring/agent-keys/key-ring.ts";
import { nodeListener } from "./monitoring/collector/collector.node.ts";
import { WorkerLargeMessages } from "./monitoring/collector/large-messages.ts";
import { GROUP_COUNTS_STEP_MS } from "./monitoring/events/group-counts.service.ts";
import { FORECAST_STEP_MS } from "./monitoring/forecast/forecast-pass.service.ts";
import { UNUSED_GROUPS_STEP_MS } from "./monitoring/groups/unused-groups.service.ts";
import { TICK_MS, TICK_STEP_MS } from "./monitoring/heartbeat/heartbeat.service.ts";
import { STEP_INTERVAL_MS } from "./monitoring/history/compaction.service.ts";
import { DELETED_HOSTS_STEP_MS } from "./monitoring/hosts/deleted-hosts.service.ts";
import { LIMIT_STEP_MS } from "./monitoring/limits/limits.service.ts";
import { RETENTION_STEP_MS } from "./monitoring/retention/retention.service.ts";
import { assemble, type Muster } from "./muster.ts";
import { onThread } from "./operations/backups/backup-thread.ts";
import { BACKUP_STEP_MS } from "./operations/backups/backups.service.ts";
import { identitiesIn } from "./operations/backups/identities.ts";
import { readFor } from "./operations/commands/named-source.ts";
import { firstLoginFile, firstStartText, setUpFirstStart } from "./operations/first-start/first-start.ts";
import { HEALTH_STEP_MS } from "./operations/health/health.service.ts";
import { openServiceDatabase } from "./operations/nodes/open-service-database.ts";
import type { ServiceDatabase } from "./operations/nodes/service-database.types.ts";
import type { TransferQueryList } from "./operations/transfer/transfer.queries.ts";
import {
  backupWorkerUrl,
  messageWorkerUrl,
  migrationsFolder,
  queryWorkerUrl,
  transferWorkerUrl,
  webFolder,
} from "./platform/assets.ts";
import { Background } from "./platform/background/background.ts";
import { systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config/config.definitions.ts";
import { NetworkEgress } from "./platform/egress/network-egress.ts";
import { RECURRING_STEP_MS } from "./platform/egress/recurring-requests.ts";
import { writePrivately } from "./platform/files/durable-file.ts";
import type { ClientInfoOptions } from "./platform/http/client-info.ts";
import { Listener } from "./platform/http/listener.ts";
import { staticFiles } from "./platform/http/static.ts";
import { refuseUnusableTls, type ServedCertificate } from "./platform/http/tls-files.ts";
import { createLog, type Log } from "./platform/log.ts";
import { LogOutput, sendToStdout } from "./platform/log-output.ts";
import { TrustedProxies } from "./platform/net/client-address.ts";
import type { Queries } from "./platform/queries/queries.ts";
import { QueryWorkers, type QueryWorkersOptions } from "./platform/queries/query-workers.ts";
import { keepFirstKey } from "./platform/secrets/key-file.ts";
import { type DataFolder, dataFolder, makeDataFolder } from "./platform/storage/data-folder.ts";
import { lockFolder } from "./platform/storage/lock.ts";
import { reasonOf } from "./platform/text.ts";
import { VERSION } from "./platform/version.ts";
import type { QueryList } from "./queries.ts";
import type { Runtime } from "./runtime.ts";

/** Signals to the running service. */
export interface Control {
  stop: AbortSignal;
  /** Its "reload" events say that certificate and key were renewed. */
  reload: EventTarget;
}

/** How a demonstration differs from the service. */
export interface Demonstration {
  /** Login name of the user that everyone is taken for. */
  visitor: string;
  readOnly: boolean;
  /** Called once Muster serves. @param origin where people reach it */
  started(muster: Muster, background: Background, origin: string): void;
}

/** Interval between looks at the files of certificate and key, milliseconds. */
const CERTIFICATE_CHECK_MS = 60_000;

/** Reloads certificate and key, and logs the outcome. @param always also if the files did not change */
async function reloadCertificate(listener: Listener, log: Log, always: boolean): Promise<void> {
  try {
    if (always) await listener.reload();
    else if (!(await listener.reloadIfChanged())) return;
    log.info("certificate and key were reloaded");
  } catch (error) {
    log.error("certificate and key cannot be used", { reason: reasonOf(error) });
  }
}

function clientInfoOptions({ trustedProxy, baseUrl, tlsCert, ...config }: Config): ClientInfoOptions {
  const { authProxyHeader: user, authProxyGroupsHeader: groups } = config;
  return {
    proxies: new TrustedProxies(trustedProxy),
    baseUrl,
    tls: tlsCert !== null,
    identity: user === null ? null : { user, groups },
  };
}

function proxyLoginOptions(config: Config): ProxyLoginOptions | null {
  const { authProxyHeader, authProxyCreate: create, authProxyAdminGroup: adminGroup } = config;
  return authProxyHeader === null ? null : { create, adminGroup };
}

/** Pause of background work that found nothing to do, milliseconds. */
const IDLE_MS = 10_000;
/** Longest export, or trial of an import, milliseconds. */
const TRANSFER_LIMIT_MS = 600_000;
/** How long a shutdown waits for messages that are being sent, milliseconds. */
const SENDING_GRACE_MS = 3000;

/**
 * The runtime of the service, and the threads that start when they are first needed.
 * @param servedCertificate the certificate that Muster serves
 */
function serviceRuntime(
  config: Config,
  log: Log,
  database: ServiceDatabase,
  servedCertificate: () => ServedCertificate | null,
  demonstration: Demonstration | null,
) {
  const { db, box, file, nodes } = database;
  const threads: { stop(): void | Promise<void> }[] = [];
  const argv = [JSON.stringify(database.readPlace)];
  const runOn = <Q extends Queries>(options: Omit<QueryWorkersOptions<Q>, "log">) => {
    const workers = new QueryWorkers({ ...options, log });
    threads.push(workers);
    return workers.queries;
  };
  const runQueries = (queries: QueryList) =>
    runOn({ start: () => new Worker(queryWorkerUrl(), { argv }), queries });
  const runTransfers = (queries: TransferQueryList) =>
    runOn({
      start: () => new Worker(transferWorkerUrl(), { argv }),
      queries,
      workers: 1,
      timeLimitMs: TRANSFER_LIMIT_MS,
    });
  const largeMessages = new WorkerLargeMessages(() => new Worker(messageWorkerUrl()), log);
  threads.push(largeMessages);
  const runtime: Runtime = {
    backupMeans: {
      make: onThread(() => new Worker(backupWorkerUrl())),
      database: database.readPlace,
      folder: config.data,
      migrations: migrationsFolder(),
      identityFile: config.backupIdentity,
      reach: config.channelReach,
    },
    db,
    box,
    file,
    nodes,
    log,
    servedCertificate,
    folder: config.data,
    largeMessages,
    runQueries,
    runTransfers,
    clock: systemClock,
    monotonic: () => performance.now(),
    egress: new NetworkEgress({ reach: config.channelReach, exec: config.allowExec, clock: systemClock }),
    clientInfo: { ...clientInfoOptions(config), ...(demonstration && { everyone: demonstration.visitor }) },
    oidc: oidcOptions(config),
    proxyLogin: demonstration ? { create: false, adminGroup: null } : proxyLoginOptions(config),
    readOnly: demonstration?.readOnly ?? false,
    web: staticFiles(webFolder()),
  };
  return { runtime, threads };
}

/** Starts all background work. */
function startLoops({ heartbeat, queue, metrics, ...muster }: Muster): Background {
  const { log, monotonic, dispatcher, sender, compaction, groupCounts, retention } = muster;
  const background = new Background(log, (work) => metrics.backgroundFailed(work), monotonic);
  const tick = () => {
    // A message in the queue counts as received, so the oldest receipt is passed in.
    const hasMore = heartbeat.tick(queue.oldestReceipt ?? undefined);
    metrics.ticked();
    return hasMore;
  };
  background.every(TICK_STEP_MS, "heartbeat", tick, TICK_MS);
  background.every(DISPATCH_STEP_MS, "alerts", () => dispatcher.step(), DISPATCH_IDLE_MS);
  background.every(FIRST_MOVES_STEP_MS, "what moved first", () => {
    muster.firstMoves.step();
    return true;
  });
  background.every(REPORT_STEP_MS, "reports by mail", () => muster.reportSender.step());
  background.every(SHIFT_STEP_MS, "notices of shifts", () => muster.shiftNotices.step());
  background.every(REHEARSAL_STEP_MS, "rehearsals", () => muster.rehearsals.step());
  sender.start();
  background.every(SEND_STEP_MS, "deliveries", () => {
    sender.step();
    return true;
  });
  background.every(STEP_INTERVAL_MS, "compaction", () => compaction.step(), IDLE_MS);
  background.every(GROUP_COUNTS_STEP_MS, "counts of groups", () => groupCounts.step(), IDLE_MS);
  background.every(UNUSED_GROUPS_STEP_MS, "groups of agents", () => muster.unusedGroups.step(), IDLE_MS);
  background.every(ACTIONS_STEP_MS, "ends of actions", () => muster.actions.step());
  background.every(KEY_USE_STEP_MS, "uses of keys", () => muster.keyRing.storeUse());
  background.every(LIMIT_STEP_MS, "ends of limits", () => muster.statisticLimits.endStep(), IDLE_MS);
  background.every(FORECAST_STEP_MS, "forecasts", () => muster.forecastPass.step(), IDLE_MS);
  background.every(HEALTH_STEP_MS, "health", () => muster.health.step());
  background.every(BACKUP_STEP_MS, "backups", () => muster.backups.step());
  background.every(DELETED_HOSTS_STEP_MS, "deleted hosts", () => muster.deletedHosts.step(), IDLE_MS);
  background.every(RETENTION_STEP_MS, "retention", () => retention.step(), IDLE_MS);
  background.every(RECURRING_STEP_MS, "requests to other systems", () => {
    for (const request of muster.recurringRequests) request.step();
    return true;
  });
  return background;
}

/** Where people and agents reach Muster. */
function originOf(config: Config, listener: Listener): { isSecure: boolean; origin: string } {
  const isSecure = config.baseUrl ? config.baseUrl.protocol === "https:" : config.tlsCert !== null;
  return { isSecure, origin: `${isSecure ? "https" : "http"}://${listener.reachableHost}/` };
}

/** Sets Muster up if this is its first start. @returns how to sign in then; null for any later start */
function setUp(
  { config, folder }: { config: Config; folder: DataFolder },
  { db, box, credential }: Muster,
  listener: Listener,
): string | null {
  const { isSecure, origin } = originOf(config, listener);
  let text = "";
  const first = setUpFirstStart({ db, box, credential }, config, (generated) => {
    const password = generated.collectorPassword ?? "PASSWORD";
    const { line } = collectorLine({ user: credential.user, password }, isSecure, listener.reachableHost);
    text = firstStartText(generated, origin, line);
    writePrivately(firstLoginFile(folder.path), text);
  });
  if (!first) return null;
  keepFirstKey(folder.key);
  return text;
}

/** Logs the address and, after the first start, shows how to sign in. */
function announce(config: Config, { log }: Muster, listener: Listener, firstLogin: string | null): void {
  log.info("muster is listening", {
    version: VERSION,
    url: originOf(config, listener).origin,
    listen: listener.addresses.join(","),
    data: config.data,
  });
  if (firstLogin === null) return;
  const path = firstLoginFile(config.data);
  if (process.stdout.isTTY) {
    console.log(`\n${firstLogin}`);
    rmSync(path, { force: true });
  } else log.info("the first login is written to a file", { path });
}

function aborted(...signals: AbortSignal[]): Promise<void> {
  const signal = AbortSignal.any(signals);
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Runs Muster until `stop` is aborted.
 * @param demonstration null for a service
 * @throws if it cannot start
 */
export async function serve(
  config: Config,
  control: Control,
  demonstration: Demonstration | null = null,
): Promise<void> {
  const output = new LogOutput(sendToStdout(), (lines) =>
    log.warn("lines of the log were dropped, since nobody read them", { lines }),
  );
  const log = createLog((line) => output.write(line), { format: config.logFormat, level: config.logLevel });
  try {
    await serveWith(config, log, control, demonstration);
  } finally {
    await output.close();
  }
}

/** Checks the private key of backups before anything is created. @throws ConfigError if it is set and cannot be used */
function refuseUnusableIdentity({ backupIdentity }: Config): void {
  if (backupIdentity !== null) readFor("--backup-identity", () => identitiesIn(backupIdentity));
}

async function serveWith(
  config: Config,
  log: Log,
  { stop, reload }: Control,
  demonstration: Demonstration | null,
): Promise<void> {
  refuseUnusableTls(config);
  refuseUnusableIdentity(config);
  const folder = dataFolder(config.data);
  makeDataFolder(folder);
  const lock = lockFolder(folder);
  const database = await openServiceDatabase(folder, { config, log, stop });
  if (!database) return lock.close();
  let listener: Listener | null = null;
  const servedCertificate = () => listener?.certificate ?? null;
  const { runtime, threads } = serviceRuntime(config, log, database, servedCertificate, demonstration);
  const muster = assemble(runtime);
  const { heartbeat, queue, sender } = muster;

  muster.cluster.activated();
  heartbeat.start();
  listener = await Listener.open(nodeListener({ app: createApp(muster), ...muster }), config);
  // Only once the address is bound: a failed start must not create passwords that are never shown.
  const firstLogin = setUp({ config, folder }, muster, listener);
  const background = startLoops(muster);
  const served = listener;
  background.every(CERTIFICATE_CHECK_MS, "certificate", () => {
    void reloadCertificate(served, log, false);
    return true;
  });
  announce(config, muster, listener, firstLogin);
  demonstration?.started(muster, background, originOf(config, listener).origin);

  const onReload = () => {
    if (served.certificate) void reloadCertificate(served, log, true);
  };
  reload.addEventListener("reload", onReload);
  await aborted(stop, database.replaced);
  // Another node is active: the process ends at once, and does nothing more to the database.
  database.replaced.throwIfAborted();
  log.info("muster is stopping");
  reload.removeEventListener("reload", onReload);
  await listener.close();
  background.stop();
  await muster.backups.stop();
  for (const thread of threads) await thread.stop();
  await sender.stop(SENDING_GRACE_MS);
  for (const request of muster.recurringRequests) request.stop();
  queue.drain();
  muster.storage.ifPossible(() => muster.keyRing.storeUse());
  heartbeat.stop();
  database.close();
  lock.close();
}
