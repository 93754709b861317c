import failed from "../icons/failed.svg";
import ok from "../icons/ok.svg";
import past from "../icons/past.svg";
import unknown from "../icons/unknown.svg";
import warning from "../icons/warning.svg";
import type { OverallStatus } from "../ui/overall-status.ts";

const FILES: Readonly<Record<OverallStatus["kind"], string>> = { ok, warning, failed, unknown, past };

/** Shows the overall status in the browser's tab. */
export function showFavicon(kind: OverallStatus["kind"]): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link) link.href = FILES[kind];
}
