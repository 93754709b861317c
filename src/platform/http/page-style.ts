/** How pages look that are no part of the web UI: in its colours, in light and dark as the system says. */
import tokens from "../../../web/style/tokens.css" with { type: "text" };

/** A stylesheet that may use the colours and sizes of the UI. */
export function pageStyle(rules: string): string {
  return `${tokens}\n${rules}`;
}
