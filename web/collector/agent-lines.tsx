/** What to do on a machine, so that its agent reports here. */
import type { CollectorLine } from "../api/types.ts";
import { Copyable } from "../ui/copy.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { SETUP } from "./setup.texts.ts";

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

/** The Ansible role. It takes an agent key, so it is not offered with the credential of a new installation. */
function ansible({ url }: CollectorLine) {
  const { origin, username, password } = new URL(url);
  const playbook = `- hosts: all
  become: true
  roles:
    - role: muster_agent
      vars:
        muster_agent_url: ${origin}
        muster_agent_key: ${username}
        muster_agent_secret: "{{ vault_muster_secret }}"`;
  return {
    name: SETUP.systems.ansible,
    content: (
      <>
        <p>{SETUP.ansible}</p>
        <Copyable text={playbook} label={SETUP.playbook} />
        <p>{SETUP.vault}</p>
        <Copyable text={`vault_muster_secret: ${password}`} label={SETUP.vaultLine} />
      </>
    ),
  };
}

/** Warns where the lines lead to this machine only. */
function LoopbackWarning() {
  return (
    <p class="form-error spaced" role="alert">
      {SETUP.loopback} <a href="/settings">{SETUP.loopbackLink}</a>
    </p>
  );
}

interface AgentLinesProps {
  lines: CollectorLine;
  /** Whether the lines are those of a key, not of the first credential. */
  hasKey: boolean;
}

/** What to do on a machine, so that its agent reports here and Muster can act on it. */
export function AgentLines({ lines, hasKey }: AgentLinesProps) {
  return (
    <>
      {lines.loopback && <LoopbackWarning />}
      <Tabs
        label={SETUP.system}
        tabs={hasKey ? [...instructions(lines), ansible(lines)] : instructions(lines)}
      />
      {lines.tls !== "" && (
        <details class="folded">
          <summary>{SETUP.tls}</summary>
          <p>{SETUP.tlsHint}</p>
          <Copyable text={lines.tls} label={SETUP.tlsLines} />
        </details>
      )}
      <p>{SETUP.httpd}</p>
      <Copyable text={lines.httpd} label={SETUP.httpdLines} />
      <p class="hint">{hasKey ? SETUP.httpdKept : SETUP.httpdHint}</p>
    </>
  );
}
