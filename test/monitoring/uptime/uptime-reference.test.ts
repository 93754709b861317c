/** The reports of uptime against a model that walks second by second, over generated lives of many hosts. */
import { expect, test } from "bun:test";
import { durationText } from "../../../src/monitoring/uptime/duration.ts";
import type { TestClient } from "../../support/client.ts";
import { countStates, type HostModel, secondsOf } from "./uptime-model.ts";
import { Simulation } from "./uptime-simulation.ts";

const HOSTS = 125;
const SECONDS = 600;
/** Seconds before the first message that a window may begin. */
const BEFORE = 400;

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
  const percent = (time: { up: number; down: number }) =>
    time.up + time.down === 0 ? 100 : (100 * time.up) / (time.up + time.down);
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
    items: measured.map((item) => ({
      name: item.name,
      active: Number(item.active),
      uptime: percent(item),
      downtime: durationText(item.down),
      events: item.events,
      downseconds: item.down,
      muted: null,
    })),
    timezone: "UTC",
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

function withoutIds({ items, ...rest }: { items: { id: number }[] }): Record<string, unknown> {
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

/** Target of the group; its error budget is a twentieth of the time. */
const TARGET = 95;

/** The seconds of a host, and those of the window to come: as many as of the past, or as of a host that is not counted. */
function expectedSeconds(life: Simulation, model: HostModel, { datefrom, dateto }: Window) {
  const now = Math.min(Math.max(life.now, datefrom), dateto);
  const { up, down, excluded } = secondsOf(model.states(life.now, life.off), datefrom, now);
  const toCome = dateto - now;
  return {
    up,
    down,
    excluded: excluded + (model.counts ? 0 : toCome),
    unknown: now - datefrom - up - down - excluded,
    remaining: model.counts ? toCome : 0,
  };
}

function expectedBudget(seconds: ReturnType<typeof expectedSeconds>) {
  const { up, down, remaining } = seconds;
  const budget = (up + down + remaining) / 20;
  return {
    ...seconds,
    uptime: up + down === 0 ? null : (100 * up) / (up + down),
    budget,
    left: budget - down,
  };
}

/** The budget of a group of every other host. */
async function checkBudget(life: Simulation, client: TestClient): Promise<void> {
  const models = [...life.models.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const members = models.filter((_, i) => i % 2 === 0);
  const { json: group } = await client.post("/api/1/admin/groups/create", { name: "every other" });
  await client.post("/api/1/admin/groups/add", {
    id: group.id,
    hostid: members.map((model) => life.idOf(model.name)),
  });
  await client.post("/api/1/admin/groups/target", { id: group.id, target: TARGET });
  for (let i = 0; i < 4; i++) {
    const window = randomWindow(life);
    const reply = await report(client, "budget", { ...window, hostgroupid: group.id });
    const seconds = members.map((model) => expectedSeconds(life, model, window));
    const sum = (of: (time: ReturnType<typeof expectedSeconds>) => number) =>
      seconds.reduce((total, time) => total + of(time), 0);
    expect(withoutIds(reply)).toEqual({
      ...window,
      running: window.dateto > life.now,
      timezone: "UTC",
      hostgroup: { id: group.id, name: "every other" },
      target: TARGET,
      hosts: members.length,
      ...expectedBudget({
        up: sum(({ up }) => up),
        down: sum(({ down }) => down),
        excluded: sum(({ excluded }) => excluded),
        unknown: sum(({ unknown }) => unknown),
        remaining: sum(({ remaining }) => remaining),
      }),
      items: members.map((model) => ({
        active: Number(model.counts),
        name: model.name,
        events: model.events,
        ...expectedBudget(expectedSeconds(life, model, window)),
        muted: null,
      })),
    });
    expect(
      seconds.map(({ up, down, excluded, unknown, remaining }) => up + down + excluded + unknown + remaining),
    ).toEqual(members.map(() => window.dateto - window.datefrom));
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
  test(`reports agree with a count of seconds over the lives of ${HOSTS} hosts, seed ${seed}`, async () => {
    const life = new Simulation(seed, HOSTS);
    await life.run(SECONDS);
    const client = await life.app.admin();
    expect(life.models.size).toBeGreaterThan(HOSTS * 0.9);
    // Those whose event was lost are among what is counted.
    expect(life.app.rows("select id from events where collected_usec < 0").length).toBeGreaterThan(20);
    await checkHosts(life, client);
    await checkBudget(life, client);
    for (const model of life.models.values()) {
      await checkServices(life, client, model);
      await checkBars(life, client, model);
    }
  });
