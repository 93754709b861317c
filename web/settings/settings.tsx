import type { SettingsReply } from "../api/types.ts";
import { BaseUrlOffer } from "../collector/base-url.tsx";
import { RejectedMessages } from "../collector/rejected-messages.tsx";
import { Connect } from "../collector/setup.tsx";
import { useResource } from "../state/polled-resource.ts";
import { formatBytes } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { Page, Section } from "../ui/page.tsx";
import { SettingForm } from "../ui/setting-form.tsx";
import { Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { groupsOf } from "./setting-texts.ts";
import { SETTINGS } from "./settings.texts.ts";
import { TransferSection } from "./transfer.tsx";

/** The settings of the service, for administrators. */
export function SettingsScreen() {
  const reply = useResource<SettingsReply>("/admin/settings/get");
  return (
    <Page title={SETTINGS.title}>
      <Section title={SETTINGS.ofService}>
        <Loaded from={reply}>
          {({ settings, baseurl }) => (
            <>
              <SettingForm from={reply} settings={settings} groups={groupsOf(settings)} />
              {baseurl.fixed && (
                <p class="hint">
                  {SETTINGS.fixedBaseUrl} <code>{baseurl.origin}</code>
                </p>
              )}
            </>
          )}
        </Loaded>
      </Section>
      <Section title={SETTINGS.backups}>
        <p>
          {SETTINGS.backupsHint} <a href="/settings/backups">{SETTINGS.toBackups}</a>
        </p>
      </Section>
      <BaseUrlOffer from={reply} />
      <Connect />
      <RejectedMessages />
      <TransferSection onImported={() => reply.refresh()} />
      <Section title={SETTINGS.about}>
        <Loaded from={reply}>
          {({ database, version }) => (
            <Facts
              facts={[
                [SETTINGS.version, SETTINGS.muster(version)],
                [SETTINGS.database, formatBytes(database.bytes)],
                [
                  SETTINGS.oldestEvent,
                  database.oldestevent ? <Time at={database.oldestevent} absolute /> : SETTINGS.noneYet,
                ],
                [
                  SETTINGS.oldestValues,
                  database.oldestsample ? <Time at={database.oldestsample} absolute /> : SETTINGS.noneYet,
                ],
              ]}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
