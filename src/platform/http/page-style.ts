/** Style of the HTML pages outside the web UI: the UI's colours, in light or dark as the system prefers. */
import tokens from "../../../web/style/tokens.css" with { type: "text" };

/** Puts the UI's colours and sizes before a page's own rules. */
export function pageStyle(rules: string): string {
  return `${tokens}\n${rules}`;
}
