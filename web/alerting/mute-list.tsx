import type { Session } from "../api/session.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Section } from "../ui/page.tsx";
import { controlColumn, RecordTable, RowButton } from "../ui/record-list.tsx";
import { Loaded } from "../ui/states.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { type Names, scopeText } from "./descriptions.ts";
import { MUTES } from "./mutes.texts.ts";
import type { Mute, MuteList as Mutes, Records, Rule } from "./types.ts";

const REFRESH_SECONDS = 10;

/** Names of rules by id. A deleted rule, or one hidden from the user, is named by its id. */
function ruleNameIn(rules: readonly Rule[]): (id: number) => string {
  const names = new Map(rules.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? String(id);
}

function whatText({ filter }: Mute, names: Names, ruleName: (id: number) => string): string {
  const rules = (filter.rules ?? []).map((id) => MUTES.rule(ruleName(id))).join(", ");
  if (rules === "") return scopeText(filter, names);
  const hasScope = filter.hosts ?? filter.hostgroups ?? filter.tags ?? filter.servicenames;
  return hasScope ? MUTES.rulesWithin(rules, scopeText(filter, names)) : rules;
}

/** Whether the mute covers only hosts that the user operates. */
export function mayEnd({ filter: { hosts, hostgroups } }: Mute, session: Session): boolean {
  if (session.groupsOf("operate") === null) return true;
  if (hostgroups) return hostgroups.every((id) => session.may("operate", [{ id }]));
  return hosts?.every((id) => session.mayOn("operate", id)) ?? false;
}

/** The mutes that have not ended, each with a button that ends it. */
export function MuteList({ names }: { names: Names }) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const mutes = useResource<Mutes>("/mutes/list", {}, { every: REFRESH_SECONDS });
  const rules = useResource<Records<Rule>>("/admin/rules/list");
  const ruleName = ruleNameIn(rules.data.value?.records ?? []);
  const end = (mute: Mute) =>
    work.run(async () => {
      await api.post("/mutes/delete", { id: mute.id });
      notify(MUTES.ended);
      await mutes.refresh();
      keepFocus();
    });
  const { columns: heads } = MUTES;
  const columns: readonly Column<Mute>[] = [
    {
      key: "what",
      label: heads.what,
      header: true,
      class: "grow",
      cell: (mute) => (
        <>
          {whatText(mute, names, ruleName)}
          {mute.note !== "" && <p class="row-text">{mute.note}</p>}
          {mute.lease && <p class="row-text">{MUTES.leased}</p>}
        </>
      ),
    },
    { key: "until", label: heads.until, cell: (mute) => <Time at={mute.to} /> },
    { key: "by", label: heads.by, class: "wide", cell: (mute) => mute.uname },
    controlColumn(
      (mute) =>
        mayEnd(mute, session) && (
          <RowButton
            label={MUTES.endNowOf(whatText(mute, names, ruleName))}
            disabled={work.busy.value}
            onClick={() => void end(mute)}
          >
            {MUTES.endNow}
          </RowButton>
        ),
    ),
  ];
  return (
    <Section title={MUTES.list}>
      <WorkError work={work} />
      <Loaded from={rules}>
        {() => <RecordTable from={mutes} caption={MUTES.list} columns={columns} none={MUTES.none} />}
      </Loaded>
    </Section>
  );
}
