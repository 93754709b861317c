/** Replies of the API as the specification names them. With Muster's own extensions. */

export type LedCode = 0 | 1 | 2 | 3;

export interface HostStatus {
  id: number;
  led: LedCode;
  hostname: string;
  events: number;
  /** Percent; -1 when the agent reports no system service. */
  cpu: number;
  mem: number;
  status: string;
  statusid: 0 | 1 | 2;
  heartbeat: 0 | 1;
  /** Unix seconds of the last message. */
  lastmodified: number;
}

export interface HostStatusList {
  records: HostStatus[];
  totalRecords: number;
}

export interface HostsSummary {
  status: { label: string; data: number }[];
}

export interface Statistic {
  id: number;
  type: number;
  descriptor: string;
  value: number;
  text?: string;
}

export interface Service {
  id: number;
  name: string;
  nameid: number;
  type: string;
  typeid: number;
  monitorstate: number;
  monitormode: number;
  onreboot: number;
  status: string;
  led: LedCode;
  events: number;
  every: string;
  statistics: Statistic[];
}

export interface HostDetail {
  records: { is_user_admin: boolean; host: HostOfDetail };
}

export interface HostOfDetail {
  id: number;
  name: string;
  led: LedCode;
  status: string;
  statusid: 0 | 1 | 2;
  heartbeat: 0 | 1;
  lastmodified: number;
  /** Why actions on it are held back, "" when they are not. */
  conflict: string;
  platform: { name: string; release: string; version: string; machine: string };
  cpu: { count: number };
  memory: { size: number };
  swap: { size: number };
  agent: {
    id: string;
    version: string;
    controlfile: string;
    poll: number;
    startdelay: number;
    uptime: string;
  };
  services: Service[];
}

export interface HostSettings {
  id: number;
  hostname: string;
  keepname: number;
  ipaddrin: string;
  ipaddrout: string;
  portin: number;
  portout: number;
  sslin: number;
  sslout: number;
  sslverify: number;
  agentid: string;
  agentuser: string;
  agentpassword: string;
  description: string;
  status: number;
  skew: number;
  poll: number;
  lastmodified: number;
  /** Why actions are held back, "" when they are not. */
  conflict: string;
}

export interface EventRecord {
  id: number;
  date: number;
  hostname: string;
  hostid: number;
  servicename: string;
  servicenameid: number;
  event: string;
  eventtype: 0 | 1 | 2;
  note: 0 | 1;
  /** 1: an error that still holds. */
  active: 0 | 1;
  dismissed: 0 | 1;
}

export interface EventList {
  recordsReturned: number;
  pageSize: number;
  totalRecords: number;
  startIndex: number;
  sort: string;
  dir: string;
  maxid?: number;
  records: EventRecord[];
}

export interface EventDetail {
  id: number;
  hostid: number;
  host: string;
  date: number;
  servicename: string;
  servicetype: string;
  event: string;
  eventstate: 0 | 1 | 2;
  action: string;
  message: string;
  active: 0 | 1;
  dismissed: 0 | 1;
  note: { date: number; uname: string; message: string }[];
}

export interface EventsSummary {
  datefrom: number;
  dateto: number;
  events: { label: string; data: [number, number][] }[];
}

export interface UptimeItem {
  id: number;
  active: 0 | 1;
  name: string;
  uptime: number;
  downtime: string;
  events: number;
}

export interface UptimeReport {
  range: number;
  datefrom: number;
  dateto: number;
  uptime: number;
  downtime: string;
  items: UptimeItem[];
}

export interface GroupList {
  hosts: { id: number; name: string }[];
  groups: { id: number; name: string; hosts: number[] }[];
}

export interface UserRecord {
  uname: string;
  fullname: string;
  image: string;
  title: string;
  email: string;
  mobile: string;
  imname: string;
  imtype: string;
  /** Who vouches for the user at sign-in; only a local one has a password here. */
  origin: "local" | "oidc" | "proxy";
  /** Whether a code is asked for after the password. */
  secondfactor: boolean;
}

export interface UserDetail extends UserRecord {
  /** "" for those who may not see it. */
  password: string;
  phone: string;
  admin: boolean;
}

export interface CollectorLine {
  user: string;
  password: string;
  url: string;
  line: string;
}

export interface RefusalList {
  records: { address: string; reason: string; count: number; first: number; last: number }[];
  totalRecords: number;
}

export interface Setting {
  name: string;
  value: string | number;
  /** What it is, in one phrase. */
  doc: string;
  /** Completes "must be ...". */
  allowed: string;
  kind: "number" | "text";
  min?: number;
  max?: number;
}

export interface SettingsReply {
  settings: Setting[];
  database: { bytes: number; oldestevent: number | null; oldestsample: number | null };
  version: string;
}

export interface TokenRecord {
  id: number;
  name: string;
  scope: "read" | "full";
  created: number;
  expires: number | null;
  lastused: number | null;
}

export interface UptimeBars {
  datefrom: number;
  dateto: number;
  name: string;
  /** Seconds of each kind in cells of equal length. */
  cells: { datefrom: number; up: number; down: number; uncounted: number }[];
}

export interface HistorySeries {
  id: number;
  serviceid: number;
  servicename: string;
  type: number;
  descriptor: string;
  min: (number | null)[];
  mean: (number | null)[];
  max: (number | null)[];
}

export interface HistoryReply {
  hostid: number;
  hostname: string;
  datefrom: number;
  dateto: number;
  /** Seconds; 0 as measured. */
  resolution: number;
  times: number[];
  series: HistorySeries[];
}

export interface AuditEntry {
  id: number;
  date: number;
  /** "" for somebody who was not signed in. */
  uname: string;
  address: string;
  via: "login" | "token" | "none";
  token: string;
  operation: string;
  subject: string;
  subjectid: string;
  subjectname: string;
  /** What was changed as [before, after], and what else belongs to it. */
  details: Record<string, unknown>;
}

export interface AuditList {
  recordsReturned: number;
  pageSize: number;
  totalRecords: number;
  startIndex: number;
  records: AuditEntry[];
}

export interface SessionRecord {
  id: string;
  created: number;
  used: number;
  address: string;
  useragent: string;
  /** Of this page. */
  current: boolean;
}

export interface SessionList {
  totalRecords: number;
  records: SessionRecord[];
}
