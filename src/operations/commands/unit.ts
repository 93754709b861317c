import { basename, dirname } from "node:path";

/** Settings that are not in the unit, such as secrets, which every user of the machine could read there. It may be absent. */
export const SETTINGS_FILE = "/etc/default/muster";

export interface UnitOptions {
  /** Absolute path. */
  executable: string;
  /** Arguments of `muster serve`. */
  args: readonly string[];
  /** Absolute path of the data folder. */
  data: string;
  /** Account that it runs as; null: one created by systemd, with a data folder below /var/lib. */
  user: string | null;
  /** Whether it listens on a port below 1024. */
  lowPort: boolean;
  /** Variables, as `NAME=value`. */
  environment?: readonly string[];
}

const STATE = "/var/lib";

/** What the unit hides from Muster: ProtectHome and PrivateTmp. */
const HIDDEN = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"];

/** The folder above a file that the unit hides; null if there is none. */
export function hiddenFolder(file: string): string | null {
  return HIDDEN.find((folder) => file.startsWith(`${folder}/`)) ?? null;
}

/** Whether systemd can create and own the data folder. */
export function isStateFolder(data: string): boolean {
  return dirname(data) === STATE;
}

/** Quotes a word for systemd. */
function quote(word: string): string {
  const escaped = word.replaceAll("%", "%%");
  return /^[\w./:,@%$+=-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Quotes a word of ExecStart, in which systemd replaces variables. */
function quoteArgument(word: string): string {
  return quote(word.replaceAll("$", "$$$$"));
}

/** The text of the systemd unit that runs `muster serve`. It does not check that the paths exist. */
export function unitText(options: UnitOptions): string {
  const { executable, args, data, user, lowPort, environment = [] } = options;
  const capability = lowPort ? "CAP_NET_BIND_SERVICE" : "";
  const command = [executable, "serve", "--data", data, ...args].map(quoteArgument).join(" ");
  const lines = [
    "[Unit]",
    "Description=Muster, a monitoring server for Monit agents",
    "Wants=network-online.target",
    "After=network-online.target",
    "",
    "[Service]",
    `ExecStart=${command}`,
    "ExecReload=kill -HUP $MAINPID",
    "Restart=on-failure",
    "RestartSec=5",
    "TimeoutStopSec=20",
    ...environment.map((variable) => `Environment=${quote(variable)}`),
    `EnvironmentFile=-${SETTINGS_FILE}`,
    "UnsetEnvironment=BUN_OPTIONS BUN_BE_BUN NODE_OPTIONS",
    user === null ? "DynamicUser=yes" : `User=${user}`,
    ...(isStateFolder(data)
      ? [`StateDirectory=${quote(basename(data))}`, "StateDirectoryMode=0700"]
      : [`ReadWritePaths=${quote(data)}`]),
    "RuntimeDirectory=muster",
    "UMask=0077",
    `CapabilityBoundingSet=${capability}`,
    `AmbientCapabilities=${capability}`,
    "NoNewPrivileges=yes",
    "ProtectSystem=strict",
    "ProtectHome=yes",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "ProtectClock=yes",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectControlGroups=yes",
    "ProtectProc=invisible",
    "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
    "RestrictNamespaces=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "LockPersonality=yes",
    "RemoveIPC=yes",
    "SystemCallArchitectures=native",
    "SystemCallFilter=@system-service",
    "SystemCallErrorNumber=EPERM",
    "",
    "[Install]",
    "WantedBy=multi-user.target",
  ];
  return `${lines.join("\n")}\n`;
}

/** The executable and each option of a command line, as systemd reads them. */
function partsOfCommand(command: string): [name: string, value: string][] {
  const words = command.match(/"(?:\\.|[^"\\])*"|\S+/g) ?? [];
  return words.flatMap((word, i): [string, string][] => {
    if (i === 0) return [["the executable", word]];
    return word.startsWith("--") ? [[word, words[i + 1] ?? ""]] : [];
  });
}

/** Settings that are repeated, such as variables, count as one. */
function partsOf(unit: string): Map<string, string> {
  const parts = unit.split("\n").flatMap((line): [string, string][] => {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    return name === "ExecStart" ? partsOfCommand(value) : [[name, value]];
  });
  const joined = new Map<string, string>();
  for (const [name, value] of parts) joined.set(name, `${joined.get(name) ?? ""}${value}\n`);
  return joined;
}

/** Names of the options of `muster serve`, and of the settings of systemd, in which two units differ. */
export function differencesOf(one: string, other: string): string[] {
  const [parts, others] = [partsOf(one), partsOf(other)];
  return [...new Set([...parts.keys(), ...others.keys()])].filter(
    (name) => parts.get(name) !== others.get(name),
  );
}
