/** A message that cannot be accepted. Its text is one public sentence that names the element and the limit. */
export class RejectedMessage extends Error {}

/** A message beyond a limit on its size. */
export function tooMany(items: string, limit: number): RejectedMessage {
  return new RejectedMessage(`A message may hold at most ${limit} ${items}.`);
}
