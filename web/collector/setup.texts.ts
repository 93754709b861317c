/** All texts of connecting agents and of the first steps. */
import { counted } from "../text/format.ts";

export const SETUP = {
  title: "Set up",
  stepConnect: "1. Connect an agent",
  stepArrive: "2. See it arrive",
  stepNotify: "3. Choose who is notified",
  connect: "Connect a host",
  appear: "Hosts appear by themselves once their Monit agent reports here.",
  system: "Operating system",
  install: "Install Monit.",
  installCommand: "the command that installs Monit",
  putInto: "Put these lines into the file:",
  lines: "the lines for Monit's control file",
  reload: "Have Monit read it.",
  reloadCommand: "the command that reloads Monit",
  systems: {
    debian: "Debian, Ubuntu",
    rhel: "RHEL",
    freebsd: "FreeBSD, OPNsense",
    docker: "Docker",
  },
  rhelHint: "AlmaLinux, Rocky and Fedora too; Fedora has Monit without EPEL.",
  opnsenseHint:
    "On OPNsense, enter the address (what follows “set mmonit”) at Services, Monit, Settings, in the field for the collector's URL, and apply.",
  dockerFile: "monitrc (mode 0600)",
  dockerHint:
    "IMAGE is any image with Monit in it. Keep /var/lib/monit on a volume: the agent's id lives there, and a container with a new id is a new host.",
  loopback:
    "No other machine reaches this address. Set the public address of Muster, or open this page under the address that agents use.",
  loopbackLink: "Public address",
  httpd: "To start and stop services from here, Monit also needs its own web interface:",
  httpdLines: "the lines for Monit's web interface",
  httpdHint:
    "Use either this or a “set httpd” that is already there. The command “muster agent-config” prints the same lines.",
  waiting: "Waiting for the first message of an agent...",
  arrived: (hosts: number) => counted(hosts, "host"),
} as const;

export const BASE_URL = {
  title: "Address of Muster",
  hint: "Messages to people have no links yet, as Muster was not told under which address people reach it. Yours is:",
  use: "Use this address in messages",
  others: "Another one can be entered in the settings, or given at the start with --base-url.",
  saved: "Messages link to this address now",
} as const;

export const REJECTED = {
  title: "Rejected messages",
  none: "None since Muster started. A wrong password or a garbled message would show up here.",
  columns: { address: "From", reason: "Reason", count: "Times", last: "Last" },
} as const;
