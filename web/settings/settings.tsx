import type { SettingsReply } from "../api/types.ts";
import { BaseUrlOffer } from "../collector/base-url.tsx";
import { RejectedMessages } from "../collector/rejected-messages.tsx";
import { Connect } from "../collector/welcome.tsx";
import { useAnnounce, useMuster } from "../state/muster.ts";
import type { Resource } from "../state/resource.ts";
import { useResource } from "../state/resource.ts";
import { capitalize, formatBytes } from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { Field, Form, textOf, useWork } from "../ui/form.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { TransferSection } from "./transfer.tsx";

function Values({ from, settings }: { from: Resource<SettingsReply>; settings: SettingsReply["settings"] }) {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const save = async (values: FormData) => {
    const changed = settings.filter(({ name, value }) => textOf(values, name) !== String(value));
    if (changed.length > 0) {
      const args = Object.fromEntries(changed.map(({ name }) => [name, textOf(values, name)]));
      await api.post("/admin/settings/update", args);
      await from.refresh();
    }
    announce("Settings saved");
  };
  return (
    <Form work={work} submit="Save" onSubmit={save}>
      <div class="fields">
        {settings.map(({ name, value, doc, allowed, kind, min, max }) => (
          <Field
            key={name}
            label={capitalize(doc)}
            name={name}
            hint={`${name}: ${allowed}`}
            type={kind === "number" ? "number" : "text"}
            defaultValue={String(value)}
            min={min}
            max={max}
            required={kind === "number"}
          />
        ))}
      </div>
    </Form>
  );
}

export function SettingsScreen() {
  const reply = useResource<SettingsReply>("/admin/settings/get");
  return (
    <Page title="Settings">
      <Section title="Service">
        <Loaded from={reply}>
          {({ settings, baseurl }) => (
            <>
              <Values from={reply} settings={settings} />
              {baseurl.fixed && (
                <p class="hint">
                  Messages link to <code>{baseurl.origin}</code>: it was given at the start (--base-url or
                  MUSTER_BASE_URL), which comes before the setting baseurl.
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
