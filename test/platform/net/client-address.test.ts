import { expect, test } from "bun:test";
import { type CidrBlock, parseCidr, TrustedProxies } from "../../../src/platform/net/client-address.ts";

const BLOCKS: readonly [text: string, bits: number | null][] = [
  ["10.0.0.0/8", 8],
  ["192.0.2.1", 32],
  ["0.0.0.0/0", 0],
  ["::/0", 0],
  ["2001:db8::/32", 32],
  ["::1", 128],
  ["10.0.0.0/33", null],
  ["::1/129", null],
  ["10.0.0.0/-1", null],
  ["10.0.0.0/8/8", null],
  ["10.0.0.0/", null],
  ["10.0.0/8", null],
  ["", null],
  ["localhost", null],
];
for (const [text, bits] of BLOCKS)
  test(`"${text}" is ${bits === null ? "no block" : `a block of ${bits} bits`}`, () => {
    expect(parseCidr(text)?.bits ?? null).toBe(bits);
  });

function proxies(...texts: string[]): TrustedProxies {
  return new TrustedProxies(
    texts.map((text) => parseCidr(text)).filter((block): block is CidrBlock => block !== null),
  );
}

const CLIENTS: readonly [
  trusted: string[],
  peer: string,
  forwarded: string | undefined,
  client: string,
  why: string,
][] = [
  [[], "192.0.2.1", undefined, "192.0.2.1", "no proxy"],
  [[], "192.0.2.1", "9.9.9.9", "192.0.2.1", "nobody is trusted"],
  [[], "::ffff:192.0.2.1", undefined, "192.0.2.1", "IPv4 on an IPv6 socket"],
  [["10.0.0.0/8"], "192.0.2.1", "9.9.9.9", "192.0.2.1", "another than the proxy"],
  [["10.0.0.0/8"], "10.0.0.1", "9.9.9.9", "9.9.9.9", "the proxy"],
  [["10.0.0.0/8"], "::ffff:10.0.0.1", "9.9.9.9", "9.9.9.9", "the proxy, on an IPv6 socket"],
  [
    ["10.0.0.0/8"],
    "10.0.0.1",
    "1.1.1.1, 9.9.9.9",
    "9.9.9.9",
    "what the client claims itself is not believed",
  ],
  [["10.0.0.0/8"], "10.0.0.1", "1.1.1.1, 9.9.9.9, 10.0.0.2", "9.9.9.9", "a chain of proxies"],
  [["10.0.0.0/8"], "10.0.0.1", undefined, "10.0.0.1", "the proxy itself"],
  [["10.0.0.0/8"], "10.0.0.1", "", "10.0.0.1", "an empty header"],
  [["10.0.0.0/8"], "10.0.0.1", "unknown", "10.0.0.1", "no address"],
  [["10.0.0.0/8"], "10.0.0.1", "10.0.0.2, 10.0.0.3", "10.0.0.2", "nobody but proxies"],
  [["::1"], "::1", "2001:db8::5", "2001:db8::5", "IPv6"],
  [["10.0.0.0/8"], "10.0.0.1", "::ffff:9.9.9.9", "9.9.9.9", "IPv4 in IPv6 in the header"],
];
for (const [trusted, peer, forwarded, client, why] of CLIENTS)
  test(`peer ${peer}, forwarded for ${forwarded}: the client is ${client} (${why})`, () => {
    expect(proxies(...trusted).clientOf(peer, forwarded)).toBe(client);
  });

test("a trusted proxy is known on an IPv6 socket too, and what is no address is nobody", () => {
  const trusted = proxies("10.0.0.0/8");
  const addresses = ["10.0.0.1", "::ffff:10.0.0.1", "11.0.0.1", "::ffff:11.0.0.1", "", "unknown"].map(
    (peer) => trusted.has(peer),
  );
  expect(addresses).toEqual([true, true, false, false, false, false]);
});
