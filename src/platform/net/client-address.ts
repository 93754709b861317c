/** Addresses: parsing, trusted proxies, and grouping of clients by source. */
import { BlockList, isIP, isIPv6 } from "node:net";

export interface CidrBlock {
  address: string;
  bits: number;
  family: "ipv4" | "ipv6";
}

/** Parses "10.0.0.0/8", "::1" and the like; null if the text is neither an address nor a block. */
export function parseCidr(text: string): CidrBlock | null {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  const width = version === 6 ? 128 : 32;
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(length <= width)) return null;
  return { address, bits: length, family: version === 6 ? "ipv6" : "ipv4" };
}

/** The host name or address in a URL. An IPv6 address has no brackets. */
export function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** A host name or address as a URL has it: an IPv6 address has brackets. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Whether an address is of this machine: 127.0.0.0/8, also mapped to IPv6, or ::1. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === "::1" || plain.startsWith("127.");
}

/** The source a client counts as: its IPv4 address or its IPv6 /64, all of which one machine can use. */
export function sourceOf(text: string): string {
  const address = plainAddress(text);
  if (!isIPv6(address)) return address;
  const network = groupsOf(address).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(":")}::/64`;
}

/** The eight groups of an IPv6 address. */
export function groupsOf(address: string): number[] {
  // The URL parser accepts every spelling, including one with a dotted end, but no zone.
  const [plain = ""] = address.split("%");
  const [head = "", tail] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split("::");
  const numbers = (part: string) =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return numbers(head);
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** Address of a peer on a unix socket. */
export const UNIX_PEER = "unix";

/** The addresses that may say in X-Forwarded-For whom they act for. */
export class TrustedProxies {
  readonly #blocks = new BlockList();
  readonly #isEmpty: boolean;

  constructor(blocks: readonly CidrBlock[]) {
    this.#isEmpty = blocks.length === 0;
    for (const block of blocks) this.#blocks.addSubnet(block.address, block.bits, block.family);
  }

  /** Peers on a unix socket are trusted: its folder admits only the administrator's proxies. */
  has(address: string): boolean {
    if (address === UNIX_PEER) return true;
    if (this.#isEmpty) return false;
    const version = isIP(address);
    return version !== 0 && this.#blocks.check(address, version === 6 ? "ipv6" : "ipv4");
  }

  /**
   * The client's address: the peer's, unless the peer is a trusted proxy. Then it is the rightmost address in
   * X-Forwarded-For that is not a trusted proxy.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string {
    let client = plainAddress(peer);
    if (!this.has(client)) return client;
    const hops = (forwardedFor ?? "").split(",").map((hop) => plainAddress(hop.trim()));
    while (this.has(client)) {
      const next = hops.pop();
      if (!next || isIP(next) === 0) break;
      client = next;
    }
    return client;
  }
}
