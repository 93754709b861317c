import { freePort } from "../../e2e/support.ts";

/** Connections that were closed keep their port for a minute, of which there are 28,000 to an address. */
export const ADDRESSES: readonly string[] = Array.from({ length: 16 }, (_, i) => `127.0.0.${i + 1}`);

/** What --listen is given to listen on all of them. */
export function everyAddress(): string {
  const port = freePort();
  return ADDRESSES.map((address) => `${address}:${port}`).join(",");
}
