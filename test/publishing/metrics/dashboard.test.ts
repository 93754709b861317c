import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { captured } from "../../support/fixtures.ts";
import { dashboard, EXPRESSIONS, QUESTIONS } from "./dashboard.ts";
import { readExposition } from "./exposition.ts";

const metricsIn = (text: string) => text.match(/\bmuster_\w+/g) ?? [];

/** Families of a fleet that has everything, and the labels of each. */
async function exportedLabels(): Promise<Map<string, Set<string>>> {
  const app = new TestApp();
  await app.report(new Uint8Array(captured("status-of-every-service-type.xml")));
  await app.report({ id: "agent-2", hostname: "host-2", hostGroups: ["rack"], event: { service: "web" } });
  const families = readExposition((await (await app.user()).get("/metrics/fleet")).text);
  return new Map(
    [...families].map(([name, { samples }]) => {
      const labels = [...samples.keys()].flatMap((key) =>
        [...key.matchAll(/(\w+)="/g)].map((m) => m[1] ?? ""),
      );
      return [name, new Set(labels)];
    }),
  );
}

describe("the dashboard", () => {
  test("asks only for metrics that /metrics/fleet gives, by labels that they have", async () => {
    const families = await exportedLabels();
    expect(EXPRESSIONS.length).toBeGreaterThan(15);
    for (const text of [...EXPRESSIONS, ...QUESTIONS]) {
      const names = metricsIn(text);
      expect([text, names.length > 0]).toEqual([text, true]);
      expect([text, names.filter((name) => !families.has(name))]).toEqual([text, []]);
      for (const [, name = "", matchers = ""] of text.matchAll(/(muster_\w+)\{(.*?)\}/g))
        for (const [, label = ""] of matchers.matchAll(/(\w+)=/g))
          expect([text, families.get(name)?.has(label)]).toEqual([text, true]);
    }
  });

  test("names in legends are labels of the metric", async () => {
    const families = await exportedLabels();
    for (const { targets } of dashboard.panels)
      for (const target of targets) {
        const legend = "legendFormat" in target ? String(target.legendFormat) : "";
        const [metric = ""] = metricsIn(target.expr);
        for (const [, label = ""] of legend.matchAll(/\{\{(\w+)\}\}/g))
          expect([legend, families.get(metric)?.has(label)]).toEqual([legend, true]);
      }
  });

  test("can be imported anywhere: its data source is a variable, and nothing of it is of one Grafana", () => {
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "hostgroup", "host"]);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { datasource, targets } of dashboard.panels)
      for (const each of [datasource, ...targets.map((target) => target.datasource)])
        expect(each).toEqual({ type: "prometheus", uid: `\${datasource}` });
    const variables = ["datasource", "hostgroup", "host", "__rate_interval", "__all"];
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name = ""]) => name);
    expect(used.filter((name) => !variables.includes(name))).toEqual([]);
    expect("id" in dashboard).toBe(false);
  });

  test("its panels do not overlap", () => {
    const taken = new Set<string>();
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
    }
  });
});
