import type { SettingsReply } from "../api/types.ts";
import { BaseUrlOffer } from "../collector/base-url.tsx";
import { RejectedMessages } from "../collector/rejected-messages.tsx";
import { Connect } from "../collector/setup.tsx";
import { useResource } from "../state/resource.ts";
import { formatBytes } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { SettingForm } from "./setting-form.tsx";
import { TransferSection } from "./transfer.tsx";

export function SettingsScreen() {
  const reply = useResource<SettingsReply>("/admin/settings/get");
  return (
    <Page title="Settings">
      <Section title="Settings of the service">
        <Loaded from={reply}>
          {({ settings, baseurl }) => (
            <>
              <SettingForm from={reply} settings={settings} />
              {baseurl.fixed && (
                <p class="hint">
                  Messages link to <code>{baseurl.origin}</code>, which was given at the start (--base-url or
                  MUSTER_BASE_URL). It overrides the public address above.
                </p>
              )}
            </>
          )}
        </Loaded>
      </Section>
      <BaseUrlOffer from={reply} />
      <Connect />
      <RejectedMessages />
      <TransferSection />
      <Section title="About">
        <Loaded from={reply}>
          {({ database, version }) => (
            <Facts
              facts={[
                ["Version", `Muster ${version}`],
                ["Database", formatBytes(database.bytes)],
                [
                  "Oldest event",
                  database.oldestevent ? <Time at={database.oldestevent} absolute /> : "none yet",
                ],
                [
                  "Oldest values",
                  database.oldestsample ? <Time at={database.oldestsample} absolute /> : "none yet",
                ],
              ]}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
