import type { CollectorLine, SettingsReply } from "../api/types.ts";
import { LazyScreen } from "../shell/lazy-screen.tsx";
import { useResource } from "../state/polled-resource.ts";
import { Copyable } from "../ui/copy.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Arrivals } from "./arrivals.tsx";
import { BaseUrlOffer } from "./base-url.tsx";
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

function instructions(lines: string) {
  const [line = ""] = lines.split("\n");
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
      name: SETUP.systems.freebsd,
      content: (
        <Steps
          install="pkg install monit && sysrc monit_enable=YES"
          file="/usr/local/etc/monitrc"
          text={line}
          reload="service monit restart"
          hint={SETUP.opnsenseHint}
        />
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

/** How to make an agent report here, and how to let Muster act on it. */
export function Connect({ title = SETUP.connect }: { title?: string }) {
  const collector = useResource<CollectorLine>("/admin/settings/collector", {}, { every: LINE_SECONDS });
  return (
    <Section title={title}>
      <p>{SETUP.appear}</p>
      <Loaded from={collector}>
        {({ config, httpd, loopback }) => (
          <>
            {loopback && <LoopbackWarning />}
            <Tabs label={SETUP.system} tabs={instructions(config)} />
            <p>{SETUP.httpd}</p>
            <Copyable text={httpd} label={SETUP.httpdLines} />
            <p class="hint">{SETUP.httpdHint}</p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
