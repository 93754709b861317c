import * as v from "valibot";
import { groupStatusList } from "../../monitoring/groups/groups.service.ts";
import { allHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { tagsOfHosts } from "../../monitoring/tags/tags.repository.ts";
import { ConfigError } from "../../platform/config/values.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { type OpenFolder, withDatabase } from "../../platform/storage/data-folder.ts";
import { type InventoryGroup, type InventoryHost, inventoryOf } from "../inventory/inventory.ts";
import { type ApiClient, apiClientOf, namesServer, serverOptions } from "./api-client.ts";
import type { Command, CommandLine } from "./command.ts";

const WHOSE = "a user; scope read is enough";

const hostList = v.object({
  records: v.array(
    v.object({ id: v.number(), hostname: v.string(), led: v.number(), tags: v.array(v.string()) }),
  ),
});
const groupList = v.object({
  records: v.array(v.object({ name: v.string(), hosts: v.array(v.number()) })),
});
const addressList = v.object({ records: v.array(v.object({ id: v.number(), ipaddr: v.string() })) });

const caller = v.object({ admin: v.boolean() });

interface InventorySource {
  hosts: InventoryHost[];
  groups: readonly InventoryGroup[];
}

function readDatabase({ db }: OpenFolder): InventorySource {
  const hosts = allHosts(db, "all");
  const tags = tagsOfHosts(
    db,
    hosts.map(({ id }) => id),
  );
  return {
    hosts: hosts.map(({ id, hostname, led, ipaddrin, ipaddrout }) => {
      return { id, hostname, led, tags: tags(id), address: ipaddrout || ipaddrin };
    }),
    groups: groupStatusList(db, "all").records,
  };
}

/** @throws StartupError */
async function readServer(client: ApiClient): Promise<InventorySource> {
  const { records: hosts } = await client.call("GET", "status/hosts/list", hostList);
  const { records: groups } = await client.call("GET", "status/hostgroups/list", groupList);
  // Only administrators see the addresses of agents.
  const { admin } = await client.call("GET", "session/user", caller);
  const addresses = admin ? await client.call("GET", "admin/hosts/list", addressList) : null;
  const byId = new Map(addresses?.records.map(({ id, ipaddr }) => [id, ipaddr]));
  return { hosts: hosts.map((host) => ({ ...host, address: byId.get(host.id) })), groups };
}

async function readSource(args: CommandLine): Promise<InventorySource> {
  return namesServer(args) ? readServer(apiClientOf(args, WHOSE)) : withDatabase(args.folder, readDatabase);
}

export const inventoryCommand: Command = {
  name: "inventory",
  summary: "print hosts, groups and tags for Ansible, from the database or from a remote server",
  options: [
    { flag: "--list", doc: "the whole inventory" },
    { flag: "--host", value: "NAME", doc: "the variables of one host" },
    ...serverOptions(WHOSE),
  ],
  run: async (args, io) => {
    const name = args.value("--host");
    if (args.has("--list") === (name !== undefined))
      throw new ConfigError("either --list or --host must be given");
    const { hosts, groups } = await readSource(args);
    const inventory = inventoryOf(hosts, groups);
    const variables = new Map(Object.entries(inventory._meta.hostvars));
    if (name !== undefined && !variables.has(name))
      throw new StartupError(`there is no host "${name}" in the inventory`);
    io.print(JSON.stringify(name === undefined ? inventory : variables.get(name), null, 2));
    return 0;
  },
};
