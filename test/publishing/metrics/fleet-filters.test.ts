/** Filters of the metrics of a fleet. */
import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { FLEET, familiesOf, system } from "./fleet-samples.ts";

describe("filters", () => {
  const app = new TestApp();
  const ready = (async () => {
    for (const [i, group] of ["red", "blue", "blue"].entries()) {
      const hostname = `host-${i + 1}`;
      await app.report({
        id: `agent-${i + 1}`,
        hostname,
        hostGroups: [group],
        services: [system(hostname), { name: "web" }, { name: "db" }],
      });
    }
    return app.user();
  })();

  /** Names of the families and the hosts and services among their labels. */
  async function shape(filter: Fields) {
    const families = await familiesOf(await ready, filter);
    const keys = [...families.values()].flatMap(({ samples }) => [...samples.keys()]);
    const valuesOf = (pattern: RegExp) =>
      [...new Set(keys.flatMap((key) => pattern.exec(key)?.[1] ?? []))].sort();
    return {
      names: [...families.keys()],
      hosts: valuesOf(/host="(.*?)"/),
      services: valuesOf(/service="(.*?)"/),
    };
  }

  test("by host and host group, both of which leave out what is of the whole fleet", async () => {
    expect((await shape({ host: ["host-1", "host-3"] })).hosts).toEqual(["host-1", "host-3"]);
    expect((await shape({ hostgroup: "blue" })).hosts).toEqual(["host-2", "host-3"]);
    expect((await shape({ hostgroup: "blue", host: ["host-1", "host-2"] })).hosts).toEqual(["host-2"]);
    expect((await shape({ hostgroup: "blue" })).names).not.toContain("muster_events_total");
    expect((await shape({})).names).toContain("muster_events_total");
    expect((await shape({ host: "nobody" })).names).toEqual([]);
  });

  test("by service and service type, which leave out what is of hosts", async () => {
    expect(
      await shape({ service: ["web", "nothing"], family: ["muster_service_led", "muster_host_up"] }),
    ).toEqual({ names: ["muster_service_led"], hosts: ["host-1", "host-2", "host-3"], services: ["web"] });
    expect((await shape({ servicetype: 5 })).services).toEqual(["host-1", "host-2", "host-3"]);
    expect((await shape({ servicetype: [5, 3], host: "host-1" })).services).toEqual(["db", "host-1", "web"]);
  });

  test("by family", async () => {
    const family = ["muster_load_average", "muster_cpu_user_ratio", "muster_host_up"];
    expect((await shape({ family })).names).toEqual([...family].sort());
    const reply = await (await ready).get(FLEET, { family: "muster_nothing" });
    expect([reply.status, reply.json]).toEqual([
      400,
      { error: "family must be the name of a metric family", code: "argument.invalid" },
    ]);
  });

  test("wrong ones are refused by name", async () => {
    for (const [name, value] of [
      ["servicetype", "9"],
      ["host", ""],
    ] as const) {
      const reply = await (await ready).get(FLEET, { [name]: value });
      expect([reply.status, reply.json.error.startsWith(`${name} must be`)]).toEqual([400, true]);
    }
  });
});
