import { UI } from "./ui.texts.ts";

/** Texts up to this length fit into about two lines. */
const SHORT = 160;

/** A text from an agent: two lines of it, and the rest on demand. */
export function LongText({ text }: { text: string }) {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= 2 && text.length <= SHORT) return <span class="as-written">{text}</span>;
  return (
    <details class="long-text">
      <summary>
        <span class="clamped">{lines.slice(0, 2).join("\n")}</span>
        <span class="long-text-more">{UI.more}</span>
        <span class="long-text-less">{UI.less}</span>
      </summary>
      <pre class="output">{text}</pre>
    </details>
  );
}
