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

/** What became of a delivery, with what the far side said. */
export function DeliveryState({ status, attempts, finished, answer }: DeliveryStateProps) {
  const told = status === "sent" || status === "failed" ? finished : null;
  return (
    <>
      <span class={status === "failed" ? "tag tag-first tag-bad" : "tag tag-first"}>{NAMES[status]}</span>{" "}
      {told !== null && <Time at={told} />}
      {attempts > 1 && <span class="muted"> after {counted(attempts, "attempt")}</span>}
      {answer !== "" && status !== "sent" && <p class="row-text as-written">{answer}</p>}
    </>
  );
}
