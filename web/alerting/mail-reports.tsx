import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { controlColumn, RecordTable, RowButton } from "../ui/record-list.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useCreating, useDialog } from "../ui/use-dialog.ts";
import { MailReportDialog } from "./mail-report-dialog.tsx";
import { MAIL_REPORTS } from "./mail-reports.texts.ts";
import { type References, useReferences } from "./references.ts";
import { Referring } from "./referring.tsx";
import type { MailReport, Records } from "./types.ts";

type OpenDialog = { name: "edit" | "delete" | "send"; report: MailReport };

function aboutText({ period, everything, hostgroups, target }: MailReport, references: References): string {
  const groups = hostgroups.map(references.names.group).join(", ") || MAIL_REPORTS.noGroup;
  return MAIL_REPORTS.about(period, everything ? MAIL_REPORTS.allHosts : groups, target);
}

const nameColumn = (references: References): Column<MailReport> => ({
  key: "name",
  label: MAIL_REPORTS.columns.name,
  header: true,
  class: "grow",
  order: (a, b) => a.name.localeCompare(b.name),
  cell: (report) => (
    <>
      <a href={`/mail-reports/${report.id}`}>{report.name}</a>
      <p class="row-text">{aboutText(report, references)}</p>
    </>
  ),
});

const COLUMNS: readonly Column<MailReport>[] = [
  {
    key: "recipients",
    label: MAIL_REPORTS.columns.recipients,
    class: "wide",
    cell: ({ users, addresses, unreachable }) => (
      <>
        {[...users, ...addresses].join(", ")}
        {unreachable.length > 0 && <p class="row-text">{MAIL_REPORTS.unreachable(unreachable)}</p>}
      </>
    ),
  },
  {
    key: "next",
    label: MAIL_REPORTS.columns.next,
    cell: ({ next }) =>
      next === null ? <span class="tag tag-first">{MAIL_REPORTS.off}</span> : <Time at={next} />,
  },
];

const BUTTONS = [
  ["send", MAIL_REPORTS.send, MAIL_REPORTS.sendOf],
  ["edit", MAIL_REPORTS.edit, MAIL_REPORTS.editOf],
  ["delete", MAIL_REPORTS.delete, MAIL_REPORTS.deleteOf],
] as const;

const controls = (open: (dialog: OpenDialog) => () => void) => (report: MailReport) =>
  BUTTONS.map(([name, text, label]) => (
    <RowButton key={name} label={label(report.name)} onClick={open({ name, report })}>
      {text}
    </RowButton>
  ));

interface SendDialogProps {
  report: MailReport;
  onClose: (done: boolean) => void;
}

function SendDialog({ report: { id, name }, onClose }: SendDialogProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const send = async () => {
    const { deliveries } = await api.post<{ deliveries: number }>("/admin/mailreports/send", { id });
    notify(MAIL_REPORTS.sent(deliveries));
  };
  return (
    <FormDialog
      title={MAIL_REPORTS.sendTitle(name)}
      verb={MAIL_REPORTS.send}
      act={send}
      onClose={() => onClose(false)}
    >
      <p>{MAIL_REPORTS.sendHint}</p>
    </FormDialog>
  );
}

/** Reports by mail, for administrators. */
export function MailReports() {
  const reports = useResource<Records<MailReport>>("/admin/mailreports/list");
  const references = useReferences();
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => reports.refresh());
  const creating = useCreating(onClose);
  const canMail = references.channels.some(({ kind }) => kind === "email");
  return (
    <>
      <Referring to={references}>
        <RecordTable
          from={reports}
          caption={MAIL_REPORTS.caption}
          columns={[nameColumn(references), ...COLUMNS, controlColumn(controls(open))]}
          sortedBy="name"
          none={
            <>
              {MAIL_REPORTS.none} {!canMail && MAIL_REPORTS.channelFirst}
            </>
          }
        />
      </Referring>
      {creating.open && references.loaded && (
        <MailReportDialog report={null} references={references} onClose={creating.close} />
      )}
      {dialog?.name === "edit" && (
        <MailReportDialog report={dialog.report} references={references} onClose={onClose} />
      )}
      {dialog?.name === "send" && <SendDialog report={dialog.report} onClose={onClose} />}
      {dialog?.name === "delete" && (
        <ConfirmDelete
          operation="/admin/mailreports/delete"
          record={dialog.report}
          texts={MAIL_REPORTS}
          onClose={onClose}
        >
          <p>{MAIL_REPORTS.deleteHint}</p>
        </ConfirmDelete>
      )}
    </>
  );
}
