import { useSignal } from "@preact/signals";
import type { SessionList, SessionRecord } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

const LIVE_SECONDS = 60;

/** Marks of browsers and their names, those that also carry another's mark first. */
const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
  ["curl/", "curl"],
] as const;

/** Browser and system out of what a browser says of itself; the whole text when it is neither. */
export function browserName(useragent: string): string {
  const browser = BROWSERS.find(([mark]) => useragent.includes(mark))?.[1];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux|FreeBSD/.exec(useragent)?.[0];
  if (!browser) return useragent || "unknown";
  return system ? `${browser} on ${system}` : browser;
}

/** Where the signed-in user is signed in, each with a way to end it. */
export function Sessions() {
  const { api } = useMuster();
  const announce = useAnnounce();
  const sessions = useResource<SessionList>("/session/list", {}, { every: LIVE_SECONDS });
  const ending = useSignal<SessionRecord | null>(null);
  const gone = ending.value;
  const columns: readonly Column<SessionRecord>[] = [
    {
      key: "browser",
      label: "Browser",
      header: true,
      class: "grow",
      cell: (one) => (
        <>
          <span title={one.useragent}>{browserName(one.useragent)}</span>
          {one.current && <span class="tag">this one</span>}
          <span class="narrow second">{one.address}</span>
        </>
      ),
    },
    { key: "address", label: "Address", class: "wide", cell: (one) => one.address },
    { key: "created", label: "Since", class: "number wide", cell: (one) => <Time at={one.created} /> },
    { key: "used", label: "Last used", class: "number", cell: (one) => <Time at={one.used} /> },
    {
      key: "control",
      label: "Actions",
      class: "tight",
      cell: (one) =>
        !one.current && (
          <button
            type="button"
            class="small"
            onClick={() => {
              ending.value = one;
            }}
          >
            End
            <span class="unseen">
              {" "}
              session of {browserName(one.useragent)}, {one.address}
            </span>
          </button>
        ),
    },
  ];
  return (
    <Section title="Where you are signed in">
      <Loaded from={sessions}>
        {({ records }) => (
          <Table caption="Your sessions" columns={columns} rows={records} rowKey={(one) => one.id} />
        )}
      </Loaded>
      {gone && (
        <Confirm
          title="End this session?"
          verb="End session"
          danger
          act={() => api.post("/session/revoke", { id: gone.id })}
          onClose={(done) => {
            ending.value = null;
            if (!done) return;
            announce("Session ended");
            void sessions.refresh();
          }}
        >
          <p>
            {browserName(gone.useragent)} at {gone.address} has to sign in again.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
