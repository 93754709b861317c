import { type Signal, useSignal } from "@preact/signals";
import { batchesOf } from "../../src/platform/batches.ts";
import { ApiError } from "../api/client.ts";
import type { HostGroups, HostStatus } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { itemsOf } from "../text/comma-list.ts";
import { withChoice } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Page, Section } from "../ui/page.tsx";
import { Check, Select } from "../ui/select.tsx";
import { Empty, Loaded, Unread } from "../ui/states.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { useWork } from "../ui/work.tsx";
import { CHANGE } from "./change-hosts.texts.ts";
import { HOST_FIELDS } from "./host-fields.texts.ts";
import { HOSTS } from "./hosts.texts.ts";
import { useHostList } from "./hosts.tsx";

/** Hosts of one request, so that progress can be shown. */
const BATCH = 100;
/** Hosts that can be left out one by one; any beyond these depend on the filter alone. */
const LISTED = 500;

/** How the text of each field of the form is read. */
const FIELDS: Readonly<Record<string, (text: string) => unknown>> = {
  addtags: itemsOf,
  removetags: itemsOf,
  addgroups: (id) => [Number(id)],
  removegroups: (id) => [Number(id)],
  skew: Number,
  actionqueue: Number,
  ignored: (choice) => choice === "1",
};

/** The changes in the form, as arguments. @throws if there are none */
function changesIn(values: FormData): Record<string, unknown> {
  const filledFields = Object.entries(FIELDS).filter(([name]) => textOf(values, name).trim() !== "");
  if (filledFields.length === 0) throw new ApiError(400, "argument.missing", CHANGE.nothing);
  return Object.fromEntries(filledFields.map(([name, read]) => [name, read(textOf(values, name))]));
}

/** Runs a change in batches, one after the other. */
function useBatches(ids: readonly number[], onDone: (count: number) => void) {
  const done = useSignal(0);
  const run = async (change: (batch: number[]) => Promise<unknown>) => {
    done.value = 0;
    for (const batch of batchesOf(ids, BATCH)) {
      await change(batch);
      done.value += batch.length;
    }
    done.value = 0;
    onDone(ids.length);
  };
  return { done, run };
}

interface PartProps {
  ids: readonly number[];
  onDone: () => void;
}

function Progress({ done, total }: { done: number; total: number }) {
  return done > 0 && <p role="status">{CHANGE.progress(done, total)}</p>;
}

function ChangeForm({ ids, groups, onDone }: PartProps & { groups: HostGroups["records"] }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const batches = useBatches(ids, (count) => {
    notify(CHANGE.changed(count));
    onDone();
  });
  const options = [
    ["", CHANGE.noGroup],
    ...groups.map(({ id, name }) => [String(id), name] as const),
  ] as const;
  const save = async (values: FormData) => {
    const changes = changesIn(values);
    await batches.run((hosts) => api.send("/admin/hosts/bulk/update", { hosts, ...changes }));
  };
  return (
    <Section title={CHANGE.settings}>
      <Form
        work={work}
        name="change"
        submit={CHANGE.change(ids.length)}
        disabled={ids.length === 0}
        onSubmit={save}
      >
        <div class="fields">
          <TagField label={CHANGE.addTags} name="addtags" hint={HOST_FIELDS.tagsHint} />
          <TagField label={CHANGE.removeTags} name="removetags" hint={HOST_FIELDS.tagsHint} />
          <Select label={CHANGE.join} name="addgroups" value="" options={options} />
          <Select
            label={CHANGE.leave}
            name="removegroups"
            value=""
            options={options}
            hint={CHANGE.leaveHint}
          />
          <Field
            label={HOST_FIELDS.skew}
            name="skew"
            type="number"
            min={1}
            max={1000}
            hint={CHANGE.skewHint}
          />
          <Select label={CHANGE.waiting} name="actionqueue" value="" options={CHANGE.waitings} />
          <Select label={CHANGE.status} name="ignored" value="" options={CHANGE.statuses} />
        </div>
        <Progress done={batches.done.value} total={ids.length} />
      </Form>
    </Section>
  );
}

function DeleteForm({ ids, onDone }: PartProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const undo = async () => {
    for (const hosts of batchesOf(ids, BATCH)) await api.send("/admin/hosts/deleted/restore", { hosts });
    onDone();
  };
  const batches = useBatches(ids, (count) => {
    notify(CHANGE.deleted(count), { undo });
    onDone();
  });
  const submit = async (values: FormData) => {
    if (textOf(values, "count").trim() !== String(ids.length))
      throw new ApiError(400, "bulk.count", CHANGE.notTyped(ids.length));
    await batches.run((hosts) => api.send("/admin/hosts/bulk/delete", { hosts, count: hosts.length }));
  };
  return (
    <Section title={CHANGE.deletion}>
      <Form
        work={work}
        name="delete"
        submit={CHANGE.delete(ids.length)}
        danger
        disabled={ids.length === 0}
        onSubmit={submit}
      >
        <p>{CHANGE.deletionText}</p>
        {/* The typed number confirms exactly these hosts. The key empties the field when other hosts, perhaps as many,
            match the filter. */}
        <Field
          key={ids.toSorted((a, b) => a - b).join()}
          label={CHANGE.typed(ids.length)}
          name="count"
          autoComplete="off"
          required
        />
        <Progress done={batches.done.value} total={ids.length} />
      </Form>
    </Section>
  );
}

interface ChoiceProps {
  hosts: readonly HostStatus[];
  /** Ids of the hosts that are left out. */
  excluded: Signal<ReadonlySet<number>>;
}

/** The hosts that match the filter, any of which can be left out. */
function HostsChoice({ hosts, excluded }: ChoiceProps) {
  return (
    <fieldset class="hosts-to-change">
      <legend>{CHANGE.chosen(hosts.filter(({ id }) => !excluded.value.has(id)).length)}</legend>
      <div class="check-list">
        {hosts.slice(0, LISTED).map(({ id, hostname }) => (
          <Check
            key={id}
            label={hostname}
            checked={!excluded.value.has(id)}
            onChange={(isIncluded) => {
              excluded.value = withChoice(excluded.peek(), id, !isIncluded);
            }}
          />
        ))}
      </div>
      {hosts.length > LISTED && <p class="hint">{CHANGE.more(hosts.length - LISTED)}</p>}
    </fieldset>
  );
}

/** Changes or deletes all hosts that match the filter in the address, except those left out. */
export function ChangeHostsScreen() {
  const { hosts, rows, search } = useHostList();
  const groups = useResource<HostGroups>("/status/hostgroups/list");
  const excluded = useSignal<ReadonlySet<number>>(new Set());
  const toChange = rows.filter(({ id }) => !excluded.value.has(id));
  const ids = toChange.map(({ id }) => id);
  const refresh = () => void hosts.refresh();
  return (
    <Page title={CHANGE.title} breadcrumbs={[[CHANGE.hosts, `/hosts${location.search}`]]}>
      <Unread from={search} what={HOSTS.named} />
      <Loaded from={hosts}>
        {() =>
          rows.length === 0 ? (
            <Empty>{CHANGE.none}</Empty>
          ) : (
            <>
              <HostsChoice hosts={rows} excluded={excluded} />
              <Loaded from={groups}>
                {({ records }) => <ChangeForm ids={ids} groups={records} onDone={refresh} />}
              </Loaded>
              <DeleteForm ids={ids} onDone={refresh} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
