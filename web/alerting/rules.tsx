import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { controlColumn, DeleteButton, RowButton } from "../ui/record-list.tsx";
import { Empty, Loaded, Unread } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { ChannelFirst } from "./channel-first.tsx";
import { type Names, ruleText } from "./descriptions.ts";
import { MuteButton } from "./mute-dialog.tsx";
import { MUTES } from "./mutes.texts.ts";
import { useReferences } from "./references.ts";
import { Referring } from "./referring.tsx";
import { RehearseButton } from "./rehearse.tsx";
import { RULES } from "./rules.texts.ts";
import type { Records, Rule, UnmatchedRules } from "./types.ts";

interface RuleControlsProps {
  rule: Rule;
  /** Number of rules. */
  count: number;
  onMove: (by: 1 | -1) => void;
  onDelete: () => void;
}

/** Controls of a rule. Only administrators change the order. */
function RuleControls({ rule, count, onMove, onDelete }: RuleControlsProps) {
  const { session } = useMuster();
  return (
    <>
      {session.isAdmin && (
        <>
          <RowButton label={RULES.moveUp(rule.name)} disabled={rule.position <= 1} onClick={() => onMove(-1)}>
            <Icon name="up" />
          </RowButton>
          <RowButton
            label={RULES.moveDown(rule.name)}
            disabled={rule.position >= count}
            onClick={() => onMove(1)}
          >
            <Icon name="down" />
          </RowButton>
        </>
      )}
      <MuteButton small target={{ name: MUTES.rule(rule.name), filter: { rules: [rule.id] } }} />
      <RehearseButton target={{ rule: rule.id, name: rule.name }} />
      <DeleteButton name={rule.name} onClick={onDelete} />
    </>
  );
}

const nameColumn = (names: Names, unmatched: readonly number[]): Column<Rule> => ({
  key: "name",
  label: RULES.columns.name,
  header: true,
  class: "grow",
  cell: (rule) => (
    <>
      <a href={`/alerts/rules/edit?id=${rule.id}`}>{rule.name}</a>{" "}
      {!rule.enabled && <span class="tag">{RULES.off}</span>}{" "}
      {unmatched.includes(rule.id) && <span class="tag">{RULES.unmatched}</span>}{" "}
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

/** The rules in the order in which they are evaluated. */
export function Rules() {
  const { api } = useMuster();
  const notify = useNotify();
  const references = useReferences();
  const rules = useResource<Records<Rule>>("/admin/rules/list");
  const unmatched = useResource<UnmatchedRules>("/admin/rules/unmatched");
  const moving = useWork();
  const deleting = useDialog<Rule>(() => rules.refresh(), RULES.deleted);
  const move = (rule: Rule, by: number) =>
    moving.run(async () => {
      await api.post("/admin/rules/move", { id: rule.id, position: rule.position + by });
      await rules.refresh();
      notify(RULES.moved(rule.name, rule.position + by));
    });
  const columns = (count: number): readonly Column<Rule>[] => [
    { key: "position", label: RULES.columns.position, class: "number tight", cell: (rule) => rule.position },
    nameColumn(references.names, unmatched.data.value?.ids ?? []),
    controlColumn((rule) => (
      <RuleControls
        rule={rule}
        count={count}
        onMove={(by) => void move(rule, by)}
        onDelete={deleting.open(rule)}
      />
    )),
  ];
  return (
    <>
      <WorkError work={moving} />
      <Unread from={unmatched} what={RULES.whichUnmatched} />
      <Referring to={references}>
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
      </Referring>
      {deleting.dialog && (
        <ConfirmDelete
          operation="/admin/rules/delete"
          record={deleting.dialog}
          texts={RULES}
          onClose={deleting.onClose}
        >
          <p>{RULES.deleteHint}</p>
        </ConfirmDelete>
      )}
    </>
  );
}
