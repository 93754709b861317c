import { expect, test } from "bun:test";
import { agentConfig } from "../../../src/monitoring/agent-keys/agent-config.ts";
import {
  collectorLine,
  OLD_PASSWORD_GRACE,
} from "../../../src/monitoring/agent-keys/collector-credential.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../../support/app.ts";

const login = (user: string, password: string) => Buffer.from(`${user}:${password}`);

test("after a change the old password works for 24 hours more", () => {
  const { credential, clock } = new TestApp();
  credential.change("second");
  expect(credential.accepts(login("monit", "second"))).toBe(true);
  clock.step(OLD_PASSWORD_GRACE - 1);
  expect(credential.accepts(login("monit", COLLECTOR_PASSWORD))).toBe(true);
  clock.step(1);
  expect(credential.accepts(login("monit", COLLECTOR_PASSWORD))).toBe(false);
  expect(credential.accepts(login("monit", "second"))).toBe(true);
});

test("of several changes only the last old password works on", () => {
  const { credential } = new TestApp();
  credential.change("second");
  credential.change("third");
  const works = [COLLECTOR_PASSWORD, "second", "third"].map((password) =>
    credential.accepts(login("monit", password)),
  );
  expect(works).toEqual([false, true, true]);
});

test("storing the same password again does not begin a grace time", () => {
  const { credential, clock } = new TestApp();
  credential.change("second");
  clock.step(OLD_PASSWORD_GRACE - 10);
  credential.change("second");
  clock.step(20);
  expect(credential.accepts(login("monit", COLLECTOR_PASSWORD))).toBe(false);
});

test("before any change there is no old password, not even an empty one", () => {
  expect(new TestApp().credential.accepts(login("monit", ""))).toBe(false);
});

test("a change survives a restart, sealed in the database", async () => {
  const app = new TestApp();
  app.credential.change("second");
  const { Settings } = await import("../../../src/platform/settings/settings.service.ts");
  const { CollectorCredential } = await import("../../../src/monitoring/agent-keys/collector-credential.ts");
  const again = new CollectorCredential(new Settings(app.db, app.box), app.clock);
  expect(again.accepts(login("monit", "second"))).toBe(true);
  expect(again.accepts(login("monit", COLLECTOR_PASSWORD))).toBe(true);
  expect(JSON.stringify(app.rows("select * from settings"))).not.toMatch(/second|collector secret/);
});

test("a password with colon, space, quote and letters beyond ASCII works", () => {
  const { credential } = new TestApp();
  credential.change('a:b "c" æ日');
  expect(credential.accepts(login("monit", 'a:b "c" æ日'))).toBe(true);
});

test("the agent's line is a URL that reads back", () => {
  const { url, line } = collectorLine({ user: "mo@nit", password: 'p:/?#[]@!"æ' }, true, "muster.test:8443");
  expect(line).toBe(`set mmonit ${url}`);
  const read = new URL(url);
  expect([read.protocol, read.host, read.pathname]).toEqual(["https:", "muster.test:8443", "/collector"]);
  expect([decodeURIComponent(read.username), decodeURIComponent(read.password)]).toEqual([
    "mo@nit",
    'p:/?#[]@!"æ',
  ]);
});

test("administrators see the credential with the line for here", async () => {
  const app = new TestApp({ baseUrl: "https://muster.example" });
  const reply = await (await app.admin()).get("/api/1/admin/settings/collector");
  expect(reply.json).toEqual({
    user: "monit",
    password: COLLECTOR_PASSWORD,
    url: "https://monit:collector%20secret@muster.example/collector",
    line: "set mmonit https://monit:collector%20secret@muster.example/collector",
    config: `set mmonit https://monit:collector%20secret@muster.example/collector
set eventqueue basedir /var/lib/monit/events slots 1000`,
    httpd: expect.stringMatching(
      /^set httpd port 2812\n {4}allow muster\.example\n {4}allow muster:[\w-]{20}$/,
    ),
    tls: `set mmonit https://monit:collector%20secret@muster.example/collector
    with ssl { verify: enable, cacertificatefile: /etc/monit/muster.pem }
set eventqueue basedir /var/lib/monit/events slots 1000`,
    loopback: false,
  });
});

test("an IPv6 address has brackets in the agent's URL only: Monit refuses them where it allows addresses", () => {
  const { config, httpd } = agentConfig(
    { user: "monit", password: "secret" },
    { secure: false, host: "[2001:db8::1]:8080" },
  );
  expect(config).toStartWith("set mmonit http://monit:secret@[2001:db8::1]:8080/collector\n");
  expect(httpd).toContain("\n    allow 2001:db8::1\n");
});
