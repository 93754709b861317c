import { Time } from "../ui/time.tsx";
import { DELIVERIES } from "./deliveries.texts.ts";
import type { Delivery } from "./types.ts";

/** The rule that sent a message, and its recipient: a person, if it is for one, and the channel. */
export function toText({
  rule,
  channel,
  person,
  recipient = "",
}: Pick<Delivery, "rule" | "channel" | "person"> & { recipient?: string }): string {
  if (person !== "" && recipient !== "") return DELIVERIES.toPersonAt(rule, channel, person, recipient);
  if (person !== "") return DELIVERIES.toPerson(rule, channel, person);
  return recipient === "" ? DELIVERIES.to(rule, channel) : DELIVERIES.toRecipient(rule, channel, recipient);
}

type DeliveryStateProps = Pick<Delivery, "status" | "attempts" | "finished" | "answer">;

/** The state of a delivery, with the answer of the remote. */
export function DeliveryState({ status, attempts, finished, answer }: DeliveryStateProps) {
  const finishedAt = status === "sent" || status === "failed" ? finished : null;
  return (
    <>
      <span class={status === "failed" ? "tag tag-first tag-bad" : "tag tag-first"}>
        {DELIVERIES.states[status]}
      </span>{" "}
      {finishedAt !== null && <Time at={finishedAt} />}
      {attempts > 1 && <span class="muted"> {DELIVERIES.attempts(attempts)}</span>}
      {answer !== "" && status !== "sent" && <p class="row-text as-written">{answer}</p>}
    </>
  );
}
