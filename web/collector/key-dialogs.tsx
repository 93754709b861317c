import { useSignal } from "@preact/signals";
import type { AgentKey, AgentKeyHost, CollectorLine, GroupList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { checkedValues, commaSeparated, Several } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { HostChoice } from "../ui/host-choice.tsx";
import { Select } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { useSaveUnlessChanged } from "../ui/unchanged.ts";
import { KEYS } from "./keys.texts.ts";

interface DialogProps {
  onClose: (done: boolean) => void;
}

/** The form of a key, new or existing. */
export function KeyDialog({ agentKey, onClose }: DialogProps & { agentKey: AgentKey | null }) {
  const { api, router, session } = useMuster();
  const { fields } = KEYS;
  const groups = useResource<GroupList>("/admin/groups/list");
  const isBound = session.groupsOf("manage") !== null;
  const saveChanges = useSaveUnlessChanged("/admin/keys/get", agentKey);
  const save = async (values: FormData) => {
    const args = {
      name: textOf(values, "name"),
      // A key whose groups could not be chosen keeps them.
      ...(groups.data.peek() && { hostgroups: checkedValues(values, "hostgroupid").map(Number) }),
      tags: commaSeparated(values, "tags"),
      hostpattern: textOf(values, "hostpattern"),
    };
    if (agentKey) {
      const update = () => api.send("/admin/keys/update", { id: agentKey.id, ...args });
      return saveChanges({ id: agentKey.id }, Object.keys(args), update);
    }
    const { id } = await api.send<{ id: number }>("/admin/keys/create", args);
    router.go(`/keys/${id}`);
  };
  return (
    <FormDialog
      title={agentKey ? KEYS.changeTitle(agentKey.name) : KEYS.createTitle}
      verb={agentKey ? KEYS.save : KEYS.create}
      act={save}
      onClose={onClose}
    >
      <Field
        label={fields.name}
        name="name"
        defaultValue={agentKey?.name ?? ""}
        hint={fields.nameHint}
        required
        maxLength={64}
        autoCapitalize="none"
        autoFocus
      />
      <Loaded from={groups}>
        {({ groups: offered }) => (
          <Several
            legend={fields.groups}
            placeholder={fields.addGroup}
            name="hostgroupid"
            options={offered.map(({ id, name }) => [id, name] as const)}
            chosen={
              agentKey?.hostgroups ?? (isBound && offered.length === 1 ? offered.map(({ id }) => id) : [])
            }
            none={fields.noGroup}
            hint={isBound ? fields.groupsOfManager : fields.groupsHint}
          />
        )}
      </Loaded>
      <TagField label={fields.tags} name="tags" tags={agentKey?.tags} hint={fields.tagsHint} />
      <Field
        label={fields.pattern}
        name="hostpattern"
        defaultValue={agentKey?.hostpattern ?? ""}
        hint={fields.patternHint}
        maxLength={255}
        autoCapitalize="none"
      />
    </FormDialog>
  );
}

/** Replaces the secret of a key. @param onReplaced receives the lines with the new secret */
export function ReplaceDialog({
  agentKey: { id, name, hosts, oldsecret, previousuntil },
  onReplaced,
  onClose,
}: DialogProps & { agentKey: AgentKey; onReplaced: (lines: CollectorLine) => void }) {
  const { api } = useMuster();
  const replace = async (values: FormData) =>
    onReplaced(
      await api.send<CollectorLine>("/admin/keys/replace", {
        id,
        overlap: Number(textOf(values, "overlap")),
      }),
    );
  return (
    <FormDialog title={KEYS.replaceTitle(name)} verb={KEYS.replace} act={replace} onClose={onClose}>
      <p>{KEYS.replaceHint(hosts)}</p>
      {oldsecret > 0 && previousuntil !== null && <p class="form-error">{KEYS.replaceTwice(oldsecret)}</p>}
      <Select label={KEYS.overlap} name="overlap" value={KEYS.overlaps[0][0]} options={KEYS.overlaps} />
    </FormDialog>
  );
}

/** Ends a key, at once or after a time in which its agents can still report. */
export function EndDialog({ agentKey: { id, name, hosts }, onClose }: DialogProps & { agentKey: AgentKey }) {
  const { api } = useMuster();
  const end = (values: FormData) =>
    api.send("/admin/keys/end", { id, overlap: Number(textOf(values, "overlap")) });
  return (
    <FormDialog title={KEYS.endTitle(name)} verb={KEYS.endVerb} danger act={end} onClose={onClose}>
      <p>{KEYS.endHint(hosts)}</p>
      <Select label={KEYS.when} name="overlap" value={KEYS.whens[0][0]} options={KEYS.whens} />
    </FormDialog>
  );
}

/** Lets another key take a host over. */
export function MoveDialog({
  host,
  keys,
  onClose,
}: DialogProps & { host: AgentKeyHost; keys: readonly AgentKey[] }) {
  const { api, session } = useMuster();
  const options = [
    ...keys.map(({ id, name }) => [String(id), name] as const),
    ...(session.isAdmin ? ([["0", KEYS.first]] as const) : []),
  ];
  const move = (values: FormData) =>
    api.send("/admin/keys/move", { id: Number(textOf(values, "key")), hosts: [host.id] });
  return (
    <FormDialog
      title={KEYS.moveTitle(host.hostname)}
      record={host.id}
      verb={KEYS.move}
      act={move}
      onClose={onClose}
    >
      <Select label={KEYS.moveTo} name="key" value={options[0]?.[0] ?? ""} options={options} />
      <p class="hint">{KEYS.moveHint}</p>
    </FormDialog>
  );
}

/** Lets a key take another host over. */
export function AddHostDialog({ agentKey: { id, name }, onClose }: DialogProps & { agentKey: AgentKey }) {
  const { api } = useMuster();
  const host = useSignal("");
  const move = () => api.send("/admin/keys/move", { id, hosts: [Number(host.peek())] });
  return (
    <FormDialog title={KEYS.addHostTitle(name)} verb={KEYS.move} act={move} onClose={onClose}>
      <HostChoice
        label={KEYS.host}
        name="hosts"
        placeholder={KEYS.chooseHost}
        required={KEYS.chooseHost}
        right="manage"
        value={host.value}
        onChange={(chosen) => {
          host.value = chosen;
        }}
      />
      <p class="hint">{KEYS.moveHint}</p>
    </FormDialog>
  );
}
