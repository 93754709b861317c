import type { ComponentType } from "preact";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { ErrorMessage, Loaded } from "../ui/states.tsx";
import { Channels } from "./channels.tsx";
import { Deliveries } from "./deliveries.tsx";
import { MaintenanceWindows } from "./maintenance.tsx";
import { useReferences } from "./references.ts";
import { NEW_RULE, RuleForm } from "./rule-form.tsx";
import { Rules } from "./rules.tsx";
import type { Rule } from "./types.ts";

const HOME = "/alerts";

interface AlertsPart {
  path: string;
  name: string;
  /** Address and label of the link that makes a new one. */
  create?: readonly [href: string, label: string];
  Part: ComponentType;
}

const PARTS: readonly AlertsPart[] = [
  { path: HOME, name: "Rules", create: ["/alerts/rules/edit", "New rule"], Part: Rules },
  {
    path: "/alerts/channels",
    name: "Channels",
    create: ["/alerts/channels?new=1", "New channel"],
    Part: Channels,
  },
  {
    path: "/alerts/maintenance",
    name: "Maintenance",
    create: ["/alerts/maintenance?new=1", "New maintenance"],
    Part: MaintenanceWindows,
  },
  { path: "/alerts/deliveries", name: "Deliveries", Part: Deliveries },
];

/** Who is notified of what: four parts, one shown at a time. */
export function AlertsScreen() {
  const { router } = useMuster();
  const { path } = router.address.value;
  const here = PARTS.find((part) => part.path === path) ?? PARTS[0];
  if (!here) return null;
  const { Part } = here;
  return (
    <Page
      title={here.path === HOME ? "Alerts" : `Alerts: ${here.name}`}
      heading="Alerts"
      aside={
        here.create && (
          <a class="button primary" href={here.create[0]}>
            <Icon name="plus" />
            {here.create[1]}
          </a>
        )
      }
    >
      <nav class="parts" aria-label="Parts of alerts">
        {PARTS.map((part) => (
          <a key={part.path} href={part.path} aria-current={part === here ? "page" : undefined}>
            {part.name}
          </a>
        ))}
      </nav>
      <Part />
    </Page>
  );
}

function Existing({ id, ...rest }: Omit<Parameters<typeof RuleForm>[0], "rule" | "id"> & { id: number }) {
  const rule = useResource<Rule>("/admin/rules/get", { id });
  return <Loaded from={rule}>{(data) => <RuleForm {...rest} id={id} rule={data} />}</Loaded>;
}

/** The page of one rule, new or existing. */
export function RuleScreen() {
  const { router } = useMuster();
  const notify = useNotify();
  const references = useReferences();
  const id = router.address.value.query.get("id");
  const rest = {
    references,
    onSaved: () => {
      notify("Rule saved");
      router.go(HOME);
    },
    onCancel: () => router.go(HOME),
  };
  return (
    <Page title={id === null ? "New rule" : "Rule"} breadcrumbs={[["Alerts", HOME]]}>
      {!references.loaded &&
        (references.error ? (
          <ErrorMessage error={references.error} />
        ) : (
          <p class="loading" aria-busy="true">
            Loading...
          </p>
        ))}
      {references.loaded &&
        (id === null ? (
          <RuleForm {...rest} id={null} rule={NEW_RULE} />
        ) : (
          <Existing key={id} {...rest} id={Number(id)} />
        ))}
    </Page>
  );
}
