import { type Cell, type ReportSection, sectionsOf } from "../../src/alerting/mail-reports/sections.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { Icon } from "../ui/icon.tsx";
import { Page, Section } from "../ui/page.tsx";
import { printPage } from "../ui/printing.ts";
import { Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { ALERTS } from "./alerts.texts.ts";
import { MAIL_REPORTS } from "./mail-reports.texts.ts";
import type { MailReportView } from "./types.ts";

/** The pattern of the page's address. */
const MAIL_REPORT_PATH = "/mail-reports/:id";

type Row = { key: number; cells: readonly Cell[] };

function CellText({ cell }: { cell: Cell | undefined }) {
  return (
    <>
      <span class={cell?.tone && `tone-${cell.tone}`}>{cell?.text}</span>
      {cell?.detail && <div class="second">{cell.detail}</div>}
    </>
  );
}

function columnsOf({ columns }: ReportSection): Column<Row>[] {
  return columns.map((label, i) => ({
    key: label,
    label,
    header: i === 0,
    class: i === 0 ? "grow name" : "number",
    cell: ({ cells }) => <CellText cell={cells[i]} />,
  }));
}

function SectionOfReport({ section }: { section: ReportSection }) {
  const { title, notes, rows } = section;
  return (
    <Section title={title}>
      {notes.map((note) => (
        <p key={note} class="report-note">
          {note}
        </p>
      ))}
      {rows.length > 0 && (
        <Table
          caption={title}
          columns={columnsOf(section)}
          rows={rows.map((cells, key) => ({ key, cells }))}
          rowKey={({ key }) => key}
          whole
        />
      )}
    </Section>
  );
}

function Controls({ report }: { report: MailReportView }) {
  const { now } = useMuster();
  const { datefrom, dateto } = report.figures;
  const address = (before: number) => `/mail-reports/${report.id}?before=${before}`;
  // The next period is as long as this one, give or take a few days.
  const next = dateto + (dateto - datefrom) * 1.2;
  return (
    <>
      <a class="button" href={address(dateto - 1)}>
        {MAIL_REPORTS.earlier}
      </a>
      {dateto + (dateto - datefrom) <= now.value && (
        <a class="button" href={address(Math.floor(next))}>
          {MAIL_REPORTS.later}
        </a>
      )}
      <button type="button" class="primary" onClick={printPage}>
        <Icon name="print" />
        {MAIL_REPORTS.print}
      </button>
    </>
  );
}

/** The content of a report by mail, on the screen and on paper. */
export function MailReportScreen() {
  const { router, session } = useMuster();
  const { id = "" } = match(MAIL_REPORT_PATH, router.address.value.path) ?? {};
  const before = router.address.value.query.get("before");
  const reply = useResource<MailReportView>("/reports/mail/get", { id, before });
  const report = reply.data.value;
  const isAdmin = session.isAdmin;
  return (
    <Page
      title={report?.name ?? MAIL_REPORTS.title}
      {...(isAdmin && { breadcrumbs: [[ALERTS.partTitle(MAIL_REPORTS.title), "/alerts/reports"]] as const })}
      aside={report && <Controls report={report} />}
    >
      <Loaded from={reply}>{(loaded) => <Content report={loaded} />}</Loaded>
    </Page>
  );
}

function Content({ report: { period, figures } }: { report: MailReportView }) {
  const { days, timezone } = figures;
  return (
    <>
      <p class="muted">{MAIL_REPORTS.days(period, days, timezone)}</p>
      {sectionsOf(figures).map((section) => (
        <SectionOfReport key={section.title} section={section} />
      ))}
    </>
  );
}
