import type { SettingsReply } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { SettingForm } from "../ui/setting-form.tsx";
import { Loaded } from "../ui/states.tsx";
import { FIRST_BACKUP, FIRST_BACKUP_GROUPS } from "./first-backup.texts.ts";

/** Names the first place for backups. Says so if there is one. */
export function FirstBackup() {
  const settings = useResource<SettingsReply>("/admin/settings/get");
  const more = <a href="/settings/backups">{FIRST_BACKUP.more}</a>;
  const step = ({ settings: all }: SettingsReply) => {
    const place = all.find(({ name }) => name === "backupplace")?.value;
    return place ? (
      <p>
        {FIRST_BACKUP.done(String(place))} {more}
      </p>
    ) : (
      <>
        <p class="spaced">{FIRST_BACKUP.intro}</p>
        <SettingForm
          from={settings}
          settings={all}
          groups={FIRST_BACKUP_GROUPS}
          submit={FIRST_BACKUP.submit}
        />
        <p class="hint">
          {FIRST_BACKUP.others} {more}
        </p>
      </>
    );
  };
  return <Loaded from={settings}>{step}</Loaded>;
}
