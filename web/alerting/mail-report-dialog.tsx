import type { UserRecord } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { listText } from "../text/comma-list.ts";
import { checkedValues, commaSeparated, Several } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { decimalOf, type Each, textOf } from "../ui/form-values.ts";
import { RecordDialog } from "../ui/record-dialog.tsx";
import { Check, Select } from "../ui/select.tsx";
import { Unread } from "../ui/states.tsx";
import { hourText, MAIL_REPORTS } from "./mail-reports.texts.ts";
import type { References } from "./references.ts";
import { SCOPE } from "./scope.texts.ts";
import type { MailReport, NewMailReport } from "./types.ts";

const { fields } = MAIL_REPORTS;
const HOURS = Array.from({ length: 24 }, (_, hour) => [String(hour), hourText(hour)] as const);

interface MailReportDialogProps {
  /** Null for a new report. */
  report: MailReport | null;
  references: References;
  onClose: (done: boolean) => void;
}

type Part = Pick<MailReportDialogProps, "report" | "references">;

function ScheduleFields({ report }: Pick<Part, "report">) {
  return (
    <div class="fields">
      <Select
        label={fields.period}
        name="period"
        value={report?.period ?? "weekly"}
        options={fields.periods}
      />
      <Select
        label={fields.hour}
        name="hour"
        value={String(report?.hour ?? 7)}
        options={HOURS}
        hint={fields.hourHint}
      />
    </div>
  );
}

function AboutFields({ report, references: { groups } }: Part) {
  return (
    <fieldset>
      <legend>{fields.about}</legend>
      <Check label={fields.everything} name="everything" checked={report?.everything ?? true} />
      <Several
        legend={fields.groups}
        placeholder={SCOPE.add}
        name="hostgroupid"
        options={groups.map(({ id, name }) => [id, name] as const)}
        chosen={report?.hostgroups ?? []}
        none={fields.noGroup}
      />
      <Field
        label={fields.target}
        name="target"
        defaultValue={String(report?.target ?? 99.9)}
        required
        hint={fields.targetHint}
      />
    </fieldset>
  );
}

function RecipientFields({ report, references: { channels } }: Part) {
  const list = useResource<UserRecord[]>("/admin/users/list");
  // Until the users are loaded, the form contains those of the report, so that saving keeps them.
  const recipients =
    list.data.value?.map(
      ({ uname, email }) => [uname, email === "" ? fields.withoutAddress(uname) : uname] as const,
    ) ?? (report?.users ?? []).map((uname) => [uname, uname] as const);
  const mail = channels.filter(({ kind }) => kind === "email");
  return (
    <>
      <Several
        legend={fields.users}
        placeholder={SCOPE.add}
        name="uname"
        options={recipients}
        chosen={report?.users ?? []}
        hint={fields.usersHint}
      />
      <Unread from={list} what={fields.users} />
      <Field
        label={fields.addresses}
        name="address"
        defaultValue={listText(report?.addresses ?? [])}
        hint={fields.addressesHint}
      />
      <Select
        label={fields.channel}
        name="channelid"
        value={String(report?.channel ?? "")}
        options={mail.map(({ id, name }) => [String(id), name] as const)}
      />
    </>
  );
}

/** The arguments of the form. */
function reportIn(values: FormData) {
  return {
    period: textOf(values, "period"),
    hour: Number(textOf(values, "hour")),
    everything: values.has("everything"),
    hostgroups: checkedValues(values, "hostgroupid").map(Number),
    target: decimalOf(values, "target"),
    channel: Number(textOf(values, "channelid")),
    users: checkedValues(values, "uname"),
    addresses: commaSeparated(values, "address"),
  } satisfies Each<Omit<NewMailReport, "name" | "enabled">>;
}

/** The form of a report, new or existing. */
export function MailReportDialog({ report, references, onClose }: MailReportDialogProps) {
  return (
    <RecordDialog
      path="/admin/mailreports"
      record={report}
      texts={MAIL_REPORTS}
      maxLength={100}
      args={reportIn}
      onClose={onClose}
    >
      <ScheduleFields report={report} />
      <AboutFields report={report} references={references} />
      <RecipientFields report={report} references={references} />
    </RecordDialog>
  );
}
