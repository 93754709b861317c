import type { CollectorLine } from "../api/types.ts";
import { LazyScreen } from "../shell/lazy-screen.tsx";
import { useResource } from "../state/resource.ts";
import { Copyable } from "../ui/copy.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Arrivals } from "./arrivals.tsx";

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
          <p>Install Monit.</p>
          <Copyable text={install} label="the command that installs Monit" />
        </li>
        <li>
          <p>
            Put this into <code>{file}</code>.
          </p>
          <Copyable text={text} label="the lines for Monit's control file" />
        </li>
        <li>
          <p>Have Monit read it.</p>
          <Copyable text={reload} label="the command that reloads Monit" />
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
      name: "Debian, Ubuntu",
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
      name: "RHEL",
      content: (
        <Steps
          install="dnf install epel-release && dnf install monit"
          file="/etc/monit.d/muster"
          text={lines}
          reload="monit -t && systemctl enable --now monit && monit reload"
          hint="AlmaLinux, Rocky and Fedora too; Fedora has Monit without EPEL."
        />
      ),
    },
    {
      name: "FreeBSD, OPNsense",
      content: (
        <Steps
          install="pkg install monit && sysrc monit_enable=YES"
          file="/usr/local/etc/monitrc"
          text={line}
          reload="service monit restart"
          hint={`On OPNsense, enter the address (what follows "set mmonit") at Services, Monit, Settings, in the field for the collector's URL, and apply.`}
        />
      ),
    },
    {
      name: "Docker",
      content: (
        <Steps
          install="docker run -d --name monit -v monit-state:/var/lib/monit -v ./monitrc:/etc/monitrc:ro IMAGE monit -I -c /etc/monitrc"
          file="monitrc (mode 0600)"
          text={`set daemon 30\nset idfile /var/lib/monit/id\nset statefile /var/lib/monit/state\n${lines}`}
          reload="docker restart monit"
          hint="IMAGE is any image with Monit in it. Keep /var/lib/monit on a volume: the agent's id lives there, and a container with a new id is a new host."
        />
      ),
    },
  ];
}

const firstRule = async () => (await import("../alerting/first-rule.tsx")).FirstRule;

/** Three steps to the first notification, for administrators. */
export function Setup() {
  return (
    <div class="setup">
      <Connect title="1. Connect an agent" />
      <Section title="2. See it arrive">
        <Arrivals />
      </Section>
      <Section title="3. Choose who is notified">
        <LazyScreen load={firstRule} />
      </Section>
    </div>
  );
}

/** The same as a page of its own. */
export function SetupScreen() {
  return (
    <Page title="Set up">
      <Setup />
    </Page>
  );
}

/** Warns where the lines lead to this machine only. */
function LoopbackWarning() {
  return (
    <p class="form-error spaced" role="alert">
      No other machine reaches this address. Set the <a href="/settings">public address</a> of Muster, or open
      this page under the address that agents use.
    </p>
  );
}

/** How to make an agent report here, and how to let Muster act on it. */
export function Connect({ title = "Connect a host" }: { title?: string }) {
  const collector = useResource<CollectorLine>("/admin/settings/collector", {}, { every: LINE_SECONDS });
  return (
    <Section title={title}>
      <p>Hosts appear by themselves once their Monit agent reports here.</p>
      <Loaded from={collector}>
        {({ config, httpd, loopback }) => (
          <>
            {loopback && <LoopbackWarning />}
            <Tabs label="Operating system" tabs={instructions(config)} />
            <p>To start and stop services from here, Monit also needs its own web interface:</p>
            <Copyable text={httpd} label="the lines for Monit's web interface" />
            <p class="hint">
              Use either this or a “set httpd” that is already there. <code>muster agent-config</code> prints
              the same lines.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
