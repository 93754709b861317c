import { VERSION } from "../../src/platform/version.ts";
import type { ClusterNode, NodeList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Facts } from "../ui/facts.tsx";
import { Page, Section } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

const LIVE_SECONDS = 5;
/** A node says that it runs every 5 seconds; seconds. */
const LATE_SECONDS = 30;

/** What a node does. @param now unix seconds */
export function nodeState({ active, lastseen }: ClusterNode, now: number): string {
  if (active) return "Active";
  return now - lastseen > LATE_SECONDS ? "Not running" : "Standby";
}

function Nodes() {
  const { now } = useMuster();
  const nodes = useResource<NodeList>("/admin/nodes/list", {}, { every: LIVE_SECONDS }).data.value;
  const columns: readonly Column<ClusterNode>[] = [
    { key: "name", label: "Name", header: true, cell: ({ name }) => name },
    { key: "version", label: "Version", cell: ({ version }) => version },
    { key: "state", label: "State", cell: (node) => nodeState(node, now.value) },
    { key: "lastseen", label: "Last seen", cell: ({ lastseen }) => <Time at={lastseen} /> },
  ];
  if (!nodes || nodes.records.length === 0) return null;
  return (
    <Section title="Nodes">
      <Table caption="Nodes" columns={columns} rows={nodes.records} rowKey={({ name }) => name} />
    </Section>
  );
}

/** About Muster, with links to the description of its API. */
export function AboutScreen() {
  const { session } = useMuster();
  return (
    <Page title="About Muster">
      <p>
        Muster collects what Monit agents report, keeps it, and shows it: hosts, services, events, uptime and
        every number over time.
      </p>
      <Section title="This installation">
        <Facts
          facts={[
            ["Version", VERSION],
            ["Licence", "MIT"],
            ["API", "version 1, below /api/1"],
          ]}
        />
      </Section>
      {session.user.value?.admin && <Nodes />}
      <Section title="API">
        <p>
          Everything that these pages show and do, programs can do as well. Give them an API token of their
          own: <a href="/account">your account</a> makes them.
        </p>
        <ul class="links">
          <li>
            <a href="/api">Reference of all operations</a>
          </li>
          <li>
            <a href="/api/1/openapi.json">The same as an OpenAPI document</a>, for generators of clients
          </li>
        </ul>
      </Section>
      <Section title="Credits">
        <p>
          Built with Bun, Hono, Drizzle, Valibot, Preact and uPlot, under the MIT licence, and SQLite, in the
          public domain. Icons after Lucide, under the ISC licence. Monit and M/Monit are trademarks of
          Tildeslash Ltd, which this project is not affiliated with.
        </p>
      </Section>
    </Page>
  );
}
