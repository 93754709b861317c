import { useSignal } from "@preact/signals";
import type { ExpectedPreview, GroupList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { checkedValues, commaSeparated, Several } from "../ui/choices.tsx";
import { TextArea } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { Check } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { useWork, WorkError } from "../ui/work.tsx";
import { EXPECTED } from "./expected-hosts.texts.ts";

const CREATE_GROUPS = "creategroups";
/** Lines of the list that the preview explains. */
const EXPLAINED = 20;

function listIn(values: FormData) {
  return {
    list: textOf(values, "list"),
    hostgroups: checkedValues(values, "hostgroupid").map(Number),
    tags: commaSeparated(values, "tags"),
  };
}

/** What an import of the list would do. */
function ListPreview({ preview }: { preview: ExpectedPreview }) {
  const { counts, records, unknowngroups, ignoredcolumns } = preview;
  const outcomes = Object.entries(counts).filter(([, count]) => count > 0);
  const explained = records.filter(({ reason }) => reason !== "").slice(0, EXPLAINED);
  return (
    <section aria-label={EXPECTED.previewOf} role="status">
      <p>
        {outcomes
          .map(([outcome, count]) => `${count} ${EXPECTED.outcomes[outcome as keyof typeof counts]}`)
          .join(", ")}
      </p>
      {ignoredcolumns.length > 0 && <p class="muted">{EXPECTED.ignoredColumns(ignoredcolumns.join(", "))}</p>}
      {unknowngroups.length > 0 && <p class="muted">{EXPECTED.unknownGroups(unknowngroups.join(", "))}</p>}
      {explained.length > 0 && (
        <ul>
          {explained.map(({ line, hostname, reason }) => (
            <li key={`${line} ${hostname}`}>{EXPECTED.line(line, hostname, reason)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Takes a list of hosts that are expected from now on. */
export function ExpectDialog({ onClose }: { onClose: (done: boolean) => void }) {
  const { api, session } = useMuster();
  const groups = useResource<GroupList>("/admin/groups/list");
  const preview = useSignal<ExpectedPreview | null>(null);
  const reading = useWork();
  const show = (form: HTMLFormElement | null) =>
    form &&
    reading.run(async () => {
      preview.value = null;
      preview.value = await api.send<ExpectedPreview>("/admin/expected/preview", listIn(new FormData(form)));
    });
  const save = (values: FormData) =>
    api.send("/admin/expected/import", { ...listIn(values), creategroups: values.has(CREATE_GROUPS) });
  return (
    <FormDialog
      title={EXPECTED.add}
      verb={EXPECTED.add}
      act={save}
      onClose={onClose}
      buttons={
        <button
          type="button"
          disabled={reading.busy.value}
          onClick={(event) => void show(event.currentTarget.form)}
        >
          {EXPECTED.preview}
        </button>
      }
    >
      <TextArea
        label={EXPECTED.list}
        name="list"
        rows={8}
        hint={EXPECTED.listHint}
        required
        spellcheck={false}
        onInput={() => {
          preview.value = null;
        }}
      />
      <Loaded from={groups}>
        {(list) => (
          <Several
            legend={EXPECTED.fieldGroups}
            placeholder={EXPECTED.addGroup}
            name="hostgroupid"
            options={list.groups.map(({ id, name }) => [id, name] as const)}
            chosen={[]}
            none={EXPECTED.noGroup}
          />
        )}
      </Loaded>
      <TagField label={EXPECTED.fieldTags} name="tags" />
      {session.isAdmin && <Check label={EXPECTED.createGroups} name={CREATE_GROUPS} checked={false} />}
      <WorkError work={reading} />
      {preview.value && <ListPreview preview={preview.value} />}
    </FormDialog>
  );
}
