import { useSignal } from "@preact/signals";
import type { NewToken, TokenList, TokenRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Dialog, DoneButton } from "../ui/dialog.tsx";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/page.tsx";
import { controlColumn, DeleteButton, RecordTable } from "../ui/record-list.tsx";
import { Select } from "../ui/select.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork } from "../ui/work.tsx";
import { TOKENS } from "./users.texts.ts";

function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const { api } = useMuster();
  const work = useWork();
  const token = useSignal<string | null>(null);
  const create = async (values: FormData) => {
    const args = { name: textOf(values, "name"), scope: textOf(values, "scope") };
    token.value = (await api.send<NewToken>("/tokens/create", args)).token;
  };
  return (
    <Dialog title={TOKENS.newTitle} onClose={onClose} sticky={token.value !== null}>
      {token.value === null ? (
        <Form work={work} submit={TOKENS.create} onSubmit={create} onCancel={onClose}>
          <Field label={TOKENS.name} name="name" required maxLength={255} autoFocus />
          <Select label={TOKENS.scope} name="scope" value="read" options={TOKENS.scopes} />
        </Form>
      ) : (
        <>
          <p>{TOKENS.copyNow}</p>
          <Copyable text={token.value} label={TOKENS.token} />
          <DoneButton onClick={onClose}>{TOKENS.done}</DoneButton>
        </>
      )}
    </Dialog>
  );
}

const COLUMNS: readonly Column<TokenRecord>[] = [
  { key: "name", label: TOKENS.columns.name, header: true, class: "grow", cell: (token) => token.name },
  {
    key: "scope",
    label: TOKENS.columns.scope,
    cell: (token) => (token.scope === "read" ? TOKENS.read : TOKENS.readAndWrite),
  },
  {
    key: "used",
    label: TOKENS.columns.used,
    class: "number wide",
    cell: (token) => (token.lastused ? <Time at={token.lastused} /> : TOKENS.never),
  },
];

const deleteColumn = (onDelete: (token: TokenRecord) => () => void) =>
  controlColumn<TokenRecord>((token) => <DeleteButton name={token.name} onClick={onDelete(token)} />);

/** API tokens of the signed-in user. */
export function Tokens() {
  const tokens = useResource<TokenList>("/tokens/list");
  const creating = useSignal(false);
  const deleting = useDialog<TokenRecord>(() => tokens.refresh(), TOKENS.deleted);
  const onCreateClosed = () => {
    creating.value = false;
    void tokens.refresh();
  };
  return (
    <Section
      title={TOKENS.title}
      aside={
        <button
          type="button"
          onClick={() => {
            creating.value = true;
          }}
        >
          <Icon name="plus" />
          {TOKENS.newToken}
        </button>
      }
    >
      <RecordTable
        from={tokens}
        caption={TOKENS.title}
        columns={[...COLUMNS, deleteColumn(deleting.open)]}
        none={TOKENS.none}
      />
      {creating.value && <NewTokenDialog onClose={onCreateClosed} />}
      {deleting.dialog && (
        <ConfirmDelete
          operation="/tokens/delete"
          record={deleting.dialog}
          texts={TOKENS}
          onClose={deleting.onClose}
        >
          <p>{TOKENS.deleteHint}</p>
        </ConfirmDelete>
      )}
    </Section>
  );
}
