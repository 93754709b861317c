import { expect, test } from "bun:test";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { TestApp } from "../../support/app.ts";
import { CommandFolder } from "./support.ts";

/** Hosts "web-1" (env=prod), in the group "rack", and "db-1". */
async function fleet(): Promise<TestApp> {
  const app = new TestApp();
  const admin = await app.admin();
  await app.report({ id: "a-1", hostname: "web-1", hostGroups: ["rack"] });
  await app.report({ id: "a-2", hostname: "db-1" });
  await admin.post("/api/1/admin/tags/add", { tags: ["env=prod"], hosts: [1] });
  return app;
}

const WEB = { muster_id: 1, muster_led: "gray", muster_tags: { env: ["prod"] }, muster_groups: ["rack"] };

test("the inventory of a data folder is printed as Ansible asks for it", async () => {
  using folder = new CommandFolder().fill(await fleet());
  const list = await folder.run("inventory --list");
  expect(list.code).toBe(0);
  const inventory = JSON.parse(list.out.join("\n"));
  expect(inventory.all.children).toEqual(["ungrouped", "rack", "tag_env"]);
  expect([inventory.rack, inventory.ungrouped]).toEqual([{ hosts: ["web-1"] }, { hosts: ["db-1"] }]);
  expect(inventory._meta.hostvars["web-1"]).toEqual({ ansible_host: "198.51.100.7", ...WEB });
  const ofHost = await folder.run("inventory --host web-1");
  expect(JSON.parse(ofHost.out.join("\n"))).toEqual({ ansible_host: "198.51.100.7", ...WEB });
});

test("a host that is not in it, and neither option or both, end with one line", async () => {
  using folder = new CommandFolder().fill(await fleet());
  const refused = async (command: string) => {
    const { code, out, err } = await folder.run(command);
    expect([code, out, err.length]).toEqual([1, [], 1]);
    return err[0];
  };
  expect(await refused("inventory --host nobody")).toContain('there is no host "nobody" in the inventory');
  for (const command of ["inventory", "inventory --list --host web-1"])
    expect(await refused(command)).toContain("either --list or --host must be given");
});

test("a server tells its inventory to a token that may only read; addresses to those of administrators", async () => {
  const app = await fleet();
  const incoming = { socket: { remoteAddress: "127.0.0.1" } };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => app.app.request(request, undefined, { incoming } as never),
  });
  const listed = async (owner: Awaited<ReturnType<TestApp["admin"]>>) => {
    const { json } = await owner.post("/api/1/tokens/create", { name: "ansible", scope: "read" });
    const lines: string[] = [];
    const env = { MUSTER_URL: server.url.origin, MUSTER_TOKEN: String(json.token) };
    const code = await runCommand(COMMANDS, ["inventory", "--list"], env, {
      print: (line) => lines.push(line),
      complain: (line) => lines.push(line),
      readSecret: () => Promise.reject(new Error("nothing is asked")),
    });
    return { code, web: JSON.parse(lines.join("\n"))._meta?.hostvars["web-1"] };
  };
  try {
    expect(await listed(await app.admin())).toEqual({
      code: 0,
      web: { ansible_host: "198.51.100.7", ...WEB },
    });
    expect(await listed(await app.user())).toEqual({ code: 0, web: WEB });
  } finally {
    await server.stop(true);
  }
});
