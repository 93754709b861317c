import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { HostGroups, HostsSummary, MusterHealth, SignedInUser } from "../api/types.ts";
import { showBadge } from "../installed/install.ts";
import { Shortcuts } from "../palette/shortcuts.tsx";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { hostCountsText } from "../text/host-conditions.ts";
import { HEALTH_LEDS } from "../text/names.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Led } from "../ui/led.tsx";
import { Notices } from "../ui/notice.tsx";
import { overallStatusOf, SummaryContext } from "../ui/overall-status.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { showFavicon } from "./favicon.ts";
import { StaleBanner, Updated } from "./freshness.tsx";
import { LeaveDialog } from "./leave-dialog.tsx";
import { SHELL } from "./shell.texts.ts";

const SUMMARY_SECONDS = 5;
/** How often the health of Muster is read, seconds: it is evaluated once a minute. */
const HEALTH_SECONDS = 60;
/** How often the members of groups are read, seconds. The rights of some users depend on them. */
const GROUPS_SECONDS = 60;

/** A link with "manage" is also shown to users who manage host groups. */
type Link = readonly [href: string, text: string, icon: IconName, manage?: "manage"];
const MONITORING: readonly Link[] = [
  ["/", SHELL.overview, "overview"],
  ["/hosts", SHELL.hosts, "hosts"],
  ["/incidents", SHELL.incidents, "incidents"],
  ["/events", SHELL.events, "events"],
  ["/uptime", SHELL.uptime, "uptime"],
  ["/fleet", SHELL.fleet, "chart"],
  ["/on-call", SHELL.onCall, "phone"],
];
const HEALTH = "/health";
const ADMINISTRATION: readonly Link[] = [
  ["/alerts", SHELL.alerts, "bell", "manage"],
  ["/limits", SHELL.limits, "gauge", "manage"],
  ["/groups", SHELL.groups, "groups"],
  ["/users", SHELL.users, "users"],
  ["/status-pages", SHELL.statusPages, "page", "manage"],
  ["/keys", SHELL.keys, "key", "manage"],
  ["/settings", SHELL.settings, "settings"],
  [HEALTH, SHELL.health, "health"],
  ["/audit", SHELL.audit, "audit"],
];

/** Marks the worst finding about Muster itself; nothing until that is known. */
function HealthMark() {
  const health = useResource<MusterHealth>("/admin/health/get", {}, { every: HEALTH_SECONDS });
  const state = health.data.value?.state;
  return state ? <Led led={HEALTH_LEDS[state]} text={SHELL.healthMarks[state]} words="sr-only" /> : null;
}

function Links({ links, path }: { links: readonly Link[]; path: string }) {
  return (
    <ul class="nav-links">
      {links.map(([href, text, icon]) => {
        const here = href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
        return (
          <li key={href}>
            <a href={href} aria-current={here ? "page" : undefined}>
              <Icon name={icon} />
              {text}
              {href === HEALTH && <HealthMark />}
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function ThemeButton() {
  const { theme } = useMuster();
  const choice = theme.choice.value;
  const icon = { system: "contrast", light: "sun", dark: "moon" } as const;
  return (
    <button type="button" class="quiet" onClick={() => theme.next()} aria-label={SHELL.coloursOf[choice]}>
      <Icon name={icon[choice]} />
      <span>{SHELL.colours[choice]}</span>
    </button>
  );
}

function Brand() {
  return (
    <a class="brand" href="/">
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path d="M4 20V5l8 8 8-8v15" />
      </svg>
      {SHELL.product}
    </a>
  );
}

/** Age of the data, the user's own pages, the choice of colours and the sign-out. */
function MenuFoot({ user, path }: { user: SignedInUser; path: string }) {
  const { session } = useMuster();
  const leaving = useWork();
  return (
    <div class="side-foot">
      <Updated />
      <a
        class="side-user"
        href="/account"
        aria-current={path === "/account" ? "page" : undefined}
        title={user.fullname || user.uname}
      >
        <Icon name="account" />
        <span>{user.uname}</span>
      </a>
      <a class="side-user" href="/about" aria-current={path === "/about" ? "page" : undefined}>
        <Icon name="about" />
        <span>{SHELL.about}</span>
      </a>
      <ThemeButton />
      <WorkError work={leaving} />
      <button type="button" class="quiet" onClick={() => void leaving.run(() => session.signOut())}>
        <Icon name="signout" />
        <span>{SHELL.signOut}</span>
      </button>
    </div>
  );
}

/** The navigation. On narrow screens it is folded away behind a button, and a new page folds it again. */
function Sidebar({ user }: { user: SignedInUser }) {
  const { router, session } = useMuster();
  const open = useSignal(false);
  const administration = ADMINISTRATION.filter(
    ([, , , manage]) => user.admin || (manage && session.has("manage")),
  );
  const address = router.address.value;
  useEffect(() => {
    open.value = false;
  }, [address]);
  return (
    <header class="side">
      <div class="side-head">
        <Brand />
        <Shortcuts />
        <button
          type="button"
          class="quiet menu-button"
          aria-expanded={open.value}
          aria-controls="menu"
          onClick={() => {
            open.value = !open.value;
          }}
        >
          <Icon name={open.value ? "close" : "menu"} />
          {SHELL.menu}
        </button>
      </div>
      <div id="menu" class={open.value ? "menu menu-open" : "menu"}>
        <nav aria-label={SHELL.pages}>
          <Links links={MONITORING} path={address.path} />
          {administration.length > 0 && <p class="nav-title">{SHELL.administration}</p>}
          {administration.length > 0 && <Links links={administration} path={address.path} />}
        </nav>
        <MenuFoot user={user} path={address.path} />
      </div>
    </header>
  );
}

/** Keeps the members of groups up to date for a user whose rights depend on groups. */
function useGroupsOfRights(): void {
  const { session } = useMuster();
  const isBound = session.groupsOf("view") !== null;
  const groups = useResource<HostGroups>(
    "/status/hostgroups/list",
    {},
    { every: GROUPS_SECONDS, skip: !isBound, present: true },
  );
  useEffect(() => {
    session.groups.value = groups.data.value;
  }, [groups.data.value]);
}

/** The frame around every screen. It reads the summary of all hosts, shows it in the favicon and announces changes. */
export function Shell({ user, children }: { user: SignedInUser; children: ComponentChildren }) {
  const { api, at } = useMuster();
  const announce = useAnnounce();
  useGroupsOfRights();
  const summary = useResource<HostsSummary>("/status/hosts/summary", {}, { every: SUMMARY_SECONDS });
  const overall = overallStatusOf(summary.data.value, api.connection.value.lost, at.value);

  useEffect(() => showFavicon(overall.kind), [overall.kind]);
  useEffect(() => {
    if (overall.kind !== "past") showBadge(overall.count);
  }, [overall.kind, overall.count]);
  useEffect(() => () => showFavicon("unknown"), []);
  const countsText = hostCountsText(summary.data.value);
  useEffect(() => {
    if (countsText) announce(countsText);
  }, [countsText]);

  return (
    <SummaryContext.Provider value={summary}>
      <a class="skip" href="#content">
        {SHELL.skip}
      </a>
      <div class="shell">
        <Sidebar user={user} />
        <main id="content" class="content">
          <StaleBanner />
          {children}
          <Notices />
        </main>
        <LeaveDialog />
      </div>
    </SummaryContext.Provider>
  );
}
