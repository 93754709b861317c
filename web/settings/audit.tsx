import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Names } from "../alerting/descriptions.ts";
import { useReferences } from "../alerting/references.ts";
import type { AuditEntry, AuditList } from "../api/types.ts";
import { timeIn } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { whenReleased } from "../state/release.ts";
import { wholeNumber } from "../state/router.ts";
import { CopyButton } from "../ui/copy.tsx";
import { DateRange } from "../ui/date-range.tsx";
import { Field } from "../ui/fields.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Empty, ErrorMessage, Loaded, Loading } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { detailLines } from "./audit-details.ts";
import { AUDIT } from "./settings.texts.ts";

const LIVE_SECONDS = 10;
const PAGE_SIZE = 50;
const FILTER_NAMES = ["uname", "operation", "datefrom", "dateto"] as const;

/** The names of what entries refer to; null: they could not be read. */
const NamesContext = createContext<Names | null>(null);

function Who({ entry }: { entry: AuditEntry }) {
  return (
    <>
      {entry.uname || <span class="muted">{AUDIT.notSignedIn}</span>}
      {entry.via === "link" && <span class="tag">{AUDIT.link}</span>}
      {entry.via === "token" && <span class="tag">{AUDIT.token(entry.token)}</span>}
    </>
  );
}

/** The object of the entry, linked to its page if there is one. */
function Subject({ entry }: { entry: AuditEntry }) {
  const { subjectid, subjectname, operation } = entry;
  const subject = AUDIT.subjects[entry.subject] ?? entry.subject;
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
    <span class="in-text">
      {subject} {page ? <a href={page}>{name}</a> : name}
    </span>
  );
}

/** What changed, a line for each value, and the same as JSON to copy. */
function Details({ entry: { operation, details } }: { entry: AuditEntry }) {
  const lines = detailLines(operation, details, useContext(NamesContext));
  if (lines.length === 0) return null;
  return (
    <div class="audit-details">
      <ul>
        {/* Two lines can read the same; their order never changes. */}
        {lines.map((line, i) => (
          <li key={i}>{line}</li>
        ))}
      </ul>
      <CopyButton text={JSON.stringify(details, null, 2)} label={AUDIT.json} small />
    </div>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    key: "date",
    label: AUDIT.columns.date,
    class: "tight",
    cell: (entry) => <Time at={entry.date} absolute />,
  },
  { key: "uname", label: AUDIT.columns.user, class: "medium", cell: (entry) => <Who entry={entry} /> },
  {
    key: "operation",
    label: AUDIT.columns.action,
    header: true,
    class: "brief",
    cell: (entry) => (
      <>
        <span title={entry.operation}>{AUDIT.action(entry.operation)}</span>
        <span class="narrow second">
          <Who entry={entry} /> <Subject entry={entry} />
        </span>
        <div class="narrow second">
          <Details entry={entry} />
        </div>
      </>
    ),
  },
  { key: "subject", label: AUDIT.columns.target, class: "wide", cell: (entry) => <Subject entry={entry} /> },
  {
    key: "details",
    label: AUDIT.columns.details,
    class: "wide grow",
    cell: (entry) => <Details entry={entry} />,
  },
  { key: "address", label: AUDIT.columns.from, class: "wide", cell: (entry) => entry.address },
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
          label={AUDIT.filters[name][0]}
          type="search"
          placeholder={AUDIT.filters[name][1]}
          value={value(name)}
          onChange={({ currentTarget: { value: text } }) => whenReleased(() => set(name, text))}
        />
      ))}
      <DateRange
        from={timeIn(query, "datefrom")}
        until={timeIn(query, "dateto")}
        onChange={(from, until) =>
          router.setQuery({ datefrom: String(from ?? ""), dateto: String(until ?? ""), startindex: null })
        }
      />
    </search>
  );
}

/** The audit log, newest first. */
export function AuditScreen() {
  const { router } = useMuster();
  const { query } = router.address.value;
  const filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name)]));
  const start = wholeNumber(query.get("startindex"));
  const entries = useResource<AuditList>(
    "/admin/audit/list",
    { ...filter, results: PAGE_SIZE, startindex: start },
    { every: start > 0 ? 0 : LIVE_SECONDS, keepPrevious: true },
  );
  const { loaded, names, error, retry } = useReferences();
  const go = (to: number) => {
    router.setQuery({ startindex: to > 0 ? String(to) : null });
    scrollTo(0, 0);
  };
  return (
    <Page title={AUDIT.title}>
      <Filters />
      {error && <ErrorMessage error={error} what={AUDIT.names} retry={retry} />}
      <Loaded from={entries}>
        {({ records, startIndex, pageSize, totalRecords }) =>
          !loaded && !error ? (
            <Loading />
          ) : totalRecords === 0 ? (
            <Empty>
              {Object.values(filter).some((value) => value !== null) ? AUDIT.noneMatches : AUDIT.none}
            </Empty>
          ) : (
            <NamesContext.Provider value={loaded ? names : null}>
              <Table caption={AUDIT.title} columns={COLUMNS} rows={records} rowKey={(entry) => entry.id} />
              <Pager start={startIndex} size={pageSize} total={totalRecords} onGo={go} />
            </NamesContext.Provider>
          )
        }
      </Loaded>
    </Page>
  );
}
