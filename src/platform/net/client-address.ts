/** Who is at the other end, as far as it can be believed. */
import { BlockList, isIP, isIPv6 } from "node:net";

export interface CidrBlock {
  address: string;
  bits: number;
  family: "ipv4" | "ipv6";
}

/** "10.0.0.0/8", "::1" and the like; null if the text is neither an address nor a block. */
export function parseCidr(text: string): CidrBlock | null {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  const width = version === 6 ? 128 : 32;
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(length <= width)) return null;
  return { address, bits: length, family: version === 6 ? "ipv6" : "ipv4" };
}

/** An IPv4 address that arrived on an IPv6 socket, in its own form. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Whether the address is this machine's own. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === "::1" || plain.startsWith("127.");
}

/** What counts as one client: an IPv4 address, or an IPv6 network of 64 bits, all of which one machine can use. */
export function sourceOf(given: string): string {
  const address = plainAddress(given);
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head.split(":").filter(Boolean);
  const right = (tail ?? "").split(":").filter(Boolean);
  // An IPv4 address at the end stands for two groups.
  const groupsGiven = left.length + right.length + (address.includes(".") ? 1 : 0);
  const groups = [...left, ...Array.from({ length: 8 - groupsGiven }, () => "0"), ...right];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

/** What stands for the address of a peer on a unix socket. */
export const UNIX_PEER = "unix";

export class TrustedProxies {
  readonly #blocks = new BlockList();

  constructor(blocks: readonly CidrBlock[]) {
    for (const block of blocks) this.#blocks.addSubnet(block.address, block.bits, block.family);
  }

  /** Who reaches a unix socket is a proxy: only those can whom the administrator let into its folder. */
  has(address: string): boolean {
    if (address === UNIX_PEER) return true;
    const version = isIP(address);
    return version !== 0 && this.#blocks.check(address, version === 6 ? "ipv6" : "ipv4");
  }

  /**
   * The client's address: the peer of the connection unless that is a trusted proxy, then the nearest address of
   * X-Forwarded-For that is none.
   */
  clientOf(peer: string, forwardedFor: string | undefined): string {
    let client = plainAddress(peer);
    const hops = (forwardedFor ?? "").split(",").map((hop) => plainAddress(hop.trim()));
    while (this.has(client)) {
      const next = hops.pop();
      if (!next || isIP(next) === 0) break;
      client = next;
    }
    return client;
  }
}
