/** The composition root: what Muster is made of, put together once, and taken apart in reverse. */
import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { CollectorCredential, collectorLine } from "./agent/collector-credential.ts";
import { Refusals } from "./agent/refusals.ts";
import { createApp } from "./app.ts";
import { migrationsFolder, webFolder } from "./assets.ts";
import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { migrateDatabase } from "./database/migrate.ts";
import { closeDatabase, openDatabase } from "./database/open.ts";
import { Events } from "./events/events.service.ts";
import { Groups } from "./groups/groups.service.ts";
import { Heartbeat, TICK_MS } from "./heartbeat/heartbeat.service.ts";
import { Compaction, STEP_INTERVAL_MS } from "./history/compaction.service.ts";
import { History } from "./history/history.service.ts";
import { Hosts } from "./hosts/hosts.service.ts";
import { TrustedProxies } from "./http/client-address.ts";
import { loadStaticFiles } from "./http/static.ts";
import { Fleet } from "./ingest/fleet.ts";
import { Ingest } from "./ingest/ingest.ts";
import { IngestQueue } from "./ingest/queue.ts";
import { listen, reachableHost, stopListening } from "./listener.ts";
import { createLog } from "./log.ts";
import { RETENTION_STEP_MS, Retention } from "./retention/retention.service.ts";
import { SecretBox } from "./secrets/secret-box.ts";
import { loadSecretKey } from "./secrets/secret-key.ts";
import { Sessions } from "./sessions/sessions.service.ts";
import { Settings } from "./settings/settings.service.ts";
import { SettingsAdmin } from "./settings/settings-admin.service.ts";
import { Status } from "./status/status.service.ts";
import { Tokens } from "./tokens/tokens.service.ts";
import { Uptime } from "./uptime/uptime.service.ts";
import { firstStartText, setUpFirstStart, writeFirstLogin } from "./users/first-start.ts";
import { Login } from "./users/login.service.ts";
import { PictureFiles } from "./users/pictures.files.ts";
import { Users } from "./users/users.service.ts";
import { VERSION } from "./version.ts";

/** Runs Muster until `stop` is aborted. @throws when it cannot start; nothing is left open then */
export async function serve(config: Config, stop: AbortSignal): Promise<void> {
  const clock = systemClock;
  const monotonic = () => performance.now();
  const log = createLog((line) => console.log(line));

  mkdirSync(config.data, { recursive: true, mode: 0o700 });
  const box = new SecretBox(loadSecretKey(join(config.data, "secret.key")));
  const db = openDatabase(join(config.data, "muster.db"));
  migrateDatabase(db, migrationsFolder());

  const settings = new Settings(db, box);
  const credential = new CollectorCredential(settings, clock);

  const fleet = new Fleet(db);
  const ingest = new Ingest(db, fleet, box);
  const queue = new IngestQueue({ db, ingest, fleet, log, monotonic });
  const heartbeat = new Heartbeat({ db, fleet, settings, clock, log });
  const sessions = new Sessions(db, box, settings, clock);
  const refusals = new Refusals(clock);
  const pictures = new PictureFiles(join(config.data, "uploads"));
  const secure = config.baseUrl ? config.baseUrl.protocol === "https:" : config.tlsCert !== null;

  const app = createApp({
    db,
    log,
    monotonic,
    outside: {
      proxies: new TrustedProxies(config.trustedProxy),
      baseUrl: config.baseUrl,
      tls: config.tlsCert !== null,
    },
    collector: { credential, queue, refusals, clock },
    refusals,
    sessions,
    tokens: new Tokens(db, clock),
    login: new Login(db, box, clock),
    users: new Users(db, box, pictures),
    pictures,
    groups: new Groups(db, fleet),
    hosts: new Hosts(db, fleet, box, clock),
    status: new Status(db),
    events: new Events(db, clock),
    uptime: new Uptime(db, settings, clock),
    history: new History(db, settings, clock),
    settings: new SettingsAdmin(db, settings, credential),
    web: loadStaticFiles(webFolder()),
  });

  heartbeat.start();
  const server = await listen(app, config);
  // Not before the address is ours: a start that fails must not leave passwords behind that nobody was told.
  const first = setUpFirstStart(db, box, credential, config);
  const ticking = setInterval(() => {
    // What was received before the tick must count in it.
    queue.flush();
    heartbeat.tick();
  }, TICK_MS);
  const compaction = new Compaction({ db, settings, clock, log, monotonic });
  const compacting = setInterval(() => compaction.step(), STEP_INTERVAL_MS);
  const retention = new Retention(db, settings, clock);
  const retaining = setInterval(() => retention.step(), RETENTION_STEP_MS);

  const { port } = server.address() as AddressInfo;
  const host = reachableHost(config, port);
  const origin = `${secure ? "https" : "http"}://${host}/`;
  log.info("muster is listening", { version: VERSION, url: origin, data: config.data });
  if (first) {
    const password = first.collectorPassword ?? "PASSWORD";
    const { line } = collectorLine({ user: credential.user, password }, secure, host);
    const text = firstStartText(first, origin, line);
    if (process.stdout.isTTY) console.log(`\n${text}`);
    else log.info("first login is described in a file", { path: writeFirstLogin(config.data, text) });
  }

  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  log.info("muster is stopping");
  await stopListening(server);
  clearInterval(ticking);
  clearInterval(compacting);
  clearInterval(retaining);
  queue.flush();
  heartbeat.stop();
  closeDatabase(db);
}
