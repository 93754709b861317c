import { freePort } from "../../e2e/support.ts";

/** A closed connection keeps its port for a minute, and an address has 28,000 of them. */
export const ADDRESSES: readonly string[] = Array.from({ length: 16 }, (_, i) => `127.0.0.${i + 1}`);

/** Value of --listen for all of these addresses. */
export function everyAddress(): string {
  const port = freePort();
  return ADDRESSES.map((address) => `${address}:${port}`).join(",");
}
