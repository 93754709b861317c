import { useSignal } from "@preact/signals";
import type { EnrolmentCode, EnrolmentCodes, NewEnrolmentCode } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Copyable } from "../ui/copy.tsx";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { Section } from "../ui/page.tsx";
import { controlColumn, RowButton } from "../ui/record-list.tsx";
import { Select } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork } from "../ui/work.tsx";
import { ENROLMENT } from "./enrolment.texts.ts";

const POLL_SECONDS = 10;
const MOST_USES = 10_000;

function columnsOf(onRevoke: (id: number) => () => void): readonly Column<EnrolmentCode>[] {
  const { columns } = ENROLMENT;
  return [
    {
      key: "created",
      label: columns.created,
      header: true,
      class: "grow",
      cell: ({ created }) => <Time at={created} />,
    },
    { key: "ends", label: columns.ends, cell: ({ ends }) => <Time at={ends} absolute /> },
    {
      key: "left",
      label: columns.left,
      class: "number",
      cell: ({ left, uses }) => ENROLMENT.leftOf(left, uses),
    },
    {
      key: "used",
      label: columns.used,
      cell: ({ lastused }) => (lastused === null ? ENROLMENT.never : <Time at={lastused} />),
    },
    controlColumn(({ id }) => (
      <RowButton label={ENROLMENT.revokeOf(id)} onClick={onRevoke(id)}>
        {ENROLMENT.revoke}
      </RowButton>
    )),
  ];
}

/** What to do with a new code. */
function Ways({ code: { shell, cloudinit } }: { code: NewEnrolmentCode }) {
  const way = (name: string, hint: string, text: string, label: string) => ({
    name,
    content: (
      <>
        <p>{hint}</p>
        <Copyable text={text} label={label} />
      </>
    ),
  });
  return (
    <>
      {!shell.includes("https://") && <p class="form-error spaced">{ENROLMENT.plain}</p>}
      <Tabs
        label={ENROLMENT.ways}
        tabs={[
          way(ENROLMENT.shell, ENROLMENT.shellHint, shell, ENROLMENT.shellLine),
          way(ENROLMENT.cloudInit, ENROLMENT.cloudInitHint, cloudinit, ENROLMENT.cloudInitText),
        ]}
      />
      <p class="hint">{ENROLMENT.shown}</p>
    </>
  );
}

function RevokeDialog({ id, onClose }: { id: number; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  const revoke = () => api.send("/admin/keys/codes/delete", { id });
  return (
    <FormDialog title={ENROLMENT.revokeTitle} verb={ENROLMENT.revoke} danger act={revoke} onClose={onClose}>
      <p>{ENROLMENT.revokeHint}</p>
    </FormDialog>
  );
}

/** Creates enrolment codes of a key, shows a new one with the lines to paste, and lists all of them. */
export function Enrolment({ id }: { id: number }) {
  const { api } = useMuster();
  const codes = useResource<EnrolmentCodes>("/admin/keys/codes/list", { id }, { every: POLL_SECONDS });
  const created = useSignal<NewEnrolmentCode | null>(null);
  const work = useWork();
  const { dialog, open, onClose } = useDialog<{ code: number }>(() => codes.refresh(), ENROLMENT.revoked);
  const create = async (values: FormData) => {
    created.value = await api.send<NewEnrolmentCode>("/admin/keys/codes/create", {
      id,
      uses: Number(textOf(values, "uses")),
      lifetime: Number(textOf(values, "lifetime")),
    });
    await codes.refresh();
  };
  return (
    <Section title={ENROLMENT.title}>
      <p class="hint">{ENROLMENT.hint}</p>
      <Form work={work} submit={ENROLMENT.create} onSubmit={create}>
        <Field
          label={ENROLMENT.uses}
          name="uses"
          type="number"
          defaultValue="1"
          min={1}
          max={MOST_USES}
          required
        />
        <Select
          label={ENROLMENT.lifetime}
          name="lifetime"
          value={ENROLMENT.lifetimes[0][0]}
          options={ENROLMENT.lifetimes}
        />
      </Form>
      {created.value && <Ways key={created.value.id} code={created.value} />}
      <Loaded from={codes}>
        {({ records }) =>
          records.length > 0 && (
            <Table
              caption={ENROLMENT.caption}
              columns={columnsOf((code) => open({ code }))}
              rows={records}
              rowKey={(code) => code.id}
            />
          )
        }
      </Loaded>
      {dialog && <RevokeDialog id={dialog.code} onClose={onClose} />}
    </Section>
  );
}
