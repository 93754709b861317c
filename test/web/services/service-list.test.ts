import { expect, test } from "bun:test";
import type { Service } from "../../../web/api/types.ts";
import { byType } from "../../../web/services/service-list.tsx";

test("services are grouped by type, the system first, failing ones first within a type", () => {
  const service = (name: string, typeid: number, led: Service["led"]): Service => ({
    id: 0,
    name,
    nameid: 0,
    type: `type ${typeid}`,
    typeid,
    monitorstate: 1,
    monitormode: 0,
    onreboot: 0,
    status: "",
    led,
    events: 0,
    every: "",
    statistics: [],
    acknowledged: null,
    muted: null,
  });
  const groups = byType([
    service("a", 3, 2),
    service("root", 0, 2),
    service("b", 3, 0),
    service("system", 5, 2),
  ]);
  expect(groups.map(({ type, services }) => [type, services.map(({ name }) => name)])).toEqual([
    ["type 5", ["system"]],
    ["type 3", ["b", "a"]],
    ["type 0", ["root"]],
  ]);
});
