import { expect, test } from "bun:test";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../../src/platform/config/config.ts";
import { Listener } from "../../../src/platform/http/listener.ts";
import { temporaryFolder } from "../../e2e/support.ts";

const ANY_PORT = ["--listen", "127.0.0.1:0"] as const;
/** As openssl x509 -dates says. */
const EXPIRES = Date.UTC(2126, 9, 28, 3, 16, 11) / 1000;

test("a listener knows when its certificate expires, also after a reload", async () => {
  using folder = temporaryFolder();
  const flags = new Map<string, string>([ANY_PORT]);
  for (const name of ["cert", "key"]) {
    const path = join(folder.path, `${name}.pem`);
    copyFileSync(join(import.meta.dir, `../../fixtures/tls/${name}.pem`), path);
    // A key that others can read is refused.
    chmodSync(path, 0o600);
    flags.set(`--tls-${name}`, path);
  }
  const listener = await Listener.open(() => undefined, readConfig(flags, {}));
  expect(listener.certificateExpires).toBe(EXPIRES);
  await listener.reload();
  expect(listener.certificateExpires).toBe(EXPIRES);
  await listener.close();
});

test("a listener without a certificate has none that expires", async () => {
  const listener = await Listener.open(() => undefined, readConfig(new Map([ANY_PORT]), {}));
  expect(listener.certificateExpires).toBeNull();
  await listener.close();
});
