/** A message that cannot be taken in. `reason` is one public sentence: the element and what is allowed. */
export class RejectedMessage extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = "RejectedMessage";
    this.reason = reason;
  }
}
