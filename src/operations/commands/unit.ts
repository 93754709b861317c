import { basename, dirname } from "node:path";

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
  /** File with MUSTER_* variables; null if there is none. */
  environmentFile: string | null;
}

const STATE = "/var/lib";

/** Whether systemd can create and own the data folder. */
export function isStateFolder(data: string): boolean {
  return dirname(data) === STATE;
}

/** Quotes a word of ExecStart for systemd. */
function quote(word: string): string {
  const escaped = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w./:,@%$+=-]+$/.test(escaped)
    ? escaped
    : `"${escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

export function unitText({ executable, args, data, user, lowPort, environmentFile }: UnitOptions): string {
  const capability = lowPort ? "CAP_NET_BIND_SERVICE" : "";
  const command = [executable, "serve", "--data", data, ...args].map(quote).join(" ");
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
    ...(environmentFile ? [`EnvironmentFile=-${environmentFile}`] : []),
    "UnsetEnvironment=BUN_OPTIONS BUN_BE_BUN NODE_OPTIONS",
    user === null ? "DynamicUser=yes" : `User=${user}`,
    ...(isStateFolder(data)
      ? [`StateDirectory=${basename(data)}`, "StateDirectoryMode=0700"]
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
