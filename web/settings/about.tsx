import { VERSION } from "../../src/platform/version.ts";
import type { ClusterNode, NodeList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Facts } from "../ui/facts.tsx";
import { Page, Section } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { ABOUT } from "./settings.texts.ts";

const LIVE_SECONDS = 5;
/** A node says that it runs every 5 seconds; seconds. */
const LATE_SECONDS = 30;

/** What a node does. @param now unix seconds */
export function nodeState({ active, lastseen }: ClusterNode, now: number): string {
  if (active) return ABOUT.states.active;
  return now - lastseen > LATE_SECONDS ? ABOUT.states.notRunning : ABOUT.states.standby;
}

function Nodes() {
  const { now } = useMuster();
  const nodes = useResource<NodeList>("/admin/nodes/list", {}, { every: LIVE_SECONDS }).data.value;
  const columns: readonly Column<ClusterNode>[] = [
    { key: "name", label: ABOUT.nodeColumns.name, header: true, cell: ({ name }) => name },
    { key: "version", label: ABOUT.nodeColumns.version, cell: ({ version }) => version },
    { key: "state", label: ABOUT.nodeColumns.state, cell: (node) => nodeState(node, now.value) },
    { key: "lastseen", label: ABOUT.nodeColumns.seen, cell: ({ lastseen }) => <Time at={lastseen} /> },
  ];
  if (!nodes || nodes.records.length === 0) return null;
  return (
    <Section title={ABOUT.nodes}>
      <Table caption={ABOUT.nodes} columns={columns} rows={nodes.records} rowKey={({ name }) => name} />
    </Section>
  );
}

/** About Muster, with links to the description of its API. */
export function AboutScreen() {
  const { session } = useMuster();
  return (
    <Page title={ABOUT.title}>
      <p>{ABOUT.what}</p>
      <Section title={ABOUT.installation}>
        <Facts
          facts={[
            [ABOUT.version, VERSION],
            [ABOUT.licence, ABOUT.mit],
            [ABOUT.api, ABOUT.apiVersion],
          ]}
        />
      </Section>
      {session.user.value?.admin && <Nodes />}
      <Section title={ABOUT.api}>
        <p>
          {ABOUT.apiHint} <a href="/account">{ABOUT.makeToken}</a>
        </p>
        <ul class="links">
          <li>
            <a href="/api">{ABOUT.reference}</a>
          </li>
          <li>
            <a href="/api/1/openapi.json">{ABOUT.openApi}</a>
          </li>
        </ul>
      </Section>
      <Section title={ABOUT.credits}>
        <p>{ABOUT.creditsText}</p>
      </Section>
    </Page>
  );
}
