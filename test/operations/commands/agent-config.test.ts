import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathOf } from "../../../scripts/test-tools.ts";
import { TestApp } from "../../support/app.ts";
import { needing } from "../../support/programs.ts";
import { CommandFolder } from "./support.ts";

test("prints the same lines as the page shows, for the public address", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  await admin.post("/api/1/admin/settings/update", { baseurl: "https://muster.example:8443" });
  const { json } = await admin.get("/api/1/admin/settings/collector");
  using folder = new CommandFolder().fill(app);
  const { code, out, err } = await folder.run("agent-config");
  expect([code, out.join("\n")]).toEqual([0, `${json.config}\n${json.httpd}`]);
  expect(json.tls).toContain("\n    with ssl { verify: enable, cacertificatefile: ");
  expect(err).toEqual([expect.stringContaining(json.tls)]);
});

test("takes an address, and warns of one that no other machine reaches", async () => {
  using folder = new CommandFolder().fill();
  const { out, err } = await folder.run("agent-config --address http://127.0.0.1:8080");
  expect(out[0]).toBe("set mmonit http://monit:collector%20secret@127.0.0.1:8080/collector");
  expect(err).toEqual([expect.stringContaining("other machines cannot reach this address")]);
  const wrong = await folder.run("agent-config --address muster");
  expect([wrong.code, wrong.out]).toEqual([1, []]);
});

test.each([
  "https://muster.example/muster",
  "https://muster.example/?a=b",
  "https://monit:secret@muster.example",
])("refuses an address with more than a host and a port, which the line would lack: %s", async (address) => {
  using folder = new CommandFolder().fill();
  expect(await folder.run(`agent-config --address ${address}`)).toEqual({
    code: 1,
    out: [],
    err: ["--address must be an address without a path, as in https://muster.example.org"],
  });
});

test.each([
  ["unix:/run/muster.sock,0.0.0.0:9000,127.0.0.1:9001", `${hostname()}:9000`],
  ["127.0.0.1:9001,[::1]:9001,192.0.2.1:9000", `${hostname()}:9000`],
  ["unix:/run/muster.sock", hostname()],
])("names this machine and the first port that Muster opens to others: %s", async (listen, address) => {
  using folder = new CommandFolder().fill();
  const { out } = await folder.run(`agent-config --listen ${listen}`);
  expect(out[0]).toBe(`set mmonit http://monit:collector%20secret@${address}/collector`);
});

test.each(["127.0.0.1:9001", "[::1]:9001", "localhost:9001"])(
  "warns that no other machine reaches a Muster that listens on %s only",
  async (listen) => {
    using folder = new CommandFolder().fill();
    const { out, err } = await folder.run(`agent-config --listen ${listen}`);
    expect(out[0]).toBe(`set mmonit http://monit:collector%20secret@${listen}/collector`);
    expect(err).toEqual([expect.stringContaining("other machines cannot reach this address")]);
  },
);

/** What Monit says of a control file with these lines. */
function checkOf(folder: CommandFolder, lines: string): string {
  const file = join(folder.path, "monitrc");
  writeFileSync(file, `set daemon 30\n${lines}\n`, { mode: 0o600 });
  const check = Bun.spawnSync([pathOf("monit"), "-t", "-c", file]);
  return check.stdout.toString() + check.stderr.toString();
}

needing("monit").test("prints what a real Monit accepts", async () => {
  using folder = new CommandFolder().fill();
  const { out } = await folder.run("agent-config --address http://localhost:8080");
  expect(checkOf(folder, out.join("\n"))).toContain("Control file syntax OK");
});

needing("monit").test("prints lines with the file of a certificate that a real Monit accepts", async () => {
  using folder = new CommandFolder().fill();
  const { err } = await folder.run("agent-config --address https://muster.example:8443");
  const certificate = join(folder.path, "muster.pem");
  writeFileSync(certificate, "");
  const lines = err.join("\n").split("\n").slice(1).join("\n");
  expect(checkOf(folder, lines.replace("/etc/monit/muster.pem", certificate))).toContain(
    "Control file syntax OK",
  );
});
