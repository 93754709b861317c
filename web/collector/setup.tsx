import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { AgentKeyList, CollectorLine, SettingsReply } from "../api/types.ts";
import { LazyScreen } from "../shell/lazy-screen.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Copyable } from "../ui/copy.tsx";
import { Select, useWork, WorkError } from "../ui/form.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded, Loading } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Arrivals } from "./arrivals.tsx";
import { BaseUrlOffer } from "./base-url.tsx";
import { Enrolment } from "./enrolment.tsx";
import { KEYS } from "./keys.texts.ts";
import { SETUP } from "./setup.texts.ts";

/** Poll interval for the line, because its password can be changed on the same page. */
const LINE_SECONDS = 10;

function Steps({
  install,
  file,
  text,
  reload,
  hint,
}: Record<"install" | "file" | "text" | "reload", string> & { hint?: string }) {
  return (
    <>
      <ol class="steps">
        <li>
          <p>{SETUP.install}</p>
          <Copyable text={install} label={SETUP.installCommand} />
        </li>
        <li>
          <p>
            {SETUP.putInto} <code>{file}</code>
          </p>
          <Copyable text={text} label={SETUP.lines} />
        </li>
        <li>
          <p>{SETUP.reload}</p>
          <Copyable text={reload} label={SETUP.reloadCommand} />
        </li>
      </ol>
      {hint && <p class="hint">{hint}</p>}
    </>
  );
}

function instructions({ config: lines, url }: CollectorLine) {
  return [
    {
      name: SETUP.systems.debian,
      content: (
        <Steps
          install="apt install monit"
          file="/etc/monit/conf.d/muster"
          text={lines}
          reload="monit -t && systemctl restart monit"
        />
      ),
    },
    {
      name: SETUP.systems.rhel,
      content: (
        <Steps
          install="dnf install epel-release && dnf install monit"
          file="/etc/monit.d/muster"
          text={lines}
          reload="monit -t && systemctl enable --now monit && monit reload"
          hint={SETUP.rhelHint}
        />
      ),
    },
    {
      name: SETUP.systems.alpine,
      content: (
        <Steps
          install="apk add monit"
          file="/etc/monitrc"
          text={lines}
          reload="monit -t && rc-update add monit && rc-service monit restart"
        />
      ),
    },
    {
      name: SETUP.systems.freebsd,
      content: (
        <Steps
          install="pkg install monit && sysrc monit_enable=YES && mkdir -p /var/db/monit/events"
          file="/usr/local/etc/monitrc"
          text={lines.replace("/var/lib/monit", "/var/db/monit")}
          reload="service monit restart"
        />
      ),
    },
    {
      name: SETUP.systems.opnsense,
      content: (
        <>
          <p>{SETUP.opnsense}</p>
          <Copyable text={url} label={SETUP.address} />
        </>
      ),
    },
    {
      name: SETUP.systems.docker,
      content: (
        <Steps
          install="docker run -d --name monit -v monit-state:/var/lib/monit -v ./monitrc:/etc/monitrc:ro IMAGE monit -I -c /etc/monitrc"
          file={SETUP.dockerFile}
          text={`set daemon 30\nset idfile /var/lib/monit/id\nset statefile /var/lib/monit/state\n${lines}`}
          reload="docker restart monit"
          hint={SETUP.dockerHint}
        />
      ),
    },
  ];
}

const firstRule = async () => (await import("../alerting/first-rule.tsx")).FirstRule;

/** Three steps to the first notification, for administrators, below the offer of a base URL. */
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

/** Warns where the lines lead to this machine only. */
function LoopbackWarning() {
  return (
    <p class="form-error spaced" role="alert">
      {SETUP.loopback} <a href="/settings">{SETUP.loopbackLink}</a>
    </p>
  );
}

/** What to do on a machine, so that its agent reports here and Muster can act on it. */
export function AgentLines({ lines, hint = SETUP.httpdKept }: { lines: CollectorLine; hint?: string }) {
  return (
    <>
      {lines.loopback && <LoopbackWarning />}
      <Tabs label={SETUP.system} tabs={instructions(lines)} />
      {lines.tls !== "" && (
        <details class="folded">
          <summary>{SETUP.tls}</summary>
          <p>{SETUP.tlsHint}</p>
          <Copyable text={lines.tls} label={SETUP.tlsLines} />
        </details>
      )}
      <p>{SETUP.httpd}</p>
      <Copyable text={lines.httpd} label={SETUP.httpdLines} />
      <p class="hint">{hint}</p>
    </>
  );
}

function FirstCredential() {
  const collector = useResource<CollectorLine>("/admin/settings/collector", {}, { every: LINE_SECONDS });
  return <Loaded from={collector}>{(lines) => <AgentLines lines={lines} hint={SETUP.httpdHint} />}</Loaded>;
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
  if (lines.value) return <AgentLines lines={lines.value} />;
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
