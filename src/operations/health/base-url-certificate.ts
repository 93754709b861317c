import type { TLSSocket } from "node:tls";
import type { Egress } from "../../platform/egress/egress.ts";
import { reasonOf } from "../../platform/text.ts";
import type { CertificateFact } from "./facts.ts";

/** How often it is looked at, seconds. */
const INTERVAL = 3600;
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

  async #read({ host, hostname, port }: URL): Promise<CertificateFact> {
    try {
      const socket = await this.egress.connect(
        hostname.replace(/^\[(.*)\]$/, "$1"),
        Number(port) || HTTPS_PORT,
        true,
      );
      const { valid_to } = (socket as TLSSocket).getPeerCertificate();
      socket.destroy();
      return { name: host, expires: Math.floor(Date.parse(valid_to) / 1000), problem: "" };
    } catch (error) {
      return { name: host, expires: null, problem: reasonOf(error) };
    }
  }
}
