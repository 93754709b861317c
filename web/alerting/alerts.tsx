import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { NoSuchPage } from "../shell/no-such-page.tsx";
import { useMuster } from "../state/muster.ts";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { ALERTS } from "./alerts.texts.ts";
import { Channels } from "./channels.tsx";
import { Deliveries } from "./deliveries.tsx";
import { EditScreen } from "./edit-screen.tsx";
import { MailReports } from "./mail-reports.tsx";
import { MaintenanceWindows } from "./maintenance.tsx";
import { Rehearsals } from "./rehearsals.tsx";
import { NEW_RULE, RuleForm } from "./rule-form.tsx";
import { Rules } from "./rules.tsx";
import type { Rule } from "./types.ts";

const HOME = "/alerts";

interface AlertsPart {
  path: string;
  name: string;
  /** Address and label of the link that creates a record. */
  create?: readonly [href: string, label: string];
  /** Only for administrators. */
  admin?: true;
  Part: ComponentType;
}

const PARTS: readonly AlertsPart[] = [
  { path: HOME, name: ALERTS.rules, create: ["/alerts/rules/edit", ALERTS.newRule], Part: Rules },
  {
    path: "/alerts/channels",
    name: ALERTS.channels,
    create: ["/alerts/channels?new=1", ALERTS.newChannel],
    admin: true,
    Part: Channels,
  },
  {
    path: "/alerts/maintenance",
    name: ALERTS.maintenance,
    create: ["/alerts/maintenance?new=1", ALERTS.newMaintenance],
    Part: MaintenanceWindows,
  },
  {
    path: "/alerts/reports",
    name: ALERTS.reports,
    create: ["/alerts/reports?new=1", ALERTS.newReport],
    admin: true,
    Part: MailReports,
  },
  {
    path: "/alerts/rehearsals",
    name: ALERTS.rehearsals,
    create: ["/alerts/rehearsals?new=1", ALERTS.newRehearsal],
    Part: Rehearsals,
  },
  { path: "/alerts/deliveries", name: ALERTS.deliveries, admin: true, Part: Deliveries },
];

/** Rules, channels and everything else about notifications, one section at a time. */
export function AlertsScreen() {
  const { router, session } = useMuster();
  const { path } = router.address.value;
  const isAdmin = session.isAdmin;
  const parts = PARTS.filter(({ admin }) => isAdmin || !admin);
  const here = parts.find((part) => part.path === path);
  const nav = useRef<HTMLElement>(null);
  // On a phone, the links may have to be scrolled to.
  useEffect(
    () =>
      nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }),
    [path],
  );
  if (!here) return <NoSuchPage />;
  const { Part } = here;
  return (
    <Page
      title={here.path === HOME ? ALERTS.title : ALERTS.partTitle(here.name)}
      heading={ALERTS.title}
      aside={
        here.create && (
          <a class="button primary" href={here.create[0]}>
            <Icon name="plus" />
            {here.create[1]}
          </a>
        )
      }
    >
      <nav ref={nav} class="parts" aria-label={ALERTS.parts}>
        {parts.map((part) => (
          <a key={part.path} href={part.path} aria-current={part === here ? "page" : undefined}>
            {part.name}
          </a>
        ))}
      </nav>
      <Part />
    </Page>
  );
}

/** The page of one rule, new or existing. */
export function RuleScreen() {
  return (
    <EditScreen<Rule>
      list={[ALERTS.title, HOME]}
      texts={{ noun: ALERTS.rule, creating: ALERTS.newRule, saved: ALERTS.ruleSaved }}
      source="/admin/rules/get"
      form={(rule, props) => <RuleForm {...props} rule={rule ?? NEW_RULE} />}
    />
  );
}
