import type { SessionList, SessionRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Section } from "../ui/page.tsx";
import { controlColumn, RowButton } from "../ui/record-list.tsx";
import { Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { SESSIONS } from "./users.texts.ts";

const LIVE_SECONDS = 60;

/**
 * Parts of user agents with the browser that they indicate. Browsers whose user agent also names another one come
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
  if (!browser) return useragent || SESSIONS.unknownBrowser;
  return system ? SESSIONS.browserOn(browser, system) : browser;
}

const COLUMNS: readonly Column<SessionRecord>[] = [
  {
    key: "browser",
    label: SESSIONS.columns.browser,
    header: true,
    class: "grow",
    cell: (session) => (
      <>
        <span title={session.useragent}>{browserName(session.useragent)}</span>
        {session.current && <span class="tag">{SESSIONS.thisOne}</span>}
        <span class="narrow second">{session.address}</span>
      </>
    ),
  },
  { key: "address", label: SESSIONS.columns.address, class: "wide", cell: (session) => session.address },
  {
    key: "created",
    label: SESSIONS.columns.since,
    class: "number wide",
    cell: (session) => <Time at={session.created} />,
  },
  {
    key: "used",
    label: SESSIONS.columns.used,
    class: "number",
    cell: (session) => <Time at={session.used} />,
  },
];

const endColumn = (onEnd: (session: SessionRecord) => () => void) =>
  controlColumn<SessionRecord>(
    (session) =>
      !session.current && (
        <RowButton
          label={SESSIONS.endOf(browserName(session.useragent), session.address)}
          onClick={onEnd(session)}
        >
          {SESSIONS.end}
        </RowButton>
      ),
  );

/** The sessions of the signed-in user. Each except the current one has a button that ends it. */
export function Sessions() {
  const { api } = useMuster();
  const sessions = useResource<SessionList>("/session/list", {}, { every: LIVE_SECONDS });
  const ending = useDialog<SessionRecord>(() => sessions.refresh(), SESSIONS.ended);
  const session = ending.dialog;
  return (
    <Section title={SESSIONS.title}>
      <Loaded from={sessions}>
        {({ records }) => (
          <Table
            caption={SESSIONS.caption}
            columns={[...COLUMNS, endColumn(ending.open)]}
            rows={records}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
      {session && (
        <FormDialog
          title={SESSIONS.endTitle}
          verb={SESSIONS.endVerb}
          danger
          act={() => api.post("/session/revoke", { id: session.id })}
          onClose={ending.onClose}
        >
          <p>{SESSIONS.endHint(browserName(session.useragent), session.address)}</p>
        </FormDialog>
      )}
    </Section>
  );
}
