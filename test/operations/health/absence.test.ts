/** Failures of Muster itself appear nowhere where hosts and their failures do. */
import { expect, test } from "bun:test";
import { METHODS } from "../../../src/platform/http/operation.ts";
import { LEGACY_MOUNTS, legacyOperations } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { calls, examples, type Populated, populated, send } from "../../publishing/openapi/examples.ts";
import { formOf } from "../../support/client.ts";
import { notifying } from "../../support/rules.ts";

/** The only operation that is about them, wherever it is mounted. Only administrators may call it. */
const ABOUT_MUSTER = "/admin/health/get";
const OTHERS = ["/metrics/fleet", "/s/shelf", "/s/shelf/badge.svg", "/healthz"];

/** What the administrator and the user are answered now, by the address. */
async function answers(world: Populated): Promise<Map<string, unknown>> {
  const { app, admin, user } = world;
  const replies = new Map<string, unknown>();
  const reading = calls(app.operations).filter(
    ([{ kind }]) => kind === "read" || kind === "query" || kind === "ask",
  );
  for (const [operation, method] of reading)
    for (const [who, client] of Object.entries({ admin, user })) {
      const { status, text } = await send(
        client,
        method,
        operation.path,
        examples(world)[operation.path] ?? {},
      );
      replies.set(`${who} ${method} ${operation.path}`, [status, text]);
    }
  const legacy = legacyOperations(app.muster.queries, app.operations);
  for (const { kind, path } of legacy.filter(
    (operation) => METHODS[operation.kind].includes("GET") && operation.kind !== "change",
  ))
    for (const mount of LEGACY_MOUNTS) {
      const address = `${mount}${path}?${formOf(examples(world)[path] ?? {})}`;
      const { status, text } = await admin.get(address);
      replies.set(`legacy ${kind} ${address}`, [status, text]);
    }
  for (const path of OTHERS) {
    const { status, text } = await admin.get(path);
    replies.set(path, [status, text]);
  }
  return replies;
}

test("no list, total, report, metric of the fleet or public page changes when Muster itself fails", async () => {
  const world = await populated(1);
  const { app, admin } = world;
  const rule = { name: "own", filter: { about: "muster" }, ...notifying(1) };
  expect((await admin.post("/api/1/admin/rules/create", rule)).status).toBe(200);
  const { metrics, health } = app.muster;
  await health.evaluate(0);
  // What it is asked first may note that it was asked.
  await answers(world);
  const before = await answers(world);
  metrics.backgroundFailed("retention");
  for (let i = 0; i < 2; i++) await health.evaluate(0);
  const open = "select code from health_findings join health_alerts on finding_id = health_findings.id";
  expect(app.rows(open)).toContainEqual({ code: "background.failing" });
  const after = await answers(world);
  const changed = [...after]
    .filter(([key, reply]) => !Bun.deepEquals(reply, before.get(key)))
    .map(([key]) => key);
  expect(changed.filter((key) => !key.includes(ABOUT_MUSTER))).toEqual([]);
  expect(changed).toContain(`admin GET ${ABOUT_MUSTER}`);
  expect(after.size).toBeGreaterThan(150);
});

test("a manager of a group makes no rule about Muster itself, and sees none", async () => {
  const { admin, manager } = await populated(1);
  const rule = (name: string) => ({ name, filter: { about: "muster" }, ...notifying(1) });
  expect((await manager.post("/api/1/admin/rules/create", rule("theirs"))).status).toBe(403);
  expect((await admin.post("/api/1/admin/rules/create", rule("own"))).status).toBe(200);
  const { status, json } = await manager.get("/api/1/admin/rules/list");
  expect([status, json.records.filter(({ name }: { name: string }) => name === "own")]).toEqual([200, []]);
});
