import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { Facts } from "../ui/facts.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { ALERTS } from "./alerts.texts.ts";
import { REHEARSALS } from "./rehearsals.texts.ts";
import type { RehearsalMessage, RehearsalResult } from "./types.ts";

/** The pattern of the page's address. */
const REHEARSAL_PATH = "/rehearsals/:id";
const LIST = "/alerts/rehearsals";
const LIVE_SECONDS = 5;

function recipientName({ person, recipient, channel }: RehearsalMessage): string {
  return person || recipient || channel;
}

function afterText(seconds: number): string {
  return seconds === 0 ? REHEARSALS.atOnce : REHEARSALS.after(seconds);
}

function DeliveryCell({ message: { status, delivered, answer } }: { message: RehearsalMessage }) {
  if (delivered !== null) return <>{afterText(delivered)}</>;
  return (
    <>
      <span class={status === "failed" ? "tag tag-first tag-bad" : "tag tag-first"}>
        {REHEARSALS.states[status]}
      </span>
      {answer !== "" && <p class="row-text as-written">{answer}</p>}
    </>
  );
}

function AcknowledgedCell({ message, ended }: { message: RehearsalMessage; ended: boolean }) {
  if (message.acknowledged !== null) return <>{afterText(message.acknowledged)}</>;
  return <span class="muted">{ended ? REHEARSALS.never : REHEARSALS.notYet}</span>;
}

function columnsOf(ended: boolean): readonly Column<RehearsalMessage>[] {
  const { to, step, delivered, acknowledged } = REHEARSALS.messageColumns;
  return [
    {
      key: "to",
      label: to,
      header: true,
      class: "grow",
      cell: (message) => (
        <>
          {recipientName(message)}
          {message.channelid !== null && (
            <p class="row-text">
              {REHEARSALS.via(message.channel, message.person === "" ? "" : message.recipient)}
            </p>
          )}
        </>
      ),
    },
    { key: "step", label: step, class: "number tight", cell: (message) => REHEARSALS.step(message.step) },
    { key: "delivered", label: delivered, cell: (message) => <DeliveryCell message={message} /> },
    {
      key: "acknowledged",
      label: acknowledged,
      cell: (message) => <AcknowledgedCell message={message} ended={ended} />,
    },
  ];
}

/** Who noticed it, and who did not. */
function summaryText({ ended, notified, asleep }: RehearsalResult): string {
  if (notified === 0) return REHEARSALS.nobodyNotified;
  if (asleep.length === 0) return REHEARSALS.allAwake;
  return ended === null ? REHEARSALS.waiting(asleep) : REHEARSALS.asleep(asleep);
}

function Content({ rehearsal }: { rehearsal: RehearsalResult }) {
  const { ruleid, of, date, ended, startedby, escalate, wait, outcome, muted, notified, messages } =
    rehearsal;
  const { facts } = REHEARSALS;
  return (
    <>
      <p role="status" class="rehearsal-summary">
        {summaryText(rehearsal)}
      </p>
      {outcome !== "" && (
        <p class="report-note">
          {notified === 0 ? REHEARSALS.notHeldSince(outcome) : REHEARSALS.endedEarly(outcome)}
        </p>
      )}
      {muted !== "" && <p class="report-note">{REHEARSALS.muted(muted)}</p>}
      <Facts
        facts={[
          [facts.of, ruleid === null ? REHEARSALS.ofSchedule(of) : REHEARSALS.ofRule(of)],
          [facts.date, <Time key="date" at={date} absolute />],
          [facts.by, startedby || REHEARSALS.itself],
          [facts.ended, ended === null ? REHEARSALS.notYet : <Time key="ended" at={ended} absolute />],
          [facts.steps, ruleid !== null && (escalate ? REHEARSALS.everyStep : REHEARSALS.firstStep)],
          [facts.wait, REHEARSALS.minutes(wait)],
        ]}
      />
      <Section title={REHEARSALS.messages}>
        {messages.length === 0 ? (
          <Empty>{REHEARSALS.noMessages}</Empty>
        ) : (
          <Table
            caption={REHEARSALS.messagesCaption}
            columns={columnsOf(ended !== null)}
            rows={messages.map((message, index) => ({ ...message, index }))}
            rowKey={({ index }) => index}
          />
        )}
      </Section>
    </>
  );
}

interface DeleteDialogProps {
  rehearsal: RehearsalResult;
  onClose: (done: boolean) => void;
}

function DeleteDialog({ rehearsal: { id, of }, onClose }: DeleteDialogProps) {
  const { api, router } = useMuster();
  const notify = useNotify();
  // `onClose` would read the rehearsal again, which is gone.
  const onDeleted = (done: boolean) => {
    if (!done) return onClose(false);
    notify(REHEARSALS.deleted);
    router.go(LIST);
  };
  return (
    <FormDialog
      title={REHEARSALS.deleteResultTitle(of)}
      verb={REHEARSALS.deleteResultVerb}
      danger
      act={() => api.post("/admin/rehearsals/delete", { id })}
      onClose={onDeleted}
    >
      <p>{REHEARSALS.deleteResultHint}</p>
    </FormDialog>
  );
}

function RehearsalPage({ id }: { id: string }) {
  const result = useResource<RehearsalResult>("/admin/rehearsals/get", { id }, { every: LIVE_SECONDS });
  const { dialog, open, onClose } = useDialog<RehearsalResult>(() => result.refresh());
  const rehearsal = result.data.value;
  return (
    <Page
      title={rehearsal ? REHEARSALS.titleOf(rehearsal.of) : REHEARSALS.title}
      breadcrumbs={[[ALERTS.partTitle(REHEARSALS.parts), LIST]]}
      aside={
        rehearsal && (
          <button type="button" onClick={open(rehearsal)}>
            {REHEARSALS.deleteResult}
          </button>
        )
      }
    >
      <Loaded from={result}>{(data) => <Content rehearsal={data} />}</Loaded>
      {dialog && <DeleteDialog rehearsal={dialog} onClose={onClose} />}
    </Page>
  );
}

/** The rehearsal that the address names, with its result per recipient and channel. */
export function RehearsalScreen() {
  const { router } = useMuster();
  const { id = "" } = match(REHEARSAL_PATH, router.address.value.path) ?? {};
  return <RehearsalPage key={id} id={id} />;
}
