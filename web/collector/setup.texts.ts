/** All texts of connecting agents and of the first steps. */
import { counted } from "../text/format.ts";

export const SETUP = {
  title: "Set up",
  stepConnect: "1. Connect an agent",
  stepArrive: "2. See it arrive",
  stepNotify: "3. Choose who is notified",
  stepBackup: "4. Make backups",
  stepNext: "What next",
  next: [
    ["/setup", "More hosts:", "the lines above are the same on every machine."],
    ["/limits", "Limits:", "be notified before a disk is full; Muster suggests values."],
    ["/users", "Users:", "give others access to all hosts or to some groups."],
    ["/health", "Health:", "see whether Muster itself is healthy."],
  ],
  connect: "Connect a host",
  appear: "Hosts appear automatically once their Monit agent reports here.",
  system: "Operating system",
  install: "Install Monit.",
  installCommand: "the command that installs Monit",
  putInto: "Add these lines to the file:",
  lines: "the lines for Monit's control file",
  reload: "Restart Monit.",
  reloadCommand: "the command that restarts Monit",
  systems: {
    debian: "Debian, Ubuntu",
    rhel: "RHEL, Fedora",
    alpine: "Alpine",
    freebsd: "FreeBSD",
    opnsense: "OPNsense",
    docker: "Docker",
    ansible: "Ansible",
  },
  rhelHint: "AlmaLinux, Rocky and Fedora too; Fedora has Monit without EPEL.",
  opnsense: "Go to Services, Monit, Settings, enter this address in the M/Monit URL field, and apply.",
  address: "the address for OPNsense",
  scriptHint:
    "For many machines, create an agent key and choose it above: one line then installs Monit and sets it up.",
  dockerFile: "monitrc (mode 0600)",
  dockerHint:
    "IMAGE is any image that contains Monit. Keep /var/lib/monit on a volume: it holds the agent's id, and a container with a new id is a new host.",
  ansible: "Apply the role muster_agent, which is in packaging/ansible of Muster's source:",
  playbook: "the playbook",
  vault: "Keep the secret of the key in a vault:",
  vaultLine: "the line for the vault",
  loopback:
    "Other machines cannot reach this address. Set Muster's public address, or open this page at the address agents use.",
  loopbackLink: "Public address",
  tls: "If machines do not trust Muster's certificate",
  tlsHint:
    "Monit 6.1 and later refuse a self-signed certificate, and one from an authority that the machine does not know. The host then never appears, and only Monit's log says why. Copy Muster's certificate, or that of its authority, to the file named here, and use these lines instead:",
  tlsLines: "the lines with the certificate file",
  httpd: "To start and stop services from here, enable Monit's own web interface as well:",
  httpdLines: "the lines for Monit's web interface",
  httpdKept: "If there is already a “set httpd”, keep that one instead.",
  httpdHint:
    "If there is already a “set httpd”, keep that one instead. “muster agent-config” prints the same lines.",
  waiting: "Waiting for the first report from an agent…",
  arrived: (hosts: number) => counted(hosts, "host"),
} as const;

export const BASE_URL = {
  title: "Public address",
  hint: "Notifications have no links: set Muster's public address. You are using:",
  use: "Use this address",
  others: "You can set a different one in Settings, or with --base-url at startup.",
  saved: "Notifications now link to this address",
} as const;

export const REJECTED = {
  title: "Rejected messages",
  none: "None since Muster started. Messages with a wrong password or malformed content would appear here.",
  columns: { address: "From", reason: "Reason", count: "Times", last: "Last" },
} as const;
