import type { TLSSocket } from "node:tls";
import { HOUR } from "../../platform/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { hostnameOf } from "../../platform/net/client-address.ts";
import { reasonOf } from "../../platform/text.ts";
import type { CertificateFact } from "./facts.ts";

/** How often it is looked at, seconds. */
const INTERVAL = HOUR;
const HTTPS_PORT = 443;

/** The certificate that is presented at the base URL, by Muster or by what is in front of it. */
export class BaseUrlCertificate {
  #last: { fact: CertificateFact; at: number } | null = null;

  constructor(private readonly egress: Egress) {}

  /** Looks at it, at most once an hour. @param now unix seconds @returns null unless the URL is one of https */
  async look(url: URL | null, now: number): Promise<CertificateFact | null> {
    if (url?.protocol !== "https:") return null;
    const age = now - (this.#last?.at ?? 0);
    if (this.#last?.fact.name === url.host && age >= 0 && age < INTERVAL) return this.#last.fact;
    const fact = await this.#read(url);
    this.#last = { fact, at: now };
    return fact;
  }

  async #read(url: URL): Promise<CertificateFact> {
    try {
      const socket = await this.egress.connect(hostnameOf(url), Number(url.port) || HTTPS_PORT, true);
      const { valid_to } = (socket as TLSSocket).getPeerCertificate();
      socket.destroy();
      return { name: url.host, expires: Math.floor(Date.parse(valid_to) / 1000), problem: "" };
    } catch (error) {
      return { name: url.host, expires: null, problem: reasonOf(error) };
    }
  }
}
