import type { MessageKind } from "./channel-kind.ts";

const URGENT: readonly MessageKind[] = ["problem", "reminder", "escalation", "flapping", "rehearsal"];

/**
 * Whether a message needs attention: it reports an ongoing failure, or a rehearsal tests whether such a message would.
 */
export function isUrgent(kind: MessageKind): boolean {
  return URGENT.includes(kind);
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
