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
  expect([code, out.join("\n"), err]).toEqual([0, `${json.config}\n${json.httpd}`, []]);
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
  ["unix:/run/muster.sock,0.0.0.0:9000,127.0.0.1:9001", `${hostname()}:9000`],
  ["unix:/run/muster.sock", hostname()],
])("names this machine and the first port that Muster listens on: %s", async (listen, address) => {
  using folder = new CommandFolder().fill();
  const { out } = await folder.run(`agent-config --listen ${listen}`);
  expect(out[0]).toBe(`set mmonit http://monit:collector%20secret@${address}/collector`);
});

needing("monit").test("prints what a real Monit accepts", async () => {
  using folder = new CommandFolder().fill();
  const { out } = await folder.run("agent-config --address http://localhost:8080");
  const file = join(folder.path, "monitrc");
  writeFileSync(file, `set daemon 30\n${out.join("\n")}\n`, { mode: 0o600 });
  const check = Bun.spawnSync([pathOf("monit"), "-t", "-c", file]);
  expect(check.stdout.toString() + check.stderr.toString()).toContain("Control file syntax OK");
});
