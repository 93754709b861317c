import { useSignal } from "@preact/signals";
import type { SessionList, SessionRecord } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

const LIVE_SECONDS = 60;

/**
 * What a user agent contains, and the browser it names. Browsers that also claim to be another one come
 * first.
 */
const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
  ["curl/", "curl"],
] as const;

/** Browser and operating system of a User-Agent header; the header itself when it names no known browser. */
export function browserName(useragent: string): string {
  const browser = BROWSERS.find(([mark]) => useragent.includes(mark))?.[1];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux|FreeBSD/.exec(useragent)?.[0];
  if (!browser) return useragent || "unknown";
  return system ? `${browser} on ${system}` : browser;
}

const COLUMNS: readonly Column<SessionRecord>[] = [
  {
    key: "browser",
    label: "Browser",
    header: true,
    class: "grow",
    cell: (session) => (
      <>
        <span title={session.useragent}>{browserName(session.useragent)}</span>
        {session.current && <span class="tag">this one</span>}
        <span class="narrow second">{session.address}</span>
      </>
    ),
  },
  { key: "address", label: "Address", class: "wide", cell: (session) => session.address },
  { key: "created", label: "Since", class: "number wide", cell: (session) => <Time at={session.created} /> },
  { key: "used", label: "Last used", class: "number", cell: (session) => <Time at={session.used} /> },
];

const endColumn = (onEnd: (session: SessionRecord) => void): Column<SessionRecord> => ({
  key: "control",
  label: "Actions",
  class: "tight",
  cell: (session) =>
    !session.current && (
      <button type="button" class="small" onClick={() => onEnd(session)}>
        End
        <span class="sr-only">
          {" "}
          session of {browserName(session.useragent)}, {session.address}
        </span>
      </button>
    ),
});

/** The sessions of the signed-in user, each but the current one with a button that ends it. */
export function Sessions() {
  const { api } = useMuster();
  const notify = useNotify();
  const sessions = useResource<SessionList>("/session/list", {}, { every: LIVE_SECONDS });
  const ending = useSignal<SessionRecord | null>(null);
  const session = ending.value;
  const onEnd = (chosen: SessionRecord) => {
    ending.value = chosen;
  };
  return (
    <Section title="Where you are signed in">
      <Loaded from={sessions}>
        {({ records }) => (
          <Table
            caption="Your sessions"
            columns={[...COLUMNS, endColumn(onEnd)]}
            rows={records}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
      {session && (
        <Confirm
          title="End this session?"
          verb="End session"
          danger
          act={() => api.post("/session/revoke", { id: session.id })}
          onClose={(done) => {
            ending.value = null;
            if (!done) return;
            notify("Session ended");
            void sessions.refresh();
          }}
        >
          <p>
            {browserName(session.useragent)} at {session.address} has to sign in again.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
