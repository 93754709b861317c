/** The demonstration, run from the delivered executable. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { TestClient } from "../support/client.ts";
import { servedDemo, startDemo } from "./demonstration.ts";
import { eventually, freePort, temporaryFolder } from "./support.ts";

test("is refused where strangers could change it, and leaves nothing", async () => {
  using folder = temporaryFolder();
  const child = startDemo(folder.path, "--listen", `0.0.0.0:${freePort()}`);
  const error = await new Response(child.stderr).text();
  expect(await child.exited).toBe(1);
  expect(error).toContain("--listen: everyone who reaches the demonstration is its administrator");
  expect(readdirSync(folder.path)).toEqual([]);
});

test("ends before it is made if its port is in use, and leaves nothing", async () => {
  using folder = temporaryFolder();
  using taken = Bun.serve({ hostname: "127.0.0.1", port: freePort(), fetch: () => new Response() });
  const child = startDemo(folder.path, "--listen", `127.0.0.1:${taken.port}`);
  const [output, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, output]).toEqual([1, ""]);
  expect(error).toContain(`--listen: 127.0.0.1:${taken.port}`);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("ends at a signal while it is made, without ever being served, and leaves nothing", async () => {
  using folder = temporaryFolder();
  const child = startDemo(folder.path, "--listen", `127.0.0.1:${freePort()}`);
  let output = "";
  for await (const chunk of child.stdout) {
    // The first line comes before the work, which takes seconds.
    if (output === "") child.kill("SIGINT");
    output += Buffer.from(chunk).toString();
  }
  expect(await child.exited).toBe(0);
  expect(output).toBe("Creating 40 hosts with three months of history ...\n");
  expect(readdirSync(folder.path)).toEqual([]);
});

test("read-only, it signs everyone in, shows a fleet with its past, changes nothing, and goes without a trace", async () => {
  using folder = temporaryFolder();
  const demo = await servedDemo(folder.path, "--read-only");
  try {
    const visitor = new TestClient((request) => fetch(request), demo.url);
    expect((await visitor.get("/api/1/login/methods")).json.proxy).toEqual({ uname: "visitor" });
    const signedIn = await visitor.post("/api/1/login/proxy");
    expect(signedIn.json).toMatchObject({ uname: "visitor", admin: false });

    const hosts = (await visitor.get("/api/1/status/hosts/list", { results: 100 })).json.records;
    expect(hosts).toHaveLength(40);
    const { items, uptime } = (await visitor.get("/api/1/reports/uptime/list", { range: 104 })).json;
    expect(items).toHaveLength(40);
    expect(uptime).toBeLessThan(100);
    expect((await visitor.get("/api/1/oncall/list")).json.records).toMatchObject([{ name: "Operations" }]);

    const change = await visitor.post("/api/1/session/put", { theme: "dark" });
    expect(change.json).toMatchObject({ code: "server.readonly" });
    expect((await visitor.get("/api/1/session/list")).json).toMatchObject({ code: "server.readonly" });

    // The agents go on reporting.
    const reports = async () => {
      const { records } = (await visitor.get("/api/1/status/hosts/list", { results: 100 })).json;
      return records.map(({ lastmodified }: { lastmodified: number }) => lastmodified).join();
    };
    const before = await reports();
    await eventually("a report comes", async () => (await reports()) !== before);
    expect(existsSync(`${folder.path}/elsewhere`)).toBe(false);
  } finally {
    expect(await demo.stop()).toBe(0);
  }
  expect(readdirSync(folder.path)).toEqual([]);
});
