/** Replies of rules, channels, maintenance and deliveries. */

export interface Place {
  hostids?: number[];
  hostgroupids?: number[];
  servicenames?: string[];
}

export interface EventFilter extends Place {
  servicegroups?: string[];
  servicetypes?: number[];
  eventtypes?: number;
  states?: number[];
}

export interface QuietHours {
  days: number[];
  from: string;
  to: string;
  timezone: string;
}

export interface Rule {
  id: number;
  name: string;
  position: number;
  enabled: boolean;
  filter: EventFilter;
  /** Minutes, as all times here. */
  delay: number;
  repeat: number;
  recovery: boolean;
  final: boolean;
  quiet: QuietHours | null;
  escalateafter: number;
  flapcount: number;
  flapwindow: number;
  channels: number[];
  escalationchannels: number[];
}

export type MessageKind =
  | "problem"
  | "change"
  | "reminder"
  | "escalation"
  | "recovery"
  | "flapping"
  | "steady";

export interface Preview {
  records: {
    date: number;
    kind: MessageKind;
    title: string;
    events: number[];
    heldback: string;
    channels: number[];
  }[];
  total: number;
  matched: number;
  taken: number;
  datefrom: number;
  dateto: number;
  truncated: boolean;
}

export interface ChannelField {
  name: string;
  label: string;
  type: "text" | "secret" | "url" | "choice" | "lines";
  required: boolean;
  initial: string;
  choices: string[];
  doc: string;
}

export interface ChannelKind {
  kind: string;
  label: string;
  grouped: boolean;
  available: boolean;
  fields: ChannelField[];
}

export interface Channel {
  id: number;
  name: string;
  kind: string;
  enabled: boolean;
  settings: Record<string, string>;
  /** Names of the secrets that are set. */
  secrets: string[];
  rules: number[];
}

export interface TestAnswer {
  outcome: "sent" | "refused" | "failed" | "unknown";
  detail: string;
  /** Milliseconds. */
  duration: number;
}

export type Schedule =
  | { kind: "once"; from: number; to: number }
  | { kind: "weekly"; days: number[]; from: string; minutes: number; timezone: string };

export interface Maintenance {
  id: number;
  name: string;
  enabled: boolean;
  filter: Place;
  schedule: Schedule;
  active: boolean;
  until: number | null;
  next: number | null;
}

export type DeliveryStatus = "pending" | "sending" | "sent" | "failed";

export interface Delivery {
  id: number;
  date: number;
  kind: MessageKind;
  status: DeliveryStatus;
  attempts: number;
  next: number | null;
  finished: number | null;
  answer: string;
  rule: string;
  ruleid: number | null;
  channel: string;
  channelid: number | null;
  eventcount: number;
  events: { id: number; host: string; service: string }[];
}

export interface Records<T> {
  records: T[];
  totalRecords: number;
}
