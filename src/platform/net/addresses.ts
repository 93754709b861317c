/** Decides which addresses Muster may connect to. Forbidden addresses stay forbidden at every reach. */
import { BlockList, isIP } from "node:net";
import { groupsOf, parseCidr } from "./client-address.ts";

/**
 * Addresses that channels may reach; each level includes the previous one:
 * public    the Internet
 * private   private networks too
 * loopback  this machine too
 */
export const REACHES = ["public", "private", "loopback"] as const;
export type AddressReach = (typeof REACHES)[number];

function blocks(...texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const block = parseCidr(text);
    if (!block) throw new Error(`${text} is not a CIDR block`);
    list.addSubnet(block.address, block.bits, block.family);
  }
  return list;
}

/** Always forbidden. Cloud metadata services are among them: they hand out a machine's secrets. */
const FORBIDDEN = blocks(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "192.0.0.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "100.100.100.200",
  "168.63.129.16",
  "::",
  "fe80::/10",
  "ff00::/8",
  "100::/64",
  "fd00:ec2::254",
  "fd20:ce::254",
  // Teredo: contains the remote's address in obfuscated form.
  "2001::/32",
);

const LOOPBACK = blocks("127.0.0.0/8", "::1");

const PRIVATE = blocks(
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "198.18.0.0/15",
  "fc00::/7",
  "fec0::/10",
);

const dotted = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join(".");

/** The IPv4 address in a mapped, compatible, translated (NAT64, SIIT) or 6to4 address, or null. */
function embedded(address: string): string | null {
  const groups = groupsOf(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, high = 0, low = 0] = groups;
  if (a === 0x2002) return dotted(b, c);
  if (a === 0x64 && b === 0xff9b) return dotted(high, low);
  if (a !== 0 || b !== 0 || c !== 0 || d !== 0) return null;
  const isMapped = e === 0 && f === 0xffff;
  const isTranslated = e === 0xffff && f === 0;
  const isCompatible = e === 0 && f === 0 && (high !== 0 || low > 1);
  return isMapped || isTranslated || isCompatible ? dotted(high, low) : null;
}

/** Why an address may not be used, as a phrase to follow it; null when it may. Takes IPv4 and IPv6. */
export function forbiddenReason(address: string, reach: AddressReach): string | null {
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return "is not an address that channels may use";
  const inner = version === 6 ? embedded(address) : null;
  if (inner !== null) return forbiddenReason(inner, reach);
  const family = version === 6 ? "ipv6" : "ipv4";
  if (FORBIDDEN.check(address, family)) return "is an address that channels never use";
  if (LOOPBACK.check(address, family) && reach !== "loopback")
    return "is this machine, which channels may reach only with --channel-reach loopback";
  if (PRIVATE.check(address, family) && reach === "public")
    return "is in a private network, which channels may not reach with --channel-reach public";
  return null;
}
