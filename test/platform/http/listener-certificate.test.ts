/** The certificate of a listener, and what happens when its files are renewed. */
import { expect, spyOn, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type RequestListener, Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { connect } from "node:tls";
import { readConfig } from "../../../src/platform/config/config.ts";
import { Listener } from "../../../src/platform/http/listener.ts";
import { temporaryFolder } from "../../e2e/support.ts";
import { CertificateAuthority } from "../../support/certificates.ts";
import { needing } from "../../support/programs.ts";

const { test: testWithOpenssl } = needing("openssl");

const ANY_PORT = ["--listen", "127.0.0.1:0"] as const;
const FIXTURES = join(import.meta.dir, "../../fixtures/tls");
/** As openssl x509 -dates says. */
const EXPIRES = Date.UTC(2126, 9, 28, 3, 16, 11) / 1000;

/** Writes a file of the pair anew, as a renewal does. */
function write(folder: string, name: "cert" | "key", source: string): void {
  const path = join(folder, `${name}.pem`);
  rmSync(path, { force: true });
  copyFileSync(source, path);
  // A key that others can read is refused.
  chmodSync(path, 0o600);
}

/** A listener with the pair in the folder. */
function start(
  folder: string,
  answer: RequestListener = (_request, response) => response.end(),
): Promise<Listener> {
  const flags = new Map<string, string>([ANY_PORT]);
  for (const name of ["cert", "key"] as const) flags.set(`--tls-${name}`, join(folder, `${name}.pem`));
  return Listener.open(answer, readConfig(flags, {}));
}

/** A listener with the certificate of the fixtures. */
function open(folder: string, answer?: RequestListener): Promise<Listener> {
  for (const name of ["cert", "key"] as const) write(folder, name, join(FIXTURES, `${name}.pem`));
  return start(folder, answer);
}

/** The name in the certificate that a client is presented. */
function presented(listener: Listener): Promise<unknown> {
  const port = Number(listener.addresses[0]?.split(":").at(-1));
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject?.CN);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

test("a listener knows when its certificate expires, also after a reload", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  expect(listener.certificate).toEqual({ expires: EXPIRES, problem: "" });
  await listener.reload();
  expect(listener.certificate).toEqual({ expires: EXPIRES, problem: "" });
  await listener.close();
});

test("a listener without a certificate has none that expires", async () => {
  const listener = await Listener.open(() => undefined, readConfig(new Map([ANY_PORT]), {}));
  expect(listener.certificate).toBeNull();
  expect(await listener.reloadIfChanged()).toBe(false);
  await listener.close();
});

testWithOpenssl("a renewed pair is taken without a signal, once both files are written", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  const before = await presented(listener);
  expect(await listener.reloadIfChanged()).toBe(false);
  const renewed = new CertificateAuthority(folder.path, "authority").issue("renewed", ["IP:127.0.0.1"]);

  write(folder.path, "cert", renewed.cert);
  expect(await listener.reloadIfChanged().catch(String)).toContain("is not the key of the certificate");
  expect(listener.certificate).toEqual({
    expires: EXPIRES,
    problem: "--tls-key: is not the key of the certificate of --tls-cert",
  });
  expect(await presented(listener)).toBe(before);
  // Nothing changed since, so there is nothing new to say.
  expect(await listener.reloadIfChanged()).toBe(false);

  write(folder.path, "key", renewed.key);
  expect(await listener.reloadIfChanged()).toBe(true);
  expect(listener.certificate?.problem).toBe("");
  expect(listener.certificate?.expires).not.toBe(EXPIRES);
  expect(await presented(listener)).toBe("renewed");
  expect(await listener.reloadIfChanged()).toBe(false);
  await listener.close();
});

test("a file that is gone is a problem until it is back, and the certificate stays", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  const before = await presented(listener);
  rmSync(join(folder.path, "cert.pem"));
  expect(await listener.reloadIfChanged().catch(String)).toContain("ENOENT");
  expect(listener.certificate?.problem).toContain("ENOENT");
  expect(await presented(listener)).toBe(before);
  write(folder.path, "cert", join(FIXTURES, "cert.pem"));
  expect(await listener.reloadIfChanged()).toBe(true);
  expect(listener.certificate?.problem).toBe("");
  await listener.close();
});

test("a file that cannot be looked at is a problem until it can, and the certificate stays", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  const path = join(folder.path, "cert.pem");
  rmSync(path);
  symlinkSync(path, path);
  expect(await listener.reloadIfChanged().catch(String)).toContain("ELOOP");
  expect(listener.certificate?.problem).toContain("ELOOP");
  expect(await start(folder.path).catch(String)).toContain("--tls-cert: ELOOP");
  write(folder.path, "cert", join(FIXTURES, "cert.pem"));
  expect(await listener.reloadIfChanged()).toBe(true);
  expect(listener.certificate?.problem).toBe("");
  await listener.close();
});

const OTHER_USER = 4321;

// Only root can give files away.
test.skipIf(process.getuid?.() !== 0)(
  "a key that only gets another owner is taken without a signal",
  async () => {
    using folder = temporaryFolder();
    const listener = await open(folder.path);
    const key = join(folder.path, "key.pem");
    write(folder.path, "key", join(FIXTURES, "key.pem"));
    // A group may read a key of root, and none of another user.
    chmodSync(key, 0o640);
    chownSync(key, OTHER_USER, OTHER_USER);
    expect(await listener.reloadIfChanged().catch(String)).toContain("can be read by others");
    chownSync(key, 0, 0);
    expect(await listener.reloadIfChanged()).toBe(true);
    expect(listener.certificate?.problem).toBe("");
    await listener.close();
  },
);

test("a chain whose second certificate is cut is a problem, and the certificate stays", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  const before = await presented(listener);
  const chain = join(folder.path, "cert.pem");
  appendFileSync(chain, readFileSync(chain).subarray(0, 400));
  const problem = expect.stringContaining(`--tls-cert: ${chain} contains no usable chain`);
  expect(await listener.reloadIfChanged().catch(String)).toEqual(problem);
  expect(listener.certificate).toEqual({ expires: EXPIRES, problem });
  expect(await presented(listener)).toBe(before);
  expect(await start(folder.path).catch(String)).toEqual(problem);
  await listener.close();
});

test("a key with a password is called so", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  const key = join(folder.path, "key.pem");
  const encryption = { cipher: "aes-256-cbc", passphrase: "secret" };
  const parsed = createPrivateKey(readFileSync(key));
  for (const type of ["pkcs8", "sec1"] as const) {
    writeFileSync(key, parsed.export({ type, format: "pem", ...encryption }));
    const problem = expect.stringContaining(
      `--tls-key: ${key} is encrypted: Muster needs the key without a password`,
    );
    expect(await listener.reload().catch(String)).toEqual(problem);
    expect(await start(folder.path).catch(String)).toEqual(problem);
  }
  await listener.close();
});

test("an address that cannot be listened on again is served with the certificate before", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  const { addresses } = listener;
  const before = await presented(listener);
  using listen = spyOn(Server.prototype, "listen");
  listen.mockImplementationOnce(() => {
    throw new Error("nothing can be listened on");
  });
  const problem = `--listen: ${addresses[0]}: nothing can be listened on`;
  expect(await listener.reload().catch(String)).toContain(problem);
  expect(listener.certificate).toEqual({ expires: EXPIRES, problem });
  expect(listener.addresses).toEqual(addresses);
  expect(await presented(listener)).toBe(before);
  await listener.reload();
  expect(listener.certificate?.problem).toBe("");
  await listener.close();
});

test("a request that takes long finishes after a reload", async () => {
  using folder = temporaryFolder();
  const begun = Promise.withResolvers<ServerResponse>();
  const listener = await open(folder.path, (_request, response) => begun.resolve(response));
  const answer = fetch(`https://${listener.addresses[0]}/`, { tls: { rejectUnauthorized: false } });
  const response = await begun.promise;
  const startTimer = globalThis.setTimeout;
  // Seconds of waiting are over at once, but not the minute of idle connections.
  using timers = spyOn(globalThis, "setTimeout");
  timers.mockImplementation(((work: () => void, ms: number, ...args: []) =>
    startTimer(work, ms < 1000 || ms > 30_000 ? ms : 0, ...args)) as typeof setTimeout);
  await listener.reload();
  await Bun.sleep(20);
  response.end("complete");
  expect(await (await answer).text()).toBe("complete");
  await listener.close();
});

test("a signal in the midst of a look reloads one after the other", async () => {
  using folder = temporaryFolder();
  const listener = await open(folder.path);
  write(folder.path, "cert", join(FIXTURES, "cert.pem"));
  await Promise.all([listener.reload(), listener.reloadIfChanged(), listener.reload()]);
  expect(listener.addresses).toHaveLength(1);
  expect(await presented(listener)).toBeDefined();
  await listener.close();
});
