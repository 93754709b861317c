import type { Unreadable } from "../api/types.ts";
import { counted } from "../text/format.ts";

/** A sentence for each service with values that could not be read, and one for the services that are not listed. */
export function unreadableSentences({ count, services }: Unreadable): string[] {
  const sentences = services.map((of) => {
    const owner = of.service === "" ? "the agent" : `service ${of.service}`;
    const ellipsis = of.count > of.elements.length ? ", ..." : "";
    return `${counted(of.count, "value")} of ${owner} could not be read: ${of.elements.join(", ")}${ellipsis}`;
  });
  const unlisted = count - services.reduce((sum, of) => sum + of.count, 0);
  return unlisted > 0
    ? [...sentences, `${counted(unlisted, "value")} of further services could not be read`]
    : sentences;
}

/** Lists the values of the last message that could not be read. Renders nothing when there are none. */
export function UnreadableValues({ unreadable }: { unreadable: Unreadable }) {
  if (unreadable.count === 0) return null;
  return (
    <ul class="notice">
      {unreadableSentences(unreadable).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
