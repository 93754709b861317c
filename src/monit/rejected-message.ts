/**
 * A message that cannot be accepted. `reason` is one public sentence that names the element and the limit.
 */
export class RejectedMessage extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = "RejectedMessage";
    this.reason = reason;
  }
}
