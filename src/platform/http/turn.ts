/** A caller whose query waits for its turn. For a query about the past, it includes the moment, unix seconds. */
export type Turn = string | { readonly caller: string; readonly at: number };

/** The caller for whom a query is queued. Queries about the past wait in the same queue as others. */
export function callerOfTurn(turn: Turn): string {
  return typeof turn === "string" ? turn : turn.caller;
}
