/**
 * Keeps what is stored at random moments while they are the present. Later, present rows and revisions must give the same
 * for these moments, after kills, restarts and retention.
 */
import { isDeepStrictEqual } from "node:util";
import { eq, isNull } from "drizzle-orm";
import { failingClasses } from "../../src/monitoring/health/health.ts";
import { pastObjects } from "../../src/monitoring/moment/revisions.repository.ts";
import { tagsOf } from "../../src/monitoring/tags/tags.repository.ts";
import type { Db } from "../../src/platform/storage/open.ts";
import type { RevisionKind } from "../../src/platform/storage/revisions.repository.ts";
import {
  dependencies,
  events,
  hostGroupMembers,
  hostGroups,
  hosts,
  limits,
  maintenanceWindows,
  rules,
  services,
} from "../../src/platform/storage/schema.ts";
import type { Random } from "../support/random.ts";
import { keptSince } from "./compare.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

/** The most moments that are kept, and how probable it is that one is kept at a check. */
const MAX_MOMENTS = 50;
const KEEP_CHANCE = 0.7;

type Columns = Record<string, unknown>;

interface Kept {
  hostId: number | null;
  objectId: number;
  columns: Columns;
}

interface Kind {
  kind: RevisionKind;
  read: (db: Db) => Kept[];
  /** What is compared. */
  columns: readonly string[];
  /** Whether a row that is gone without a revision was deleted with its host, by retention, or because there were too many. */
  mayGo: boolean;
}

const keyOf = ({ hostId, objectId }: Pick<Kept, "hostId" | "objectId">) => `${hostId}:${objectId}`;

const byId = (
  rows: readonly ({ id: number } & Columns)[],
  hostOf: (row: Columns) => number | null = () => null,
) => rows.map((row) => ({ hostId: hostOf(row), objectId: row.id, columns: row }));
const ofItsHost = ({ hostId }: Columns) => hostId as number;

const KINDS: readonly Kind[] = [
  {
    kind: "hosts",
    read: (db) =>
      byId(
        db
          .select()
          .from(hosts)
          .all()
          .map((row) => ({ ...row, tags: tagsOf(db, row.id) })),
        ({ id }) => id as number,
      ),
    columns: [
      ...["hostname", "description", "keepname", "skew", "conflict", "poll", "incarnation", "agentVersion"],
      ...[
        "controlFile",
        "startDelay",
        "platformName",
        "platformRelease",
        "platformVersion",
        "platformMachine",
      ],
      ...["cpuCount", "memoryKb", "swapKb", "status", "stopped", "heartbeat", "tags"],
    ],
    mayGo: true,
  },
  {
    kind: "services",
    read: (db) => {
      const rows = db.select().from(services).where(isNull(services.vanishedAt)).all();
      return byId(
        rows.map((row) => withFailing(row) as typeof row),
        ofItsHost,
      );
    },
    columns: ["type", "monitorState", "monitorMode", "onReboot", "every", "failing"],
    mayGo: true,
  },
  {
    kind: "events",
    read: (db) => byId(db.select().from(events).where(eq(events.active, true)).all(), ofItsHost),
    columns: ["dismissed", "dismissedFrom"],
    mayGo: true,
  },
  {
    kind: "host_groups",
    read: (db) => byId(db.select().from(hostGroups).where(eq(hostGroups.namedByHand, true)).all()),
    columns: ["name", "target", "namedByHand"],
    mayGo: false,
  },
  {
    kind: "host_group_members",
    read: (db) =>
      db
        .select()
        .from(hostGroupMembers)
        .all()
        .map(({ hostId, groupId, ...columns }) => ({ hostId, objectId: groupId, columns })),
    columns: ["byHand", "byAgent"],
    mayGo: false,
  },
  {
    kind: "limits",
    read: (db) => byId(db.select().from(limits).where(eq(limits.deleted, false)).all()),
    columns: ["name", "enabled", "statistics", "filter", "direction", "warning", "critical", "minutes"],
    mayGo: false,
  },
  {
    kind: "rules",
    read: (db) => byId(db.select().from(rules).all()),
    columns: ["name", "enabled", "filter", "delay", "repeat", "recovery", "final", "stepMinutes"],
    mayGo: false,
  },
  {
    kind: "maintenance_windows",
    read: (db) => byId(db.select().from(maintenanceWindows).all()),
    columns: ["name", "enabled", "filter", "schedule", "note"],
    mayGo: false,
  },
  {
    kind: "dependencies",
    read: (db) => byId(db.select().from(dependencies).all(), ofItsHost),
    columns: ["service", "causeHostId", "causeService"],
    mayGo: false,
  },
];

/** Of a service, the event types that fail. */
function withFailing(columns: Columns): Columns {
  const { status, statusHint } = columns;
  if (typeof status !== "number" || typeof statusHint !== "number") return columns;
  return { ...columns, failing: failingClasses({ status, statusHint }) };
}

interface Moment {
  at: number;
  /** The newest revision then. */
  lastId: number;
  kept: ReadonlyMap<RevisionKind, ReadonlyMap<string, Kept>>;
}

const read = (db: Db) =>
  new Map(KINDS.map(({ kind, read: rows }) => [kind, new Map(rows(db).map((kept) => [keyOf(kept), kept]))]));

export class PastKeeper {
  readonly #moments: Moment[] = [];

  constructor(private readonly world: World) {}

  /** Compares the moments that were kept, and may keep the present one. */
  check({ db, rows }: Server, random: Random): void {
    const present = read(db);
    const since = keptSince(this.world);
    for (const moment of this.#moments) if (moment.at >= since) this.#compare(moment, present, db);
    if (this.#moments.length >= MAX_MOMENTS || !random.chance(KEEP_CHANCE)) return;
    const lastId = rows.all<{ id: number }>("select coalesce(max(id), 0) as id from revisions")[0]?.id ?? 0;
    this.#moments.push({ at: this.world.now(), lastId, kept: present });
  }

  #compare(moment: Moment, present: Moment["kept"], db: Db): void {
    for (const kind of KINDS) this.#compareKind(kind, moment, present, db);
  }

  #compareKind({ kind, columns, mayGo }: Kind, moment: Moment, present: Moment["kept"], db: Db): void {
    const { at } = moment;
    const past = new Map(pastObjects(db, kind, at).map((object) => [keyOf(object), object.content]));
    const late = this.#changedLater(kind, moment);
    const hostsNow = present.get("hosts");
    const hostsThen = moment.kept.get("hosts");
    const there = present.get(kind);
    for (const [key, kept] of moment.kept.get(kind) ?? []) {
      const content = past.get(key);
      const row = there?.get(key);
      // A dependency goes with either of its hosts.
      const hostIds = [kept.hostId, kept.columns.causeHostId ?? null].filter((id) => id !== null);
      const isOfGone = hostIds.some((id) => !hostsNow?.has(`${id}:${id}`));
      if (late.has(key) || isOfGone || content === "unknown") continue;
      const what = `${kind} ${key} as of ${at}`;
      if (content === null) this.world.fail(`${what} does not exist, and did`);
      if (!row && !content) {
        if (mayGo) continue;
        this.world.fail(`${what} is gone without a revision`);
      }
      const then = withFailing({ ...row?.columns, ...content });
      // Of a row that is no longer read as present, only what changed since is known here.
      const compared = columns.filter((name) => row !== undefined || name in then);
      const wrong = compared.find((name) => !isDeepStrictEqual(then[name], kept.columns[name]));
      if (wrong !== undefined)
        this.world.fail(
          `${what} has ${wrong} ${JSON.stringify(then[wrong])}, and had ${JSON.stringify(kept.columns[wrong])}`,
        );
    }
    for (const [key, { hostId, columns: now }] of there ?? []) {
      const isOfKept = hostId === null || hostsThen?.has(`${hostId}:${hostId}`);
      if (mayGo || !isOfKept || late.has(key) || moment.kept.get(kind)?.has(key)) continue;
      const content = past.get(key);
      const isLater = typeof now.createdAt === "number" && now.createdAt > at;
      const wasOfAgents = content !== null && typeof content === "object" && content?.namedByHand === false;
      if (content !== null && content !== "unknown" && !isLater && !wasOfAgents)
        this.world.fail(`${kind} ${key} exists as of ${at}, and did not`);
    }
  }

  /** Objects with a change that is dated by the moment and was stored after it. */
  #changedLater(kind: RevisionKind, { at, lastId }: Moment): ReadonlySet<string> {
    const rows =
      this.world.server?.rows.all<Pick<Kept, "hostId" | "objectId">>(
        `select host_id as hostId, object_id as objectId from revisions
         where kind = $kind and id > $lastId and until <= $at`,
        { kind, lastId, at },
      ) ?? [];
    return new Set(rows.map(keyOf));
  }
}
