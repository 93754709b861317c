/** Reads the metrics of a fleet. */
import { expect } from "bun:test";
import { systemXml } from "../../support/agent-messages.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { readExposition } from "./exposition.ts";

export const FLEET = "/metrics/fleet";

export async function familiesOf(client: TestClient, filter: Fields = {}) {
  const reply = await client.get(FLEET, filter);
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return readExposition(reply.text);
}

/** The samples of a family, as an object. */
export async function samplesOf(client: TestClient, family: string, filter: Fields = {}) {
  const families = await familiesOf(client, { ...filter, family });
  expect([...families.keys()].filter((name) => name !== family)).toEqual([]);
  return Object.fromEntries(families.get(family)?.samples ?? []);
}

export const system = (name = "host-1") => ({ name, type: 5, body: systemXml({}) });
