import { counted } from "../text/format.ts";
import { Time } from "../ui/time.tsx";
import type { Delivery } from "./types.ts";

const NAMES: Readonly<Record<Delivery["status"], string>> = {
  pending: "waiting",
  sending: "being sent",
  sent: "sent",
  failed: "failed",
};

type DeliveryStateProps = Pick<Delivery, "status" | "attempts" | "finished" | "answer">;

/** The state of a delivery, with the answer of the remote. */
export function DeliveryState({ status, attempts, finished, answer }: DeliveryStateProps) {
  const finishedAt = status === "sent" || status === "failed" ? finished : null;
  return (
    <>
      <span class={status === "failed" ? "tag tag-first tag-bad" : "tag tag-first"}>{NAMES[status]}</span>{" "}
      {finishedAt !== null && <Time at={finishedAt} />}
      {attempts > 1 && <span class="muted"> after {counted(attempts, "attempt")}</span>}
      {answer !== "" && status !== "sent" && <p class="row-text as-written">{answer}</p>}
    </>
  );
}
