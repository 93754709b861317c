/** Moving what was set up from one Muster to another, from the command line. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { COMMAND_LINE } from "../../accounts/audit/actor.ts";
import { Audit } from "../../accounts/audit/audit.service.ts";
import { MaintenanceWindows } from "../../alerting/maintenance/maintenance.service.ts";
import { Rules } from "../../alerting/rules/rules.service.ts";
import { CollectorCredential } from "../../monitoring/collector/collector-credential.ts";
import { Groups } from "../../monitoring/groups/groups.service.ts";
import { Hosts } from "../../monitoring/hosts/hosts.service.ts";
import { HostCache } from "../../monitoring/ingest/host-cache.ts";
import { Uptime } from "../../monitoring/uptime/uptime.service.ts";
import { migrationsFolder } from "../../platform/assets.ts";
import { systemClock } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { Settings } from "../../platform/settings/settings.service.ts";
import { StartupError } from "../../platform/startup-error.ts";
import {
  dataFolder,
  type OpenFolder,
  withDatabase,
  withLockedDatabase,
} from "../../platform/storage/data-folder.ts";
import { transaction } from "../../platform/storage/open.ts";
import { StatusPages } from "../../publishing/status-pages/status-pages.service.ts";
import { SettingsAdmin } from "../settings/settings-admin.service.ts";
import { documentIn, Transfer } from "../transfer/transfer.service.ts";
import type { Command } from "./command.ts";

const SECRETS = { flag: "--secrets", doc: "with passwords and tokens, in the clear" };

function transferOf({ db, box }: OpenFolder, audit: Audit): Transfer {
  const clock = systemClock;
  const hostCache = new HostCache(db);
  const settings = new Settings(db, box);
  return new Transfer({
    db,
    box,
    clock,
    audit,
    settings: new SettingsAdmin(db, settings, new CollectorCredential(settings, clock), null),
    groups: new Groups(db, hostCache),
    hosts: new Hosts(db, hostCache, box, clock, audit),
    rules: new Rules(db, settings),
    maintenance: new MaintenanceWindows(db, settings, clock),
    statusPages: new StatusPages(db, clock, new Uptime(db, settings, clock)),
  });
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ApiError ? new StartupError(error.message) : error;
  }
}

export const transferCommands: Command[] = [
  {
    name: "export",
    summary: "print everything that was set up as JSON: hosts' settings, groups, users, channels, rules",
    options: [SECRETS],
    run: (given, io) => {
      const folder = dataFolder(given.setting("data"));
      const document = withDatabase(folder, migrationsFolder(), (open) => {
        const transfer = transferOf(open, new Audit(open.db, systemClock));
        return given.has(SECRETS.flag) ? transfer.exportWithSecrets(COMMAND_LINE) : transfer.export();
      });
      io.print(JSON.stringify(document, null, 2));
      return 0;
    },
  },
  {
    name: "import",
    summary: "take over what export printed into FILE: all of it or nothing; refused while a server runs",
    operands: ["FILE"],
    run: (given, io) => {
      const folder = dataFolder(given.setting("data"));
      const bytes = readFileSync(resolve(given.operands[0] ?? ""));
      const taken = withLockedDatabase(folder, migrationsFolder(), (open) =>
        explained(() =>
          transaction(open.db, () => {
            const audit = new Audit(open.db, systemClock);
            const done = transferOf(open, audit).import(documentIn(bytes));
            audit.add(COMMAND_LINE, {
              operation: "command/import",
              subject: "transfer",
              details: { ...done },
            });
            return done;
          }),
        ),
      );
      for (const [section, { created, updated, incomplete }] of Object.entries(taken)) {
        io.print(`${section}: ${created} created, ${updated} updated`);
        for (const name of incomplete) io.print(`  ${name} lacks its secret: enter it before it can be used`);
      }
      return 0;
    },
  },
];
