/** The settings of backups, and whether they fit together. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { errors } from "../../platform/http/errors.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { reasonOf } from "../../platform/text.ts";
import { isRecipient, recipientsIn } from "./identities.ts";
import { type BackupTarget, BUCKET_RULE, placeOf } from "./target.ts";

/** Where backups go; null while none are made. */
export function targetOf(settings: Pick<Settings, "get">): BackupTarget | null {
  const place = placeOf(settings.get("backupplace"));
  if (place === null || place.kind === "folder") return place;
  return {
    ...place,
    endpoint: settings.get("backupendpoint"),
    region: settings.get("backupregion"),
    keyId: settings.get("backupkeyid"),
    secret: settings.get("backupsecret"),
  };
}

const refusedFolder = (reason: string) =>
  errors.badArgument("backupplace", `a folder that Muster can write to: ${reason}`);

/** The path without links, also of a folder that does not exist. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPathOf(parent), basename(path));
  }
}

/** @throws ApiError 400 for a folder that would be lost with the data folder */
function refuseInside(path: string, dataFolder: string): void {
  // A link can lead into it.
  if (!relative(realPathOf(dataFolder), realPathOf(path)).startsWith(".."))
    throw refusedFolder(`${path} is in the data folder, and would be lost with it`);
}

/**
 * Refuses settings of backups that do not fit together, on whichever machine.
 * @param dataFolder path; null without one
 * @throws ApiError 400
 */
export function refuseUnfitPlan(settings: Pick<Settings, "get">, dataFolder: string | null): void {
  const wrong = recipientsIn(settings.get("backuprecipients")).find((key) => !isRecipient(key));
  if (wrong !== undefined)
    throw errors.badArgument("backuprecipients", `public keys of age; ${wrong} is not one`);
  const text = settings.get("backupplace");
  if (text === "") return;
  const place = placeOf(text);
  if (!place) throw errors.badArgument("backupplace", `the absolute path of a folder, or ${BUCKET_RULE}`);
  if (place.kind === "folder") {
    if (dataFolder !== null) refuseInside(place.path, dataFolder);
  } else if (settings.get("backupendpoint") === "")
    throw errors.missingArgument("backupendpoint", "the URL of the service that has the bucket");
}

/**
 * Refuses settings of backups that fit together, but with which none can be made on this machine now.
 * @throws ApiError 400
 */
export function refuseUnusablePlace(settings: Pick<Settings, "get">): void {
  const place = placeOf(settings.get("backupplace"));
  if (place?.kind === "folder") refuseUnusableFolder(place.path);
  if (place?.kind === "bucket") refuseBucketWithoutKey(settings);
}

/** @throws ApiError 400 unless backups can be written to the folder */
function refuseUnusableFolder(path: string): void {
  try {
    if (!statSync(path).isDirectory()) throw new Error(`${path} is a file`);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw refusedFolder(reasonOf(error));
  }
}

function refuseBucketWithoutKey(settings: Pick<Settings, "get">): void {
  if (settings.get("backupkeyid") === "")
    throw errors.missingArgument("backupkeyid", "the id of an access key for the bucket");
  if (settings.get("backupsecret") === "")
    throw errors.missingArgument("backupsecret", "the secret of this access key");
}
