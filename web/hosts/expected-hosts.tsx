import type { ExpectedHost, ExpectedHostList, GroupList } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { groupNameIn } from "../text/names.ts";
import { Page } from "../ui/page.tsx";
import { controlColumn, NewButton, RowButton } from "../ui/record-list.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { keepFocus, useDialog } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { ExpectDialog } from "./expect-dialog.tsx";
import { EXPECTED } from "./expected-hosts.texts.ts";

const LIST_SECONDS = 10;
/** Rows of the table: more of them would take long to draw. */
const SHOWN = 500;

/** The name, which leads to the host that has it. */
function Name({ host: { hostname, hosts } }: { host: ExpectedHost }) {
  const [first] = hosts;
  return first === undefined ? hostname : <a href={`/hosts/${first}`}>{hostname}</a>;
}

function columnsOf(groupName: (id: number) => string): readonly Column<ExpectedHost>[] {
  const { columns, states } = EXPECTED;
  return [
    {
      key: "name",
      label: columns.name,
      header: true,
      class: "grow",
      order: (a, b) => a.hostname.localeCompare(b.hostname),
      cell: (host) => <Name host={host} />,
    },
    {
      key: "state",
      label: columns.state,
      class: "tight",
      order: (a, b) => states[a.state].localeCompare(states[b.state]),
      cell: ({ state }) => <span class="tag">{states[state]}</span>,
    },
    {
      key: "groups",
      label: columns.groups,
      class: "wide",
      cell: ({ hostgroups }) => hostgroups.map(groupName).join(", "),
    },
    { key: "tags", label: columns.tags, class: "wide", cell: ({ tags }) => tags.join(", ") },
    {
      key: "since",
      label: columns.since,
      class: "tight wide",
      order: (a, b) => a.created - b.created,
      cell: ({ created }) => <Time at={created} />,
    },
  ];
}

/** Hosts that are expected, and expected ones that have reported lately. */
export function ExpectedHostsScreen() {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const expected = useResource<ExpectedHostList>("/admin/expected/list", {}, { every: LIST_SECONDS });
  const groups = useResource<GroupList>("/admin/groups/list");
  const adding = useDialog<{ name: "add" }>(() => expected.refresh(), EXPECTED.added);
  const forget = async ({ id, hostname }: ExpectedHost) => {
    const isDone = await work.run(() => api.post("/admin/expected/delete", { id }));
    await expected.refresh();
    if (isDone) notify(EXPECTED.forgotten(hostname));
    keepFocus();
  };
  const controls = controlColumn<ExpectedHost>((host) => (
    <RowButton
      label={EXPECTED.forgetOf(host.hostname)}
      onClick={() => void forget(host)}
      disabled={work.busy.value}
    >
      {EXPECTED.forget}
    </RowButton>
  ));
  return (
    <Page
      title={EXPECTED.title}
      breadcrumbs={[[EXPECTED.hosts, "/hosts"]]}
      aside={<NewButton onClick={adding.open({ name: "add" })}>{EXPECTED.add}</NewButton>}
    >
      <p class="muted">{EXPECTED.intro}</p>
      <WorkError work={work} />
      <Loaded from={expected}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>{EXPECTED.none}</Empty>
          ) : (
            <Loaded from={groups}>
              {(list) => (
                <>
                  <SortedTable
                    caption={EXPECTED.title}
                    columns={[...columnsOf(groupNameIn(list)), controls]}
                    rows={records.slice(0, SHOWN)}
                    rowKey={({ id }) => id}
                    initial={{ key: "name", dir: "asc" }}
                  />
                  {records.length > SHOWN && <p class="muted">{EXPECTED.more(records.length - SHOWN)}</p>}
                </>
              )}
            </Loaded>
          )
        }
      </Loaded>
      {adding.dialog && <ExpectDialog onClose={adding.onClose} />}
    </Page>
  );
}
