/** All texts of the keys with which agents post. */
import { DAY, HOUR } from "../../src/platform/clock.ts";
import { counted } from "../text/format.ts";

export const KEYS = {
  title: "Agent keys",
  caption: "Agent keys",
  newKey: "New key",
  none: "No keys yet. Until there are some, all agents share the first credential, so each can post for every host. With a key, hosts of a team or a site have a credential of their own.",
  columns: { name: "Key", groups: "Host groups", hosts: "Hosts", used: "Last used" },
  never: "never",
  anyGroup: "any",
  ended: "ended",
  ends: "ends",
  oldSecrets: (hosts: number) => `${counted(hosts, "host")} on the old secret`,
  createTitle: "New key",
  create: "Create key",
  changeTitle: (name: string) => `Change ${name}`,
  change: "Change",
  save: "Save",
  fields: {
    name: "Name",
    nameHint: "The user name in the address. Letters, digits, dot, hyphen and underscore",
    groups: "Host groups",
    groupsHint:
      "New hosts join them. Other groups that agents name are ignored. Empty: agents may name any group",
    groupsOfManager: "New hosts join them. Other groups that agents name are ignored",
    noGroup: "There are no groups.",
    addGroup: "Add a group",
    tags: "Tags",
    tagsHint: "New hosts get them. Separated by commas",
    pattern: "Only hosts named",
    patternHint: "* stands for any text, as in web-*. Empty: any host",
  },
  facts: {
    groups: "Host groups",
    tags: "Tags",
    pattern: "Only hosts named",
    created: "Created",
    used: "Last used",
    previous: "Old secret accepted until",
    ignored: "Ignored groups",
  },
  ignored: (groups: number) => `${counted(groups, "group")} that agents name, but that the key does not have`,
  connect: "Connect hosts",
  show: "Show secret",
  showHint: "Shows the lines for Monit's control file with the secret of this key. The audit log records it.",
  helper: "Actions without an open port",
  helperHint:
    "If Muster cannot reach the agent's port, a script on the host can ask for its actions. Turn this on in the host's settings. The audit log records when the lines are shown.",
  helperInstall: "Run as root on the host. The commands contain the secret of this key.",
  helperCommands: "the commands that install the script",
  helperControl: "Then add to Monit's control file, and reload Monit:",
  helperLines: "the lines that run the script",
  showHelper: "Show the lines",
  replace: "Replace secret",
  replaceTitle: (name: string) => `Replace the secret of ${name}`,
  replaceHint: (hosts: number) =>
    hosts === 0
      ? "No host uses this key yet."
      : `${counted(hosts, "host")} must get the new secret. This page shows which still use the old one.`,
  replaceTwice: (hosts: number) =>
    `Messages from ${counted(hosts, "host")} that still ${hosts === 1 ? "uses" : "use"} the previous secret will be refused at once.`,
  overlap: "Accept the old secret",
  overlaps: [
    [String(7 * DAY), "for 7 more days"],
    [String(DAY), "for 1 more day"],
    [String(HOUR), "for 1 more hour"],
    [String(30 * DAY), "for 30 more days"],
    ["0", "no longer"],
  ],
  end: "End",
  endTitle: (name: string) => `End ${name}?`,
  endVerb: "End key",
  endHint: (hosts: number) => {
    const refused = "Messages with this key are then refused.";
    if (hosts === 0) return refused;
    return hosts === 1
      ? `${refused} Its host stays bound to it until it is moved to another key.`
      : `${refused} Its ${counted(hosts, "host")} stay bound to it until they are moved to another key.`;
  },
  when: "When",
  whens: [
    ["0", "now"],
    [String(DAY), "in 1 day"],
    [String(7 * DAY), "in 7 days"],
    [String(30 * DAY), "in 30 days"],
  ],
  cancelEnd: "Cancel end",
  resume: "Reactivate",
  delete: "Delete",
  deleteVerb: "Delete key",
  deleteHint:
    "Its secret is refused at once. Its hosts are kept, and may then report with the first credential or another key.",
  hosts: "Hosts",
  noHosts: "No host has reported with this key yet.",
  hostColumns: { name: "Host", last: "Last message" },
  oldSecret: "old secret",
  ignoredGroups: (groups: number) => `${counted(groups, "group")} ignored`,
  movedHere: "moved here, not yet reported with this key",
  moving: (key: string) => `may move to ${key}`,
  move: "Move",
  moveOf: (host: string) => `Move ${host}`,
  moveTitle: (host: string) => `Move ${host}`,
  moveTo: "To",
  moveHint: "The host keeps its present key until its first message with the other one.",
  addHost: "Move a host here",
  addHostTitle: (name: string) => `Move a host to ${name}`,
  host: "Host",
  chooseHost: "Choose a host",
  first: "the first credential",
  deletedKey: (id: number) => `key ${id}`,
  offer: "Hosts of a team or a site can have a credential of their own:",
  credential: "Credential",
  firstCredential: "First credential",
  keyNamed: (name: string) => `Key ${name}`,
} as const;
