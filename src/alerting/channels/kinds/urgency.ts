import type { MessageKind } from "./channel-kind.ts";

/** Whether a message reports an ongoing failure, and so needs attention. */
export function isUrgent(kind: MessageKind): boolean {
  return kind === "problem" || kind === "reminder" || kind === "escalation" || kind === "flapping";
}

/** The configured priority for an ongoing failure; for any other message, at most `highest`. */
export function priorityOf(kind: MessageKind, configured: string | undefined, highest: number): number {
  return isUrgent(kind) ? Number(configured) : Math.min(Number(configured), highest);
}

/** Whether a message reports the end of a problem reported before. */
export function isEnd(kind: MessageKind): boolean {
  return kind === "recovery" || kind === "steady";
}

/** Red, amber, green, gray: for channels that have colours. */
export function colourOf(kind: MessageKind): number {
  if (isUrgent(kind)) return 0xd32f2f;
  if (kind === "change") return 0xf9a825;
  return isEnd(kind) ? 0x2e7d32 : 0x757575;
}
