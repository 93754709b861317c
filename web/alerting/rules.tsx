import { useSignal } from "@preact/signals";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useWork } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useKnown } from "./known.ts";
import type { Records, Rule } from "./types.ts";
import { filterText, timesText } from "./words.ts";

/** The rules in the order in which they are asked. */
export function Rules() {
  const { api } = useMuster();
  const announce = useAnnounce();
  const known = useKnown();
  const rules = useResource<Records<Rule>>("/admin/rules/list");
  const moving = useWork();
  const deleting = useSignal<Rule | null>(null);
  const move = (rule: Rule, by: number) =>
    moving.run(async () => {
      await api.post("/admin/rules/move", { id: rule.id, position: rule.position + by });
      await rules.refresh();
      announce(`${rule.name} is now number ${rule.position + by}`);
    });
  const count = rules.data.value?.records.length ?? 0;
  const columns: readonly Column<Rule>[] = [
    { key: "position", label: "No.", class: "number tight", cell: (rule) => rule.position },
    {
      key: "name",
      label: "Rule",
      header: true,
      class: "grow",
      cell: (rule) => (
        <>
          <a href={`/alerts/rules/edit?id=${rule.id}`}>{rule.name}</a>{" "}
          {!rule.enabled && <span class="tag">off</span>} {rule.final && <span class="tag">last word</span>}
          <p class="row-text">
            Of {filterText(rule.filter, known.names)}: {timesText(rule, known.names)}
          </p>
        </>
      ),
    },
    {
      key: "control",
      label: "Actions",
      class: "tight",
      cell: (rule) => (
        <span class="controls">
          <button
            type="button"
            class="small"
            disabled={rule.position <= 1}
            onClick={() => void move(rule, -1)}
          >
            <Icon name="up" />
            <span class="unseen">Ask {rule.name} earlier</span>
          </button>
          <button
            type="button"
            class="small"
            disabled={rule.position >= count}
            onClick={() => void move(rule, 1)}
          >
            <Icon name="down" />
            <span class="unseen">Ask {rule.name} later</span>
          </button>
          <button
            type="button"
            class="small"
            onClick={() => {
              deleting.value = rule;
            }}
          >
            Delete<span class="unseen"> {rule.name}</span>
          </button>
        </span>
      ),
    },
  ];
  const gone = deleting.value;
  return (
    <>
      {moving.problem.value && (
        <p class="form-problem" role="alert">
          {moving.problem.value.message}
        </p>
      )}
      <Loaded from={rules}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>
              No rule yet, so nobody is told of anything.{" "}
              {known.channels.length === 0 ? (
                <>
                  Begin with a <a href="/alerts/channels">channel</a>, through which to tell people.
                </>
              ) : (
                <a href="/alerts/rules/edit">Make the first rule</a>
              )}
            </Empty>
          ) : (
            <Table
              caption="Rules in their order"
              columns={columns}
              rows={records}
              rowKey={(rule) => rule.id}
            />
          )
        }
      </Loaded>
      {gone && (
        <Confirm
          title={`Delete ${gone.name}?`}
          verb="Delete rule"
          danger
          act={() => api.post("/admin/rules/delete", { id: gone.id })}
          onClose={(done) => {
            deleting.value = null;
            if (!done) return;
            announce("Rule deleted");
            void rules.refresh();
          }}
        >
          <p>Nobody is told by it any more, not even of failures that it told of before.</p>
        </Confirm>
      )}
    </>
  );
}
