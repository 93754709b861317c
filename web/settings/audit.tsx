import type { AuditEntry, AuditList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { fromLocalInput, toLocalInput } from "../text/format.ts";
import { Field } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

const LIVE_SECONDS = 10;
const PAGE_SIZE = 50;
const FILTER_NAMES = ["uname", "operation", "datefrom", "dateto"] as const;

/** A value of an entry's details as text. */
function valueText(value: unknown): string {
  if (value === null || value === "") return "nothing";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** One detail as text. The API represents a change as a pair of differing values. */
export function detailText(name: string, value: unknown): string {
  if (value === "(secret)") return `${name} changed`;
  if (Array.isArray(value) && value.length === 2 && value[0] !== value[1] && typeof value[0] !== "object")
    return `${name}: ${valueText(value[0])} \u2192 ${valueText(value[1])}`;
  return `${name}: ${valueText(value)}`;
}

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

/** What was done, as a verb: "Changed" for "admin/hosts/update". */
export function actionWords(operation: string): string {
  return ACTIONS[operation.split("/").at(-1) ?? ""] ?? operation;
}

function Who({ entry }: { entry: AuditEntry }) {
  return (
    <>
      {entry.uname || <span class="muted">not signed in</span>}
      {entry.via === "link" && <span class="tag">link in a message</span>}
      {entry.via === "token" && <span class="tag">token {entry.token}</span>}
    </>
  );
}

/** The object of the entry, linked to its page if there is one. */
function Subject({ entry }: { entry: AuditEntry }) {
  const { subject, subjectid, subjectname, operation } = entry;
  const name = subjectname || subjectid;
  if (!name) return <>{subject}</>;
  const isGone = operation.endsWith("/delete");
  const pages: Readonly<Record<string, string>> = {
    host: `/hosts/${subjectid}`,
    event: `/events/${subjectid}`,
    user: `/users/edit?uname=${encodeURIComponent(subjectid)}`,
  };
  const page = isGone ? undefined : pages[subject];
  return (
    <>
      {subject} {page ? <a href={page}>{name}</a> : name}
    </>
  );
}

function Details({ details }: { details: Record<string, unknown> }) {
  return (
    <ul class="values">
      {Object.entries(details).map(([name, value]) => (
        <li key={name}>{detailText(name, value)}</li>
      ))}
    </ul>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { key: "date", label: "Time", class: "tight", cell: (entry) => <Time at={entry.date} absolute /> },
  { key: "uname", label: "User", class: "medium", cell: (entry) => <Who entry={entry} /> },
  {
    key: "operation",
    label: "Action",
    header: true,
    class: "brief",
    cell: (entry) => (
      <>
        <span title={entry.operation}>{actionWords(entry.operation)}</span>
        <span class="narrow second">
          <Who entry={entry} /> <Subject entry={entry} />
        </span>
      </>
    ),
  },
  { key: "subject", label: "Target", class: "wide", cell: (entry) => <Subject entry={entry} /> },
  {
    key: "details",
    label: "Details",
    class: "wide grow",
    cell: (entry) => <Details details={entry.details} />,
  },
  { key: "address", label: "From", class: "wide", cell: (entry) => entry.address },
];

function Filters() {
  const { router } = useMuster();
  const { query } = router.address.value;
  const value = (name: string) => query.get(name) ?? "";
  const set = (name: string, text: string) => router.setQuery({ [name]: text, startindex: null });
  return (
    <search class="filters">
      {(["uname", "operation"] as const).map((name) => (
        <Field
          key={name}
          label={name === "uname" ? "User name" : "Operation"}
          type="search"
          placeholder={name === "uname" ? "All users" : "All operations"}
          value={value(name)}
          onChange={(event) => set(name, event.currentTarget.value)}
        />
      ))}
      {(["datefrom", "dateto"] as const).map((name) => (
        <Field
          key={name}
          label={name === "datefrom" ? "From" : "Until"}
          type="datetime-local"
          value={value(name) ? toLocalInput(Number(value(name))) : ""}
          onChange={(event) => set(name, String(fromLocalInput(event.currentTarget.value) ?? ""))}
        />
      ))}
    </search>
  );
}

/** The audit log, newest first. */
export function AuditScreen() {
  const { router } = useMuster();
  const { query } = router.address.value;
  const filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name)]));
  const start = Number(query.get("startindex")) || 0;
  const entries = useResource<AuditList>(
    "/admin/audit/list",
    { ...filter, results: PAGE_SIZE, startindex: start },
    { every: start > 0 ? 0 : LIVE_SECONDS, keepPrevious: true },
  );
  const go = (to: number) => {
    router.setQuery({ startindex: to > 0 ? String(to) : null });
    scrollTo(0, 0);
  };
  return (
    <Page title="Audit log">
      <Filters />
      <Loaded from={entries}>
        {({ records, startIndex, pageSize, totalRecords }) =>
          totalRecords === 0 ? (
            <Empty>
              {Object.values(filter).some((value) => value !== null)
                ? "No entry matches the filter."
                : "No entry yet."}
            </Empty>
          ) : (
            <>
              <Table caption="Audit log" columns={COLUMNS} rows={records} rowKey={(entry) => entry.id} />
              <Pager start={startIndex} size={pageSize} total={totalRecords} onGo={go} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
