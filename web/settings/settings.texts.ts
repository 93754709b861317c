/** All texts of settings, the move of settings and the page about Muster. */
export const SETTINGS = {
  title: "Settings",
  ofService: "Settings of the service",
  save: "Save settings",
  saved: "Settings saved",
  others: "Other",
  nothingSaved: "Nothing was saved. See the field that is marked.",
  fixedBaseUrl:
    "Messages link to this address, which was given at the start (--base-url or MUSTER_BASE_URL). It overrides the public address above:",
  about: "About",
  version: "Version",
  muster: (version: string) => `Muster ${version}`,
  database: "Database",
  oldestEvent: "Oldest event",
  oldestValues: "Oldest values",
  noneYet: "none yet",
} as const;

export const TRANSFER = {
  title: "Move settings",
  hint: "One file for another Muster: settings, groups, settings of hosts, local users, channels, rules, maintenance, status pages, saved filters and views. The file contains the addresses of status pages.",
  secrets: "Include secrets in plain text (logged)",
  export: "Export",
  import: "Import",
  imported: "Imported",
  file: "File to import",
  fileHint: "Creates what is missing, updates what has the same name, deletes nothing",
  result: (name: string, created: number, updated: number) =>
    `${name}: ${created} created, ${updated} updated.`,
  incomplete: (names: string) => `Without a password or token, which has to be entered: ${names}.`,
} as const;

export const ABOUT = {
  title: "About Muster",
  what: "Muster collects what Monit agents report, keeps it, and shows it: hosts, services, events, uptime and every number over time.",
  installation: "This installation",
  version: "Version",
  licence: "Licence",
  mit: "MIT",
  api: "API",
  apiVersion: "version 1, below /api/1",
  apiHint:
    "Everything that these pages show and do, programs can do as well. Give them an API token of their own.",
  makeToken: "Make a token",
  reference: "Reference of all operations",
  openApi: "The same as an OpenAPI document, for generators of clients",
  credits: "Credits",
  creditsText:
    "Built with Bun, Hono, Drizzle, Valibot, Preact and uPlot, under the MIT licence, and SQLite, in the public domain. Icons after Lucide, under the ISC licence. Monit and M/Monit are trademarks of Tildeslash Ltd, which this project is not affiliated with.",
  nodes: "Nodes",
  nodeColumns: { name: "Name", version: "Version", state: "State", seen: "Last seen" },
  states: { active: "Active", standby: "Standby", notRunning: "Not running" },
} as const;

/** Verbs by the last part of an operation's path. What is not here is shown as it is. */
const ACTIONS: Readonly<Record<string, string>> = {
  create: "Created",
  update: "Changed",
  delete: "Deleted",
  move: "Moved",
  add: "Added hosts to",
  remove: "Removed hosts from",
  login: "Signed in",
  proxy: "Signed in through the proxy",
  oidc: "Signed in with OpenID",
  dismiss: "Dismissed",
  undismiss: "Restored",
  acknowledge: "Acknowledged",
  unacknowledge: "Withdrew the acknowledgement of",
  note: "Added a note to",
  action: "Sent an action to",
  test: "Tested",
  retry: "Sent again",
  image: "Changed the picture of",
  revoke: "Ended a session",
  begin: "Began a second factor",
  confirm: "Enabled a second factor",
  disable: "Disabled a second factor",
  export: "Exported the configuration",
  import: "Imported a configuration",
  renew: "Changed the end of",
  release: "Released",
  takeover: "Became active:",
};

export const AUDIT = {
  title: "Audit log",
  columns: {
    date: "Time",
    user: "User",
    action: "Action",
    target: "Target",
    details: "Details",
    from: "From",
  },
  actions: ACTIONS,
  nothing: "nothing",
  json: "details as JSON",
  /** A value within another: "rotations 1 › users". */
  within: (name: string, part: string) => `${name} › ${part}`,
  changed: (name: string) => `${name} changed`,
  change: (name: string, before: string, after: string) => `${name}: ${before} → ${after}`,
  value: (name: string, value: string) => `${name}: ${value}`,
  notSignedIn: "not signed in",
  link: "link in a message",
  token: (name: string) => `token ${name}`,
  /** What is acted on, by the names of the API that are not words. */
  subjects: {
    statuspage: "status page",
    mailreport: "report by mail",
    oncall: "on-call schedule",
  } as Readonly<Record<string, string>>,
  filters: {
    uname: ["User name", "All users"],
    operation: ["Operation", "All operations"],
    datefrom: ["From", ""],
    dateto: ["Until", ""],
  },
  noneMatches: "No entry matches the filter.",
  none: "No entry yet.",
} as const;
