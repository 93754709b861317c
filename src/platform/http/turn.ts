/** A caller whose query waits for its turn. About the past, with the moment that the query is about, unix seconds. */
export type Turn = string | { readonly caller: string; readonly at: number };

export function callerOfTurn(turn: Turn): string {
  return typeof turn === "string" ? turn : turn.caller;
}
