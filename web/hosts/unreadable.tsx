import type { Unreadable } from "../api/types.ts";
import { counted } from "../text/format.ts";

/** One sentence per service of whose last message something could not be read, and one for what is not listed. */
export function unreadableSentences({ count, services }: Unreadable): string[] {
  const sentences = services.map((of) => {
    const owner = of.service === "" ? "the agent" : `service ${of.service}`;
    const more = of.count > of.elements.length ? ", ..." : "";
    return `${counted(of.count, "value")} of ${owner} could not be read: ${of.elements.join(", ")}${more}`;
  });
  const rest = count - services.reduce((sum, of) => sum + of.count, 0);
  return rest > 0
    ? [...sentences, `${counted(rest, "value")} of further services could not be read`]
    : sentences;
}

/** What could not be read of a host's last message; nothing when it was whole. */
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
