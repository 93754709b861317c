import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { asApiError } from "./api/client.ts";
import { OverviewScreen } from "./overview/overview.tsx";
import { NoSuchPage } from "./shell/no-such-page.tsx";
import { SHELL } from "./shell/shell.texts.ts";
import { Shell } from "./shell/shell.tsx";
import { useMuster, useNotify } from "./state/muster.ts";
import { match } from "./state/router.ts";
import { LazyScreen } from "./ui/lazy-screen.tsx";
import { ErrorMessage, Loading } from "./ui/states.tsx";
import { UI } from "./ui/ui.texts.ts";
import { opensDialog } from "./ui/use-dialog.ts";
import { useWork } from "./ui/work.tsx";
import { SignIn } from "./users/sign-in.tsx";

/** Screens that are not usually opened first. Their code is loaded when they are opened. */
const hosts = async () => (await import("./hosts/hosts.tsx")).HostsScreen;
const host = async () => (await import("./hosts/host.tsx")).HostOfAddress;
const service = async () => (await import("./services/service.tsx")).ServiceOfAddress;
const events = async () => (await import("./events/events.tsx")).EventsScreen;
const event = async () => (await import("./events/event.tsx")).EventOfAddress;
const incidents = async () => (await import("./incidents/incidents.tsx")).IncidentsScreen;
const incident = async () => (await import("./incidents/incident.tsx")).IncidentOfAddress;
const alerts = async () => (await import("./alerting/alerts.tsx")).AlertsScreen;
const rule = async () => (await import("./alerting/alerts.tsx")).RuleScreen;
const mailReport = async () => (await import("./alerting/mail-report.tsx")).MailReportScreen;
const rehearsal = async () => (await import("./alerting/rehearsal.tsx")).RehearsalScreen;
const onCall = async () => (await import("./alerting/on-call.tsx")).OnCallScreen;
const users = async () => (await import("./users/users.tsx")).UsersScreen;
const user = async () => (await import("./users/user.tsx")).UserOfAddress;
const account = async () => (await import("./users/account.tsx")).AccountScreen;
const groups = async () => (await import("./groups/groups.tsx")).GroupsScreen;
const changeHosts = async () => (await import("./hosts/change-hosts.tsx")).ChangeHostsScreen;
const deletedHosts = async () => (await import("./hosts/deleted-hosts.tsx")).DeletedHostsScreen;
const expectedHosts = async () => (await import("./hosts/expected-hosts.tsx")).ExpectedHostsScreen;
const hostSettings = async () => (await import("./hosts/host-settings.tsx")).HostSettingsOfAddress;
const uptime = async () => (await import("./uptime/uptime.tsx")).UptimeOfAddress;
const setup = async () => (await import("./collector/setup.tsx")).SetupScreen;
const keys = async () => (await import("./collector/keys.tsx")).KeysScreen;
const key = async () => (await import("./collector/key.tsx")).KeyOfAddress;
const settings = async () => (await import("./settings/settings.tsx")).SettingsScreen;
const backups = async () => (await import("./settings/backups.tsx")).BackupsScreen;
const about = async () => (await import("./settings/about.tsx")).AboutScreen;
const health = async () => (await import("./settings/health.tsx")).HealthScreen;
const audit = async () => (await import("./settings/audit.tsx")).AuditScreen;
const wall = async () => (await import("./fleet/wall.tsx")).WallScreen;
const fleet = async () => (await import("./fleet/fleet.tsx")).FleetScreen;
const limits = async () => (await import("./limits/limits.tsx")).LimitsScreen;
const limit = async () => (await import("./limits/limit.tsx")).LimitScreen;
const statusPages = async () => (await import("./status-pages/status-pages.tsx")).StatusPagesScreen;
const past = async () => (await import("./moment/past.tsx")).Past;

interface Route {
  pattern: string;
  admin?: boolean;
  /** For those who manage host groups. */
  manage?: boolean;
  /** It also shows a moment in the past. */
  past?: boolean;
  screen: () => ComponentChildren;
}

/** A screen whose code is loaded when it is opened. It keeps its state from one of its addresses to another. */
const lazy = (load: () => Promise<ComponentType>) => () => <LazyScreen key={load} load={load} />;

/** Every page of the UI. No path may be one that the service itself serves. */
const ROUTES: readonly Route[] = [
  { pattern: "/", past: true, screen: () => <OverviewScreen /> },
  { pattern: "/setup", admin: true, screen: lazy(setup) },
  { pattern: "/hosts", past: true, screen: lazy(hosts) },
  { pattern: "/hosts/change", admin: true, screen: lazy(changeHosts) },
  { pattern: "/hosts/deleted", admin: true, screen: lazy(deletedHosts) },
  { pattern: "/hosts/expected", manage: true, screen: lazy(expectedHosts) },
  { pattern: "/hosts/:id", past: true, screen: lazy(host) },
  { pattern: "/hosts/:id/settings", manage: true, screen: lazy(hostSettings) },
  { pattern: "/hosts/:id/services/:service", past: true, screen: lazy(service) },
  { pattern: "/incidents", past: true, screen: lazy(incidents) },
  { pattern: "/incidents/:id", past: true, screen: lazy(incident) },
  { pattern: "/events", past: true, screen: lazy(events) },
  { pattern: "/events/:id", past: true, screen: lazy(event) },
  { pattern: "/uptime", past: true, screen: lazy(uptime) },
  { pattern: "/uptime/:id", past: true, screen: lazy(uptime) },
  { pattern: "/fleet", past: true, screen: lazy(fleet) },
  { pattern: "/groups", admin: true, screen: lazy(groups) },
  { pattern: "/users", admin: true, screen: lazy(users) },
  { pattern: "/users/edit", admin: true, screen: lazy(user) },
  { pattern: "/alerts", manage: true, screen: lazy(alerts) },
  { pattern: "/alerts/rules/edit", manage: true, screen: lazy(rule) },
  { pattern: "/alerts/:part", manage: true, screen: lazy(alerts) },
  { pattern: "/mail-reports/:id", screen: lazy(mailReport) },
  { pattern: "/rehearsals/:id", manage: true, screen: lazy(rehearsal) },
  { pattern: "/on-call", screen: lazy(onCall) },
  { pattern: "/limits", manage: true, screen: lazy(limits) },
  { pattern: "/limits/edit", manage: true, screen: lazy(limit) },
  { pattern: "/status-pages", manage: true, screen: lazy(statusPages) },
  { pattern: "/keys", manage: true, screen: lazy(keys) },
  { pattern: "/keys/:id", manage: true, screen: lazy(key) },
  { pattern: "/account", screen: lazy(account) },
  { pattern: "/settings", admin: true, screen: lazy(settings) },
  { pattern: "/settings/backups", admin: true, screen: lazy(backups) },
  { pattern: "/health", admin: true, screen: lazy(health) },
  { pattern: "/audit", admin: true, screen: lazy(audit) },
  { pattern: "/about", screen: lazy(about) },
];

function Screen({ admin }: { admin: boolean }) {
  const { at, router, session } = useMuster();
  const { path } = router.address.value;
  for (const route of ROUTES) {
    if (!match(route.pattern, path)) continue;
    const isFor = admin || !(route.admin || (route.manage && !session.has("manage")));
    // Not the next route: "/hosts/change" is not a host.
    if (!isFor) break;
    const screen = route.screen();
    if (at.value === null) return <>{screen}</>;
    return <LazyScreen load={past} props={{ hasPast: route.past === true, children: screen }} />;
  }
  return <NoSuchPage />;
}

/** Restores the session of the browser, then shows the page of the address or the sign-in. */
function SessionApp() {
  const { session, replies, announcements, drafts, router } = useMuster();
  const notify = useNotify();
  const user = session.user.value;
  const start = useWork();
  const restore = () =>
    start.run(async () => {
      try {
        await session.restore();
      } catch (error) {
        // 401 only means that nobody is signed in.
        if (asApiError(error).status !== 401) throw error;
      }
    });
  useEffect(() => void restore(), []);
  useEffect(() => session.watch(), []);
  // The next user must not see replies and announcements that only the previous one may read.
  useEffect(() => {
    if (user !== null) return;
    replies.clear();
    announcements.value = [];
  }, [user]);
  const uname = user?.uname;
  const shownName = useRef(uname);
  useEffect(() => {
    // A sign-in on this page passes through the form, where there is no user.
    if (uname !== undefined && shownName.current !== undefined && shownName.current !== uname)
      notify(SHELL.otherUser(uname), { kind: "news" });
    shownName.current = uname;
  }, [uname]);
  const changes = session.accessChanges.value;
  useEffect(() => {
    // A dialog for what the user may no longer do is closed by now.
    if (changes > 0) notify(SHELL.accessChanged, { kind: "news" });
  }, [changes]);
  const held = session.heldChanges.value;
  useEffect(() => {
    if (held > 0) notify(SHELL.accessHeld, { kind: "news" });
  }, [held]);
  // A dialog opens only at a click. One that the address opens takes its draft back automatically.
  useEffect(() => {
    if (uname === undefined || drafts.dialog === null || opensDialog(router.address.peek())) return;
    notify(UI.typedIsKept(drafts.dialog), { kind: "news" });
  }, [uname]);

  return (
    <>
      {user === undefined && (
        <main class="alone">
          {start.error.value ? (
            <ErrorMessage error={start.error.value} retry={() => void restore()} />
          ) : (
            <Loading />
          )}
        </main>
      )}
      {user === null && <SignIn />}
      {user && (
        <Shell key={user.uname} user={user}>
          <Screen admin={user.admin} />
        </Shell>
      )}
      <div class="sr-only" role="log" aria-live="polite">
        {announcements.value.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </>
  );
}

/** A wall needs no user; every other page does. */
export function App() {
  const { router } = useMuster();
  const { path, query } = router.address.value;
  return path === "/fleet" && query.has("kiosk") ? <LazyScreen key="wall" load={wall} /> : <SessionApp />;
}
