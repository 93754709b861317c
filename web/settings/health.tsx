import type { MusterHealth } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { counted, formatBytes, formatDuration, formatNumber } from "../text/format.ts";
import { HEALTH_LEDS } from "../text/names.ts";
import { Facts } from "../ui/facts.tsx";
import { Led } from "../ui/led.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { FindingItem } from "./finding.tsx";
import { Forgotten } from "./forgotten.tsx";
import { HEALTH } from "./health.texts.ts";
import { Nodes } from "./nodes.tsx";

const LIVE_SECONDS = 30;
/** A disk that is full in more days than this is said not to be full soon. */
const FAR_DAYS = 1000;

type Refusal = MusterHealth["messages"]["refused"][number];
type Version = MusterHealth["agents"]["versions"][number];
type Clock = MusterHealth["agents"]["clocks"][number];
type Certificate = MusterHealth["certificates"][number];

function Findings({ findings, evaluated, onDone }: MusterHealth & { onDone: () => void }) {
  return (
    <Section
      title={HEALTH.findings}
      aside={
        <span class="hint">
          {HEALTH.evaluated} <Time at={evaluated} />
        </span>
      }
    >
      {findings.length === 0 ? (
        <Empty>{HEALTH.none}</Empty>
      ) : (
        <ul class="findings">
          {findings.map((finding) => (
            <FindingItem key={`${finding.code} ${finding.subject}`} finding={finding} onDone={onDone} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const REFUSALS: readonly Column<Refusal>[] = [
  { key: "reason", label: HEALTH.columns.reason, header: true, class: "grow", cell: ({ reason }) => reason },
  { key: "count", label: HEALTH.columns.count, class: "number", cell: ({ count }) => formatNumber(count, 0) },
  {
    key: "clients",
    label: HEALTH.columns.clients,
    class: "number wide",
    cell: ({ clients }) => formatNumber(clients, 0),
  },
  { key: "last", label: HEALTH.columns.last, class: "number", cell: ({ last }) => <Time at={last} /> },
];

function Messages({ messages }: MusterHealth) {
  const { persecond, waiting } = messages;
  return (
    <Section title={HEALTH.messages}>
      <Facts
        facts={[
          [HEALTH.perSecond, persecond === null ? HEALTH.notKnown : HEALTH.rate(formatNumber(persecond))],
          [HEALTH.waiting, formatNumber(waiting, 0)],
        ]}
      />
    </Section>
  );
}

function Refused({ messages: { refused } }: MusterHealth) {
  if (refused.length === 0) return null;
  return (
    <Section title={HEALTH.refused}>
      <p class="hint">
        {HEALTH.refusedHint} <a href="/settings">{HEALTH.addresses}</a>
      </p>
      <Table caption={HEALTH.refused} columns={REFUSALS} rows={refused} rowKey={({ reason }) => reason} />
    </Section>
  );
}

const VERSIONS: readonly Column<Version>[] = [
  {
    key: "version",
    label: HEALTH.agentColumns.version,
    header: true,
    cell: ({ version }) => version || HEALTH.unknownVersion,
  },
  {
    key: "hosts",
    label: HEALTH.agentColumns.hosts,
    class: "number",
    cell: ({ hosts }) => formatNumber(hosts, 0),
  },
];

const CLOCKS: readonly Column<Clock>[] = [
  {
    key: "host",
    label: HEALTH.clockColumns.host,
    header: true,
    cell: ({ id, name }) => <a href={`/hosts/${id}`}>{name}</a>,
  },
  {
    key: "offset",
    label: HEALTH.clockColumns.offset,
    class: "number",
    cell: ({ offset }) => (offset > 0 ? HEALTH.behind : HEALTH.ahead)(formatDuration(Math.abs(offset))),
  },
];

function Agents({ agents }: MusterHealth) {
  if (agents.hosts === 0) return null;
  return (
    <Section title={HEALTH.agents}>
      <Table
        caption={HEALTH.agents}
        columns={VERSIONS}
        rows={agents.versions}
        rowKey={({ version }) => version}
      />
    </Section>
  );
}

function Clocks({ agents: { clocks } }: MusterHealth) {
  if (clocks.length === 0) return null;
  return (
    <Section title={HEALTH.clocks}>
      <Table caption={HEALTH.clocks} columns={CLOCKS} rows={clocks} rowKey={({ id }) => id} />
    </Section>
  );
}

/** In how many days the disk will be full, or that it will not be soon. */
function fullText(days: number): string {
  return days > FAR_DAYS ? HEALTH.notSoon : HEALTH.fullIn(counted(Math.floor(days), "day"));
}

function Database({ database, backup }: MusterHealth) {
  const { engine, bytes, growth, free, total, fulldays } = database;
  return (
    <Section title={HEALTH.database}>
      <Facts
        facts={[
          [HEALTH.engine, engine],
          [HEALTH.size, formatBytes(bytes)],
          [HEALTH.growth, growth === null ? HEALTH.notKnown : HEALTH.perDay(formatBytes(growth))],
          [
            HEALTH.free,
            free !== null && total !== null && HEALTH.ofTotal(formatBytes(free), formatBytes(total)),
          ],
          [HEALTH.full, fulldays !== null && fullText(fulldays)],
          [
            HEALTH.backup,
            backup.possible &&
              (backup.last === null ? (
                <a href="/settings/backups">{HEALTH.noBackup}</a>
              ) : (
                <Time at={backup.last} />
              )),
          ],
          [
            HEALTH.proven,
            backup.last !== null && (backup.proven === null ? HEALTH.notProven : <Time at={backup.proven} />),
          ],
        ]}
      />
    </Section>
  );
}

function Notifications({ channels, deliveries }: MusterHealth) {
  return (
    <Section title={HEALTH.notifications}>
      <Facts
        facts={[
          [
            HEALTH.failingChannels,
            <a key="channels" href="/alerts/channels">
              {formatNumber(channels.failing, 0)}
            </a>,
          ],
          [
            HEALTH.waitingDeliveries,
            <a key="deliveries" href="/alerts/deliveries">
              {formatNumber(deliveries.waiting, 0)}
            </a>,
          ],
          [HEALTH.oldest, deliveries.oldest !== null && <Time at={deliveries.oldest} />],
        ]}
      />
    </Section>
  );
}

function Work({ forecasts, compaction }: MusterHealth) {
  const { packedthrough } = compaction;
  return (
    <Section title={HEALTH.work}>
      <Facts
        facts={[
          [
            HEALTH.forecasts,
            forecasts.behind === 0 ? HEALTH.upToDate : HEALTH.behindBy(counted(forecasts.behind, "day")),
          ],
          [
            HEALTH.compaction,
            packedthrough === null ? (
              HEALTH.notKnown
            ) : (
              <>
                {HEALTH.packedUntil} <Time at={packedthrough} />
              </>
            ),
          ],
        ]}
      />
    </Section>
  );
}

const CERTIFICATES: readonly Column<Certificate>[] = [
  { key: "name", label: HEALTH.certificateColumns.name, header: true, cell: ({ name }) => name },
  {
    key: "expires",
    label: HEALTH.certificateColumns.expires,
    class: "grow",
    cell: ({ expires, problem }) => (expires === null ? problem : <Time at={expires} />),
  },
];

function Certificates({ certificates }: MusterHealth) {
  if (certificates.length === 0) return null;
  return (
    <Section title={HEALTH.certificates}>
      <Table
        caption={HEALTH.certificates}
        columns={CERTIFICATES}
        rows={certificates}
        rowKey={({ name }) => name}
      />
    </Section>
  );
}

/** Muster's own health: findings with what to do about them, and the figures behind them. */
export function HealthScreen() {
  const reply = useResource<MusterHealth>("/admin/health/get", {}, { every: LIVE_SECONDS, still: true });
  const state = reply.data.value?.state;
  return (
    <Page title={HEALTH.title} aside={state && <Led led={HEALTH_LEDS[state]} text={HEALTH.states[state]} />}>
      <Loaded from={reply}>
        {(health) => (
          <>
            <Findings {...health} onDone={() => void reply.refresh()} />
            <Messages {...health} />
            <Refused {...health} />
            <Agents {...health} />
            <Clocks {...health} />
            <Database {...health} />
            <Notifications {...health} />
            <Certificates {...health} />
            <Work {...health} />
          </>
        )}
      </Loaded>
      <Forgotten />
      <Nodes />
    </Page>
  );
}
