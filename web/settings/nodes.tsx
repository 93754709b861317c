import type { ClusterNode, NodeList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Section } from "../ui/page.tsx";
import { Unread } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { ABOUT } from "./settings.texts.ts";

const LIVE_SECONDS = 5;
/** Age of a node's last report above which it is late, seconds. Nodes report every 5 seconds. */
const LATE_SECONDS = 30;

/** The state of a node. @param now unix seconds */
export function nodeState({ active, lastseen }: ClusterNode, now: number): string {
  if (active) return ABOUT.states.active;
  return now - lastseen > LATE_SECONDS ? ABOUT.states.notRunning : ABOUT.states.standby;
}

/** The nodes that share a database; nothing for a database file. Only for administrators. */
export function Nodes() {
  const { now } = useMuster();
  const list = useResource<NodeList>("/admin/nodes/list", {}, { every: LIVE_SECONDS });
  const nodes = list.data.value?.records ?? [];
  const columns: readonly Column<ClusterNode>[] = [
    { key: "name", label: ABOUT.nodeColumns.name, header: true, cell: ({ name }) => name },
    { key: "version", label: ABOUT.nodeColumns.version, cell: ({ version }) => version },
    { key: "state", label: ABOUT.nodeColumns.state, cell: (node) => nodeState(node, now.value) },
    { key: "lastseen", label: ABOUT.nodeColumns.seen, cell: ({ lastseen }) => <Time at={lastseen} /> },
  ];
  if (nodes.length === 0) return <Unread from={list} what={ABOUT.nodes} />;
  return (
    <Section title={ABOUT.nodes}>
      <Table caption={ABOUT.nodes} columns={columns} rows={nodes} rowKey={({ name }) => name} />
    </Section>
  );
}
