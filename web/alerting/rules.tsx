import { useSignal } from "@preact/signals";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useWork, WorkError } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { ChannelFirst } from "./channel-first.tsx";
import { type Names, ruleText } from "./descriptions.ts";
import { MuteButton } from "./mute-dialog.tsx";
import { MUTES } from "./mutes.texts.ts";
import { useReferences } from "./references.ts";
import { RULES } from "./rules.texts.ts";
import type { Records, Rule } from "./types.ts";

interface RuleControlsProps {
  rule: Rule;
  /** Number of rules. */
  count: number;
  onMove: (by: 1 | -1) => void;
  onDelete: () => void;
}

/** What is done to a rule. The order stays with administrators. */
function RuleControls({ rule, count, onMove, onDelete }: RuleControlsProps) {
  const { session } = useMuster();
  return (
    <span class="controls">
      {session.user.value?.admin && (
        <>
          <button
            type="button"
            class="small"
            disabled={rule.position <= 1}
            aria-label={RULES.moveUp(rule.name)}
            onClick={() => onMove(-1)}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            class="small"
            disabled={rule.position >= count}
            aria-label={RULES.moveDown(rule.name)}
            onClick={() => onMove(1)}
          >
            <Icon name="down" />
          </button>
        </>
      )}
      <MuteButton small target={{ name: MUTES.rule(rule.name), args: { ruleid: rule.id } }} />
      <button type="button" class="small" onClick={onDelete} aria-label={RULES.deleteOf(rule.name)}>
        {RULES.delete}
      </button>
    </span>
  );
}

const nameColumn = (names: Names): Column<Rule> => ({
  key: "name",
  label: RULES.columns.name,
  header: true,
  class: "grow",
  cell: (rule) => (
    <>
      <a href={`/alerts/rules/edit?id=${rule.id}`}>{rule.name}</a>{" "}
      {!rule.enabled && <span class="tag">{RULES.off}</span>}{" "}
      {rule.final && <span class="tag">{RULES.stopsFurther}</span>}
      <p class="row-text">{ruleText(rule, names)}</p>
    </>
  ),
});

function NoRules({ hasChannels }: { hasChannels: boolean }) {
  return (
    <Empty>
      {RULES.none}{" "}
      {hasChannels ? (
        <a href="/alerts/rules/edit">{RULES.createFirst}</a>
      ) : (
        <ChannelFirst>{RULES.createFirstChannel}</ChannelFirst>
      )}
    </Empty>
  );
}

function DeleteRule({ rule, onClose }: { rule: Rule; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={RULES.deleteTitle(rule.name)}
      verb={RULES.deleteVerb}
      danger
      act={() => api.post("/admin/rules/delete", { id: rule.id })}
      onClose={onClose}
    >
      <p>{RULES.deleteHint}</p>
    </Confirm>
  );
}

/** The rules in the order in which they are evaluated. */
export function Rules() {
  const { api } = useMuster();
  const notify = useNotify();
  const references = useReferences();
  const rules = useResource<Records<Rule>>("/admin/rules/list");
  const moving = useWork();
  const deleting = useSignal<Rule | null>(null);
  const move = (rule: Rule, by: number) =>
    moving.run(async () => {
      await api.post("/admin/rules/move", { id: rule.id, position: rule.position + by });
      await rules.refresh();
      notify(RULES.moved(rule.name, rule.position + by));
    });
  const onDeleteClosed = (done: boolean) => {
    deleting.value = null;
    if (!done) return;
    notify(RULES.deleted);
    void rules.refresh();
  };
  const columns = (count: number): readonly Column<Rule>[] => [
    { key: "position", label: RULES.columns.position, class: "number tight", cell: (rule) => rule.position },
    nameColumn(references.names),
    {
      key: "control",
      label: RULES.columns.control,
      class: "tight",
      cell: (rule) => (
        <RuleControls
          rule={rule}
          count={count}
          onMove={(by) => void move(rule, by)}
          onDelete={() => {
            deleting.value = rule;
          }}
        />
      ),
    },
  ];
  return (
    <>
      <WorkError work={moving} />
      <Loaded from={rules}>
        {({ records }) =>
          records.length === 0 ? (
            <NoRules hasChannels={references.channels.length > 0} />
          ) : (
            <Table
              caption={RULES.caption}
              columns={columns(records.length)}
              rows={records}
              rowKey={(rule) => rule.id}
            />
          )
        }
      </Loaded>
      {deleting.value && <DeleteRule rule={deleting.value} onClose={onDeleteClosed} />}
    </>
  );
}
