/**
 * Encodes a snapshot as OTLP/HTTP requests in JSON. The official exporter is not used, because it builds a single
 * request: with many hosts that takes hundreds of MB, and seconds in which no agent gets an answer.
 */

import { VERSION } from "../../platform/version.ts";
import type { FamilyDefinition } from "../metrics/fleet-families.ts";
import type { FleetSnapshot } from "../metrics/fleet-snapshot.ts";
import type { Labels } from "../metrics/metrics.ts";
import type { CounterStarts } from "./counter-starts.ts";

/** Data points per request: about half a megabyte. */
const MAX_POINTS = 2000;
/** AGGREGATION_TEMPORALITY_CUMULATIVE */
const CUMULATIVE = 2;

function nanoseconds(at: number): string {
  return `${at}000000000`;
}

function attributesOf(labels: Labels) {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: value } }));
}

const RESOURCE = { attributes: attributesOf({ "service.name": "muster", "service.version": VERSION }) };
const SCOPE = { name: "muster", version: VERSION };

type Attribute = ReturnType<typeof attributesOf>[number];

interface DataPoint {
  attributes: Attribute[];
  /** Present for counters only. */
  startTimeUnixNano?: string;
  timeUnixNano: string;
  asDouble: number;
}

function metricOf({ name, help, unit, kind }: FamilyDefinition, dataPoints: DataPoint[]) {
  const description = { name, description: help, unit };
  return kind === "gauge"
    ? { ...description, gauge: { dataPoints } }
    : { ...description, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
}

type Metric = ReturnType<typeof metricOf>;

function requestOf(metrics: Metric[]): string {
  return JSON.stringify({
    resourceMetrics: [{ resource: RESOURCE, scopeMetrics: [{ scope: SCOPE, metrics }] }],
  });
}

/**
 * The bodies of the requests for a whole snapshot, built lazily. A metric family may be split across several of them.
 * @param at time of the samples, unix seconds
 * @param starts of counters, updated by this snapshot
 */
export function* otlpRequests(
  snapshot: FleetSnapshot,
  at: number,
  starts: Pick<CounterStarts, "startOf">,
): Generator<string> {
  const timeUnixNano = nanoseconds(at);
  let metrics: Metric[] = [];
  let count = 0;
  for (const samples of snapshot.families) {
    const { name, kind } = samples.definition;
    let points: DataPoint[] = [];
    for (const { set, descriptor, value } of snapshot.pointsOf(samples)) {
      const attributes = attributesOf({ ...snapshot.labels[set], ...(descriptor !== "" && { descriptor }) });
      if (kind === "gauge") points.push({ attributes, timeUnixNano, asDouble: value });
      else {
        const since = starts.startOf(name + JSON.stringify(attributes), value, at);
        points.push({ attributes, startTimeUnixNano: nanoseconds(since), timeUnixNano, asDouble: value });
      }
      if (++count < MAX_POINTS) continue;
      yield requestOf([...metrics, metricOf(samples.definition, points)]);
      [metrics, points, count] = [[], [], 0];
    }
    if (points.length > 0) metrics.push(metricOf(samples.definition, points));
  }
  if (count > 0) yield requestOf(metrics);
}
