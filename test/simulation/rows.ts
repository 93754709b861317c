/** Stored rows as the checks read them, without the server's own code. */
import { Database } from "bun:sqlite";

export interface HostRow {
  id: number;
  agentId: string;
  hostname: string;
  status: number;
  stopped: number;
  heartbeat: number;
  events: number;
  lastmodified: number;
}

export interface ActiveError {
  id: number;
  agentId: string;
  service: string;
  eventType: number;
  limitId: number;
}

const HOST =
  "select id, agent_id as agentId, hostname, status, stopped, heartbeat, events, lastmodified from hosts";

/** Queries of a database. */
export class Rows {
  constructor(protected readonly database: Database) {}

  all<T>(sql: string, params: Record<string, string | number> = {}): T[] {
    return this.database.query(sql).all(params as never) as T[];
  }

  hosts(): HostRow[] {
    return this.all<HostRow>(`${HOST} order by agent_id`);
  }

  host(agentId: string): HostRow | null {
    return this.all<HostRow>(`${HOST} where agent_id = $agentId`, { agentId })[0] ?? null;
  }

  /** Number of samples of each agent in a second, by agent id. */
  samplesAt(at: number): Map<string, number> {
    const rows = this.all<{ agentId: string; n: number }>(
      "select agent_id as agentId, count(*) as n from samples join hosts on hosts.id = host_id where at = $at group by 1",
      { at },
    );
    return new Map(rows.map(({ agentId, n }) => [agentId, n]));
  }

  isDown(agentId: string): boolean {
    return this.host(agentId)?.heartbeat === 0;
  }

  /** Id of a dependency, or undefined. The service name is "" for a whole host. */
  dependencyId(ends: { host: string; service: string; cause: string; causeService: string }) {
    const sql = `select dependencies.id from dependencies join hosts as dependent on dependent.id = host_id
       join hosts as cause on cause.id = cause_host_id where dependent.agent_id = $host and service = $service
       and cause.agent_id = $cause and cause_service = $causeService`;
    return this.all<{ id: number }>(sql, ends)[0]?.id;
  }

  setting(key: string): string | null {
    return (
      this.all<{ value: string }>("select value from settings where key = $key", { key })[0]?.value ?? null
    );
  }

  /** When Muster last recorded that it was running, unix seconds; 0 if never. */
  aliveAt(): number {
    return Number(this.setting("aliveat") ?? 0);
  }

  limitId(name: string): number | undefined {
    return this.all<{ id: number }>("select id from limits where name = $name", { name })[0]?.id;
  }

  has(table: "rules" | "maintenance_windows" | "limits", name: string): boolean {
    return this.all(`select 1 from ${table} where name = $name`, { name }).length > 0;
  }

  groupId(name: string): number | undefined {
    return this.all<{ id: number }>("select id from host_groups where name = $name", { name })[0]?.id;
  }

  ruleId(name: string): number | undefined {
    return this.all<{ id: number }>("select id from rules where name = $name", { name })[0]?.id;
  }

  /** Whether an acknowledgement or a mute with this note was stored. */
  isNoted(table: "acknowledgements" | "maintenance_windows", note: string): boolean {
    return this.all(`select 1 from ${table} where note = $note`, { note }).length > 0;
  }

  isAcknowledged(eventId: number): boolean {
    const sql = "select 1 from acknowledgements where event_id = $eventId and ended_at is null";
    return this.all(sql, { eventId }).length > 0;
  }

  /** Id and end of the mute with this note, unless it was deleted. */
  mute(note: string): { id: number; to: number } | undefined {
    const to = "json_extract(schedule, '$.to')";
    const sql = `select id, ${to} as "to" from maintenance_windows where name is null and note = $note`;
    return this.all<{ id: number; to: number }>(sql, { note })[0];
  }

  isDismissed(id: number): boolean {
    return this.all("select 1 from events where id = $id and dismissed = true", { id }).length > 0;
  }

  activeErrors(): ActiveError[] {
    return this.all<ActiveError>(
      `select events.id, agent_id as agentId, name as service, event_type as eventType, limit_id as limitId from events
       join hosts on hosts.id = host_id join names on names.id = name_id where active = 1 order by events.id`,
    );
  }

  /** Id of the newest decided message; 0 if there is none. */
  lastDelivery(): number {
    return this.all<{ id: number | null }>("select max(id) as id from deliveries")[0]?.id ?? 0;
  }

  /** Whether a message still has to be sent. */
  isAnyWaiting(): boolean {
    return (
      this.all("select 1 from deliveries where next_at is not null or status = 'sending' limit 1").length > 0
    );
  }

  /** Whether an absence of Muster from one second to another is recorded. */
  hasOffTime(from: number, to: number): boolean {
    const sql =
      "select 1 from excluded_intervals where reason = 'off' and started_at = $from and ended_at = $to";
    return this.all(sql, { from, to }).length > 0;
  }
}

/** A file that no process has open. */
export class StoredFile extends Rows {
  constructor(file: string) {
    super(new Database(file, { strict: true }));
  }

  close(): void {
    this.database.close();
  }
}
