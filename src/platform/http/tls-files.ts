/** The files of the certificate and its key: read, checked, and watched for changes. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Config } from "../config/config.definitions.ts";
import { ConfigError } from "../config/values.ts";
import { reasonWithFile } from "../files/file-reason.ts";
import { exposureOf } from "../files/private-file.ts";
import { codeOf, reasonOf } from "../text.ts";

/** @throws ConfigError naming the flag when the file cannot be read or `parse` fails */
function readPem<T>(flag: string, path: string, noun: string, parse: (pem: Buffer) => T) {
  try {
    const pem = readFileSync(path);
    return { pem, parsed: parse(pem) };
  } catch (error) {
    if (codeOf(error) === "ERR_MISSING_PASSPHRASE")
      throw new ConfigError(`${flag}: ${path} is encrypted: Muster needs the key without a password`);
    const isFileError = error instanceof Error && "syscall" in error;
    throw new ConfigError(
      `${flag}: ${isFileError ? reasonWithFile(error) : `${path} contains no ${noun} (PEM)`}`,
    );
  }
}

/** The certificate and key of the settings; null without them. @throws ConfigError if they cannot be used */
export function readTls({ tlsCert, tlsKey }: Config) {
  if (tlsCert === null || tlsKey === null) return null;
  const cert = readPem("--tls-cert", tlsCert, "certificate", (pem) => new X509Certificate(pem));
  const key = readPem("--tls-key", tlsKey, "private key", (pem) => createPrivateKey(pem));
  const exposure = exposureOf(tlsKey);
  if (exposure !== null) throw new ConfigError(`--tls-key: ${exposure}`);
  if (!cert.parsed.checkPrivateKey(key.parsed))
    throw new ConfigError("--tls-key: is not the key of the certificate of --tls-cert");
  const files = { cert: cert.pem, key: key.pem };
  try {
    // Only the first certificate was parsed; a server reads the whole chain.
    createSecureContext(files);
  } catch (error) {
    throw new ConfigError(`--tls-cert: ${tlsCert} contains no usable chain (PEM): ${reasonOf(error)}`);
  }
  const expires = Math.floor(Date.parse(cert.parsed.validTo) / 1000);
  return { expires, files };
}

export type Tls = ReturnType<typeof readTls>;

/** Checks certificate and key before anything is created. @throws ConfigError if they are set and cannot be used */
export function refuseUnusableTls(config: Config): void {
  readTls(config);
}

/** The certificate that Muster serves. */
export interface ServedCertificate {
  /** When it expires, unix seconds. */
  expires: number;
  /** Why files that were renewed since cannot be used; "" if there is no such problem. */
  problem: string;
}

/** Changes when the file is written, when its owner or mode changes, and when it becomes readable or unreadable. */
function fileIdentity(path: string): string {
  try {
    const { dev, ino, size, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, ctimeNs].join(" ");
  } catch (error) {
    return codeOf(error);
  }
}

/** Differs when certificate or key changed, or a link leads to other files. */
export function tlsFilesIdentity({ tlsCert, tlsKey }: Config): string {
  return [tlsCert, tlsKey].map((path) => (path === null ? "" : fileIdentity(path))).join("; ");
}
