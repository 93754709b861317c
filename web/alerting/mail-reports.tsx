import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { EditButton, RecordList, RowButton } from "../ui/record-list.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { MailReportDialog } from "./mail-report-dialog.tsx";
import { MAIL_REPORTS } from "./mail-reports.texts.ts";
import { type References, useReferences } from "./references.ts";
import { Referring } from "./referring.tsx";
import type { MailReport, Records } from "./types.ts";

function aboutText({ period, everything, hostgroups, target }: MailReport, references: References): string {
  const groups = hostgroups.map(references.names.group).join(", ") || MAIL_REPORTS.noGroup;
  return MAIL_REPORTS.about(period, everything ? MAIL_REPORTS.allHosts : groups, target);
}

/** Poll interval of the list, seconds: the form of a report starts with the record in the list. */
const LIVE_SECONDS = 30;

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
  const reports = useResource<Records<MailReport>>("/admin/mailreports/list", {}, { every: LIVE_SECONDS });
  const references = useReferences();
  const sending = useDialog<MailReport>(() => reports.refresh());
  const canMail = references.channels.some(({ kind }) => kind === "email");
  return (
    <Referring to={references}>
      <RecordList
        path="/admin/mailreports"
        from={reports}
        caption={MAIL_REPORTS.caption}
        columns={[nameColumn(references), ...COLUMNS]}
        none={
          <>
            {MAIL_REPORTS.none} {!canMail && MAIL_REPORTS.channelFirst}
          </>
        }
        buttons={(report, edit) => (
          <>
            <RowButton label={MAIL_REPORTS.sendOf(report.name)} onClick={sending.open(report)}>
              {MAIL_REPORTS.send}
            </RowButton>
            <EditButton name={report.name} onClick={edit} />
          </>
        )}
        form={(report, onClose) => (
          <MailReportDialog report={report} references={references} onClose={onClose} />
        )}
        texts={MAIL_REPORTS}
        deleteHint={() => MAIL_REPORTS.deleteHint}
      />
      {sending.dialog && <SendDialog report={sending.dialog} onClose={sending.onClose} />}
    </Referring>
  );
}
