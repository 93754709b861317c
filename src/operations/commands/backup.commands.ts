import { copyFileSync, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DAY, MINUTE, systemClock } from "../../platform/clock.ts";
import { ConfigError } from "../../platform/config/values.ts";
import { NetworkEgress } from "../../platform/egress/network-egress.ts";
import { isDate } from "../../platform/local-time.ts";
import { webUrl } from "../../platform/net/web-url.ts";
import { Settings } from "../../platform/settings/settings.service.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { copyDatabase } from "../../platform/storage/backup.ts";
import { withDatabase } from "../../platform/storage/data-folder.ts";
import { noteBackup } from "../../platform/storage/last-backup.ts";
import { sqliteClient } from "../../platform/storage/open.ts";
import { restoreDatabase, restoringTo } from "../../platform/storage/restore.ts";
import { counted, reasonOf } from "../../platform/text.ts";
import { isArchive } from "../backups/archive.ts";
import { identitiesIn, makeIdentity } from "../backups/identities.ts";
import { createdOf } from "../backups/names.ts";
import { openStore } from "../backups/open-store.ts";
import { targetOf } from "../backups/plan.ts";
import { fetchTo, newestIn, restoreArchive } from "../backups/restore-archive.ts";
import type { BackupStore } from "../backups/store.ts";
import { type BackupPlace, type BackupTarget, BUCKET_RULE, placeOf } from "../backups/target.ts";
import type { Command, CommandLine } from "./command.ts";
import { readFor } from "./named-source.ts";

const PLACE = {
  flag: "--place",
  value: "PLACE",
  doc: "a folder, or s3://bucket/path with AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
};

/** Whether a text is meant as an address, of a bucket or of what holds no backups, rather than as a path. */
function isAddress(text: string): boolean {
  return /^(s3:|[a-z][a-z0-9+.-]*:\/\/)/i.test(text);
}

/** @throws ConfigError */
function placeFrom(text: string): BackupPlace {
  const place = placeOf(isAddress(text) ? text : resolve(text));
  if (place) return place;
  throw new ConfigError(`"${text}" must be the path of a folder, or ${BUCKET_RULE}`);
}

function storeFor(target: BackupTarget): BackupStore {
  const egress = new NetworkEgress({
    reach: "loopback",
    exec: false,
    clock: systemClock,
    timeLimit: 600_000,
  });
  return openStore(target, { egress, sleep: Bun.sleep, rate: 0 });
}

/** The URL of a variable. @throws ConfigError */
function urlIn(name: string, value: string): string {
  if (webUrl(value)) return value;
  throw new ConfigError(`${name} must be the URL of a service, as in https://s3.eu-central-1.amazonaws.com`);
}

/** The store at a place, with the access key in the environment. @throws ConfigError */
function storeOf(place: BackupPlace, { variable }: CommandLine): BackupStore {
  if (place.kind === "folder") return storeFor(place);
  const names = ["AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const;
  const missing = names.filter((name) => !variable(name));
  if (missing.length > 0)
    throw new ConfigError(
      `set ${missing.join(", ")} in the environment to read the bucket "${place.bucket}"`,
    );
  const [endpoint = "", keyId = "", secret = ""] = names.map(variable);
  return storeFor({
    ...place,
    endpoint: urlIn(names[0], endpoint),
    region: variable("AWS_REGION") ?? "us-east-1",
    keyId,
    secret,
  });
}

/** The store that the settings name. @throws StartupError */
function configuredStore({ folder }: CommandLine): BackupStore {
  const target = withDatabase(folder, ({ db, box }) => targetOf(new Settings(db, box)));
  if (!target) throw new StartupError("the settings name no place for backups: name one with --place");
  return storeFor(target);
}

const AT = /^(\d{4}-\d\d-\d\d)(T(?:[01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * The last second that --at includes: that of the day in UTC for a date, and of the minute for a time without seconds. A
 * time without an offset is in the time zone of this machine.
 * @throws ConfigError
 */
function untilOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, date = "", time, seconds] = AT.exec(text) ?? [];
  if (!isDate(date))
    throw new ConfigError(
      `--at must be a date, as in 2026-11-24, or a date and a time, as in 2026-11-24T03:00Z, not ${text}`,
    );
  const at = Date.parse(text) / 1000;
  if (time === undefined) return at + DAY - 1;
  return seconds === undefined ? at + MINUTE - 1 : at;
}

/** Splits a place that may end with the name of a backup. */
function placeAndName(text: string): { place: string; name: string | null } {
  const at = text.lastIndexOf("/");
  const name = text.slice(at + 1);
  return createdOf(name) === null ? { place: text, name: null } : { place: text.slice(0, at), name };
}

/** Restores what the argument names. */
async function restored(args: CommandLine) {
  const { folder, operands, has } = args;
  const [text = ""] = operands;
  const force = has("--force");
  const identityFile = args.value("--identity");
  const identities =
    identityFile === undefined ? [] : readFor("--identity", () => identitiesIn(identityFile));
  const options = { force, identities };
  const until = untilOf(args.value("--at"));
  const file = resolve(text);
  const isFile = !isAddress(text) && !statSync(file, { throwIfNoEntry: false })?.isDirectory();
  if (isFile && !existsSync(file)) throw new StartupError(`${file} is not there`);
  const requested = placeAndName(text);
  if (until !== null && (isFile || requested.name !== null))
    throw new ConfigError(`--at chooses among the backups of a folder or bucket, and ${text} is one backup`);
  if (isFile) {
    if (!isArchive(file)) {
      const result = await restoringTo(folder, force, () => restoreDatabase(folder, file));
      return { source: file, result: { ...result, isKeyNew: false } };
    }
    const copy = async (path: string) => copyFileSync(file, path);
    const result = await restoreArchive(folder, copy, { ...options, source: file, name: null });
    return { source: file, result };
  }
  const store = storeOf(placeFrom(requested.place), args);
  const name = requested.name ?? (await newestIn(store, until));
  const fetch = (path: string) => fetchTo(store, name, path);
  return { source: name, result: await restoreArchive(folder, fetch, { ...options, source: name, name }) };
}

export const backupCommands: Command[] = [
  {
    name: "backup",
    onFileLike: "use pg_dump instead",
    summary: "write a verified copy of the database to FILE, even while the server runs",
    operands: ["FILE"],
    run: ({ folder, operands }, io) => {
      const file = resolve(operands[0] ?? "");
      const partial = `${file}.${process.pid}.partial`;
      withDatabase(folder, ({ db }) => copyDatabase(sqliteClient(db), file, partial));
      io.print(`wrote ${file}`);
      try {
        noteBackup(folder.path, systemClock.now());
      } catch (error) {
        // The backup itself is good. Noting it can fail, for example when the disk of the data folder is full.
        io.print(`Muster could not record that this backup was made: ${reasonOf(error)}`);
      }
      io.print(`It does not contain ${resolve(folder.key)}: keep a copy of that apart from it`);
      return 0;
    },
  },
  {
    name: "backup list",
    summary: "list the scheduled backups in a place, by default the one in the settings",
    options: [PLACE],
    run: async (args, io) => {
      const place = args.value(PLACE.flag);
      const store = place === undefined ? configuredStore(args) : storeOf(placeFrom(place), args);
      const files = await store.list();
      for (const { name, bytes } of files) io.print(`${name}  ${bytes} bytes`);
      io.print(`${store.description} has ${counted(files.length, "backup")}`);
      return 0;
    },
  },
  {
    name: "backup key",
    usesNoData: true,
    summary:
      "create a key for encrypted backups: write the private one to FILE, print the public one for the settings",
    operands: ["FILE"],
    run: async ({ operands }, io) => {
      const file = resolve(operands[0] ?? "");
      const recipient = await makeIdentity(file);
      io.print(`wrote ${file}: without it, nobody can read the backups. Do not keep it where they are`);
      io.print(`Public key, for the settings: ${recipient}`);
      return 0;
    },
  },
  {
    name: "restore",
    onFileLike:
      "use pg_restore instead. To restore a scheduled backup, unset it, restore into a data folder, and run muster move",
    summary:
      "restore the database from BACKUP: a file, a folder or s3://bucket/path; not while a server runs",
    operands: ["BACKUP"],
    options: [
      { flag: "--force", doc: "replace an existing database, which is moved to the folder backups" },
      {
        flag: "--at",
        value: "DATE",
        doc: "the newest backup up to a time: the end of a day in UTC, as in 2026-11-24, or of a minute, as in 2026-11-24T03:00Z",
      },
      { flag: "--identity", value: "FILE", doc: "private key of an encrypted backup" },
    ],
    run: async (args, io) => {
      const { folder } = args;
      const { source, result } = await restored(args);
      io.print(`${resolve(folder.database)} was restored from ${source}`);
      if (result.isKeyNew) io.print(`${resolve(folder.key)} was restored from it, too`);
      if (!result.isVerified) io.print(`${source} has no checksum: only its structure was checked`);
      if (result.keptCopy !== null) io.print(`the previous database is kept as ${resolve(result.keptCopy)}`);
      return 0;
    },
  },
];
