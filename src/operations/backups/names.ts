/** Names of stored backups, as in muster-20261124T031200Z.tar.zst.age. They sort by time. */
import { stampOf } from "../../platform/date-text.ts";

const NAME = /^muster-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?$/;

/** The name of a backup. @param created unix seconds */
export function backupName(created: number, isEncrypted: boolean): string {
  return `muster-${stampOf(new Date(created * 1000))}.tar.zst${isEncrypted ? ".age" : ""}`;
}

/** When a backup was made, unix seconds; null if the name is not one of a backup. */
export function createdOf(name: string): number | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at / 1000;
}
