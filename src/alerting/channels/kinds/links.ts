import type { AlertMessage } from "./channel-kind.ts";

/** The links of a message as lines of plain text, for channels without buttons. */
export function linkLines({ url, acknowledgeUrl }: Pick<AlertMessage, "url" | "acknowledgeUrl">): string[] {
  return [url, acknowledgeUrl && `Acknowledge: ${acknowledgeUrl}`].filter((line) => line !== null);
}
