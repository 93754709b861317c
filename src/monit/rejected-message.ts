/** A message that cannot be accepted. Its text is one public sentence that names the element and the limit. */
export class RejectedMessage extends Error {}
