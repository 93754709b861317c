/** Certificates of a certificate authority created for a test. */
import { chmodSync, chownSync, copyFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PostgresServer } from "./postgres-server.ts";

function openssl(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`);
}

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export class CertificateAuthority {
  /** Its own certificate (PEM). */
  readonly file: string;

  constructor(
    private readonly folder: string,
    private readonly name: string,
  ) {
    this.file = join(folder, `${name}.pem`);
    const self = ["-keyout", join(folder, `${name}.key`), "-out", this.file, "-subj", `/CN=${name}`];
    openssl("req", "-x509", "-days", "2", ...EC, ...self);
  }

  /** Makes a key and a certificate. @param names as in `DNS:localhost` or `IP:127.0.0.1` */
  issue(subject: string, names: string[] = []): { cert: string; key: string } {
    const path = (ending: string) => join(this.folder, `${subject}.${ending}`);
    openssl("req", ...EC, "-keyout", path("key"), "-out", path("csr"), "-subj", `/CN=${subject}`);
    writeFileSync(path("ext"), names.length > 0 ? `subjectAltName=${names.join(",")}\n` : "");
    const ca = ["-CA", this.file, "-CAkey", join(this.folder, `${this.name}.key`), "-CAcreateserial"];
    const options = ["-in", path("csr"), "-out", path("crt"), "-extfile", path("ext")];
    openssl("x509", "-req", "-days", "2", ...ca, ...options);
    return { cert: path("crt"), key: path("key") };
  }
}

/** An address of this machine that no other process uses: servers of tests all have the same port. */
export function someAddress(): string {
  const { pid } = process;
  return `127.${1 + ((pid >> 16) % 254)}.${(pid >> 8) & 255}.${pid & 255}`;
}

/** Gives a server a certificate. @returns the settings with which it uses TLS at this address */
export function useCertificate(
  server: PostgresServer,
  ca: CertificateAuthority,
  address: string,
  subject: string,
  names: string[],
): string[] {
  const { cert, key } = ca.issue(subject, names);
  const data = (name: string) => join(server.folder, "data", name);
  const { uid, gid } = statSync(data("pg_hba.conf"));
  for (const [from, name] of [
    [cert, `${subject}.crt`],
    [key, `${subject}.key`],
    [ca.file, "root.crt"],
  ] as const) {
    copyFileSync(from, data(name));
    chmodSync(data(name), 0o600);
    chownSync(data(name), uid, gid);
  }
  const files = [`ssl_cert_file=${subject}.crt`, `ssl_key_file=${subject}.key`, "ssl_ca_file=root.crt"];
  return ["fsync=off", `listen_addresses=${address}`, "ssl=on", ...files];
}
