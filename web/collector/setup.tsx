import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { AgentKeyList, CollectorLine, SettingsReply } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { LazyScreen } from "../ui/lazy-screen.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";
import { Loaded, Loading } from "../ui/states.tsx";
import { useWork, WorkError } from "../ui/work.tsx";
import { AgentLines } from "./agent-lines.tsx";
import { Arrivals } from "./arrivals.tsx";
import { BaseUrlOffer } from "./base-url.tsx";
import { Enrolment } from "./enrolment.tsx";
import { FirstBackup } from "./first-backup.tsx";
import { KEYS } from "./keys.texts.ts";
import { SETUP } from "./setup.texts.ts";

/** Poll interval for the line, because its password can be changed on the same page. */
const LINE_SECONDS = 10;

const firstRule = async () => (await import("../alerting/first-rule.tsx")).FirstRule;

/** The first steps of administrators: an offer of a base URL, then four steps to a first notification and backup. */
export function Setup() {
  const settings = useResource<SettingsReply>("/admin/settings/get");
  return (
    <div class="setup">
      <Loaded from={settings}>
        {() => (
          <>
            <BaseUrlOffer from={settings} />
            <Connect title={SETUP.stepConnect} />
            <Section title={SETUP.stepArrive}>
              <Arrivals />
            </Section>
            <Section title={SETUP.stepNotify}>
              <LazyScreen load={firstRule} />
            </Section>
            <Section title={SETUP.stepBackup}>
              <FirstBackup />
            </Section>
            <Section title={SETUP.stepNext}>
              <ul class="next-steps">
                {SETUP.next.map(([href, link, text]) => (
                  <li key={href}>
                    <p>
                      <a href={href}>{link}</a> {text}
                    </p>
                  </li>
                ))}
              </ul>
            </Section>
          </>
        )}
      </Loaded>
    </div>
  );
}

/** The same as a page of its own. */
export function SetupScreen() {
  return (
    <Page title={SETUP.title}>
      <Setup />
    </Page>
  );
}

function FirstCredential() {
  const collector = useResource<CollectorLine>("/admin/settings/collector", {}, { every: LINE_SECONDS });
  return <Loaded from={collector}>{(lines) => <AgentLines lines={lines} hasKey={false} />}</Loaded>;
}

/** The lines with the secret of a key. It is shown as soon as the key is chosen, which the audit log records. */
function KeyCredential({ id }: { id: string }) {
  const { api } = useMuster();
  const lines = useSignal<CollectorLine | null>(null);
  const work = useWork();
  useEffect(() => {
    void work.run(async () => {
      lines.value = await api.send<CollectorLine>("/admin/keys/secret", { id: Number(id) });
    });
  }, [id]);
  if (lines.value) return <AgentLines lines={lines.value} hasKey />;
  return work.error.value ? <WorkError work={work} /> : <Loading />;
}

const FIRST = "0";

/** The first credential or a chosen key, and how to use it. */
function Credential({ keys }: { keys: AgentKeyList["records"] }) {
  const chosen = useSignal(FIRST);
  const options = keys.map(({ id, name }) => [String(id), KEYS.keyNamed(name)] as const);
  return (
    <>
      {keys.length > 0 && (
        <div class="form spaced">
          <Select
            label={KEYS.credential}
            name="credential"
            value={chosen.value}
            options={[[FIRST, KEYS.firstCredential], ...options]}
            onChange={(id) => {
              chosen.value = id;
            }}
          />
        </div>
      )}
      {chosen.value === FIRST ? <FirstCredential /> : <KeyCredential key={chosen.value} id={chosen.value} />}
      {chosen.value === FIRST ? (
        <p class="hint">{SETUP.scriptHint}</p>
      ) : (
        <Enrolment key={chosen.value} id={Number(chosen.value)} />
      )}
    </>
  );
}

/** How to make an agent report here, with the first credential or a chosen key. */
export function Connect({ title = SETUP.connect }: { title?: string }) {
  const keys = useResource<AgentKeyList>("/admin/keys/list");
  return (
    <Section title={title}>
      <p>{SETUP.appear}</p>
      <Loaded from={keys}>{({ records }) => <Credential keys={records} />}</Loaded>
      <p class="hint">
        {KEYS.offer} <a href="/keys">{KEYS.title}</a>
      </p>
    </Section>
  );
}
