import { useSignal } from "@preact/signals";
import type { NewToken, TokenList, TokenRecord } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Form, Select, textOf, useWork } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

const SCOPES = [
  ["read", "Read only"],
  ["full", "Everything you may do"],
] as const;

function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const { api } = useMuster();
  const work = useWork();
  const token = useSignal<string | null>(null);
  const create = async (values: FormData) => {
    const args = { name: textOf(values, "name"), scope: textOf(values, "scope") };
    token.value = (await api.post<NewToken>("/tokens/create", args)).token;
  };
  return (
    <Dialog title="New API token" onClose={onClose}>
      {token.value === null ? (
        <Form work={work} submit="Create" onSubmit={create} onCancel={onClose}>
          <Field label="What it is for" name="name" required maxLength={255} autoFocus />
          <Select label="What it may do" name="scope" value="read" options={SCOPES} />
        </Form>
      ) : (
        <>
          <p>Copy it now: it is not shown again. Programs send it as “Authorization: Bearer”.</p>
          <Copyable text={token.value} label="the token" />
          <div class="form-buttons">
            <button type="button" class="primary" onClick={onClose}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

const COLUMNS: readonly Column<TokenRecord>[] = [
  { key: "name", label: "For", header: true, class: "grow", cell: (token) => token.name },
  { key: "scope", label: "May", cell: (token) => (token.scope === "read" ? "read" : "read and write") },
  {
    key: "used",
    label: "Last used",
    class: "number wide",
    cell: (token) => (token.lastused ? <Time at={token.lastused} /> : "never"),
  },
];

const deleteColumn = (onDelete: (token: TokenRecord) => void): Column<TokenRecord> => ({
  key: "control",
  label: "Actions",
  class: "tight",
  cell: (token) => (
    <button type="button" class="small" onClick={() => onDelete(token)}>
      Delete<span class="sr-only"> {token.name}</span>
    </button>
  ),
});

function DeleteToken({ token, onClose }: { token: TokenRecord; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={`Delete the token for ${token.name}?`}
      verb="Delete token"
      danger
      act={() => api.post("/tokens/delete", { id: token.id })}
      onClose={onClose}
    >
      <p>Programs that use it are refused from then on.</p>
    </Confirm>
  );
}

/** API tokens of the signed-in user. */
export function Tokens() {
  const notify = useNotify();
  const tokens = useResource<TokenList>("/tokens/list");
  const creating = useSignal(false);
  const deleting = useSignal<TokenRecord | null>(null);
  const onDelete = (token: TokenRecord) => {
    deleting.value = token;
  };
  const onDeleteClosed = (done: boolean) => {
    deleting.value = null;
    if (!done) return;
    notify("Token deleted");
    void tokens.refresh();
  };
  const onCreateClosed = () => {
    creating.value = false;
    void tokens.refresh();
  };
  return (
    <Section
      title="API tokens"
      aside={
        <button
          type="button"
          onClick={() => {
            creating.value = true;
          }}
        >
          <Icon name="plus" />
          New token
        </button>
      }
    >
      <Loaded from={tokens}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>No token yet. Programs use one instead of your password.</Empty>
          ) : (
            <Table
              caption="API tokens"
              columns={[...COLUMNS, deleteColumn(onDelete)]}
              rows={records}
              rowKey={(token) => token.id}
            />
          )
        }
      </Loaded>
      {creating.value && <NewTokenDialog onClose={onCreateClosed} />}
      {deleting.value && <DeleteToken token={deleting.value} onClose={onDeleteClosed} />}
    </Section>
  );
}
