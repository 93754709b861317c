/** All texts of the step that names a place for backups. */
import { PUBLIC_KEYS } from "../text/public-keys.texts.ts";
import type { SettingGroup } from "../ui/setting-form.tsx";

export const FIRST_BACKUP = {
  intro:
    "Muster backs up its database every night, and reads each backup back to check it. Name a folder on another disk or a mount; the first backup begins at once.",
  submit: "Start backups",
  others: "To use a bucket, or to change the times and what is kept:",
  more: "Backups",
  done: (place: string) => `Muster makes backups to ${place}.`,
} as const;

export const FIRST_BACKUP_GROUPS: readonly SettingGroup[] = [
  {
    title: "Backups",
    settings: {
      backupplace: { label: "Folder", hint: "e.g. /mnt/backup", required: true },
      backuprecipients: PUBLIC_KEYS,
    },
  },
];
