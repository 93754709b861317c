/** The tools that Muster offers over the Model Context Protocol. Each is an operation of the API that only reads. */
import type { Operation } from "../../platform/http/operation.ts";
import { selfContained } from "../openapi/parameters.ts";
import { argumentsSchema, type Schema } from "../openapi/schemas.ts";

interface ToolDefinition {
  name: string;
  description: string;
  /** Path of the operation, below /api/1. */
  path: string;
  /** Arguments that are fixed for the tool. */
  fixed?: Readonly<Record<string, string>>;
}

const DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: "list_hosts",
    description: "Monitored hosts with their state, CPU and memory usage. Sort by led for the worst first.",
    path: "/status/hosts/list",
  },
  {
    name: "get_host",
    description: "A host with its services and the latest value of every statistic.",
    path: "/status/hosts/get",
  },
  {
    name: "list_problems",
    description: "What is failing now and was not dismissed: error events that are still active.",
    path: "/reports/events/list",
    fixed: { active: "2" },
  },
  {
    name: "list_events",
    description: "Events of all hosts: failures, recoveries and changes, newest first.",
    path: "/reports/events/list",
  },
  {
    name: "list_changes_before",
    description:
      "What changed before a failure: on its host in the hour before, in its groups in that minute.",
    path: "/reports/events/changes",
  },
  {
    name: "get_history",
    description: "Statistics of a host over time. Name a service or a type of statistic, and few points.",
    path: "/reports/history/get",
    fixed: { format: "json" },
  },
  {
    name: "list_forecasts",
    description: "Disks, inodes and memory of all hosts that will be full, soonest first.",
    path: "/reports/forecasts/list",
  },
  {
    name: "get_forecast",
    description: "When disk space, inodes and memory of a host will be full, or why there is no forecast.",
    path: "/reports/forecasts/get",
  },
];

export interface Tool extends ToolDefinition {
  fixed: Readonly<Record<string, string>>;
  /** JSON Schema of its arguments. */
  inputSchema: Schema & { type: "object" };
}

/** The tools, with the arguments of their operations. @throws if there is no such operation */
export function toolsOf(operations: readonly Operation[]): Tool[] {
  return DEFINITIONS.map((definition) => {
    const operation = operations.find(({ path }) => path === definition.path);
    if (!operation) throw new Error(`there is no operation ${definition.path}`);
    const { fixed = {} } = definition;
    const { properties = {}, required = [] } = selfContained(argumentsSchema(operation));
    const variable = Object.entries(properties).filter(([name]) => !(name in fixed));
    return {
      ...definition,
      fixed,
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(variable),
        required,
        additionalProperties: false,
      },
    };
  });
}
