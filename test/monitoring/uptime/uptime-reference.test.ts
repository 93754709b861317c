/** The reports of uptime against a model that walks second by second, over generated lives of many hosts. */
import { expect, test } from "bun:test";
import { durationText } from "../../../src/monitoring/uptime/duration.ts";
import type { TestClient } from "../../support/client.ts";
import { countStates, type HostModel } from "./uptime-model.ts";
import { Simulation } from "./uptime-simulation.ts";

const HOSTS = 125;
const SECONDS = 600;
/** Seconds before the first message that a window may begin. */
const BEFORE = 400;
/** Milliseconds, many times what it takes. */
const TIMEOUT = 60_000;

interface Item {
  name: string;
  active: boolean;
  present: boolean;
  events: number;
  states: ReturnType<HostModel["states"]>;
}

interface Window {
  range: number;
  datefrom: number;
  dateto: number;
}

/** The reply without ids, from the states of each second. */
function expectedReport(window: Window, items: readonly Item[]) {
  const measured = items.map((item) => ({
    ...item,
    ...countStates(item.states, window.datefrom, window.dateto),
  }));
  const counted = measured.filter(({ up, down }) => up + down > 0);
  const percent = (one: { up: number; down: number }) =>
    one.up + one.down === 0 ? 100 : (100 * one.up) / (one.up + one.down);
  const mean = (values: number[], none: number) =>
    values.length === 0 ? none : values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    ...window,
    uptime: mean(counted.map(percent), 100),
    downtime: durationText(
      mean(
        counted.map(({ down }) => down),
        0,
      ),
    ),
    items: measured.map((one) => ({
      name: one.name,
      active: Number(one.active),
      uptime: percent(one),
      downtime: durationText(one.down),
      events: one.events,
    })),
  };
}

function hostItem(life: Simulation, model: HostModel): Item {
  return {
    name: model.name,
    active: model.counts,
    present: true,
    events: model.events,
    states: model.states(life.now, life.off),
  };
}

function serviceItems(life: Simulation, model: HostModel): Item[] {
  return [...model.services.values()]
    .map((service) => ({
      name: service.name,
      active: model.counts && service.present && service.monitor !== 0,
      present: service.present,
      events: model.eventsOf(service.name),
      states: model.statesOf(service, life.now),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Windows may begin before anything was known, and end in the future. */
function randomWindow({ random, origin, now }: Simulation): Window {
  const earliest = origin - BEFORE;
  const datefrom = random.between(earliest, now - 2);
  const dateto = random.between(datefrom + 1, now + 50);
  return { range: 12, datefrom, dateto };
}

async function report(
  client: TestClient,
  path: string,
  fields: Record<string, number | string>,
  expectedStatus = 200,
) {
  const reply = await client.get(`/api/1/reports/uptime/${path}`, fields);
  expect({ path, fields, status: reply.status }).toEqual({ path, fields, status: expectedStatus });
  return reply.json;
}

function withoutIds({ items, ...rest }: { items: { id: number }[] }) {
  return { ...rest, items: items.map(({ id: _id, ...item }) => item) };
}

async function checkHosts(life: Simulation, client: TestClient): Promise<void> {
  const items = [...life.models.values()]
    .map((model) => hostItem(life, model))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (let i = 0; i < 4; i++) {
    const window = randomWindow(life);
    const reply = await report(client, "list", { ...window });
    expect(withoutIds(reply)).toEqual(expectedReport(window, items));
  }
}

/** A service that is gone is part of the reports whose window has some of its time. */
function isShown({ datefrom, dateto }: Window, { present, states }: Item): boolean {
  const { up, down } = countStates(states, datefrom, dateto);
  return present || up + down > 0;
}

async function checkServices(life: Simulation, client: TestClient, model: HostModel): Promise<void> {
  const window = randomWindow(life);
  const id = life.idOf(model.name);
  const items = serviceItems(life, model).filter((item) => isShown(window, item));
  const reply = withoutIds(await report(client, "get", { id, ...window }));
  expect({ host: model.name, ...reply }).toEqual({
    host: model.name,
    ...expectedReport(window, items),
  });
}

async function checkBars(life: Simulation, client: TestClient, model: HostModel): Promise<void> {
  const id = life.idOf(model.name);
  for (const item of [hostItem(life, model), ...serviceItems(life, model)]) {
    const { name, states } = item;
    const window = randomWindow(life);
    const cells = life.random.between(24, 96);
    const service: Record<string, string> = name === model.name ? {} : { service: name };
    const status = isShown(window, item) ? 200 : 404;
    const reply = await report(client, "bars", { id, cells, ...service, ...window }, status);
    if (status === 404) continue;
    const edge = (i: number) => window.datefrom + Math.round(((window.dateto - window.datefrom) * i) / cells);
    expect({ host: model.name, ...reply }).toEqual({
      host: model.name,
      name,
      ...window,
      cells: Array.from({ length: cells }, (_, i) => ({
        datefrom: edge(i),
        ...countStates(states, edge(i), edge(i + 1)),
      })),
    });
  }
}

for (let seed = 1; seed <= 8; seed++)
  test(
    `reports agree with a count of seconds over the lives of ${HOSTS} hosts, seed ${seed}`,
    async () => {
      const life = new Simulation(seed, HOSTS);
      await life.run(SECONDS);
      const client = await life.app.admin();
      expect(life.models.size).toBeGreaterThan(HOSTS * 0.9);
      // Those whose event was lost are among what is counted.
      expect(life.app.rows("select id from events where collected_usec < 0").length).toBeGreaterThan(20);
      await checkHosts(life, client);
      for (const model of life.models.values()) {
        await checkServices(life, client, model);
        await checkBars(life, client, model);
      }
    },
    TIMEOUT,
  );
