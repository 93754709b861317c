/** Users whom a provider or a proxy signs in: no file has them, but schedules, rules and reports name them. */
import { expect, test } from "bun:test";
import { ExternalUsers } from "../../../src/accounts/sign-in/external-users.service.ts";
import { TestApp } from "../../support/app.ts";
import { expectRefusal } from "../../support/stored.ts";
import { type Document, exported, IN_2100, importInto } from "./support.ts";

const HINT =
  'there is no user "ann". A user of an OpenID provider must have signed in here once; ' +
  "a user of a proxy, too, or be added with muster user add NAME --proxy";

const ROTATION = {
  name: "Nights",
  users: ["ann"],
  start: "2026-01-01",
  handover: "17:00",
  unit: "day",
  every: 2,
  hours: null,
};

/** The export of a schedule with a user of a proxy. */
async function scheduleOf(rotations: object[], overrides: object[] = []): Promise<Document> {
  const app = new TestApp();
  const admin = await app.admin();
  app.muster.users.createForProxy("ann", false);
  await admin.post("/api/1/oncall/create", { name: "Ops", rotations, timezone: "UTC" } as never);
  for (const override of overrides)
    await admin.post("/api/1/oncall/override/create", { schedule: 1, ...override } as never);
  return exported(admin);
}

/** The first sign-in of a user whom the provider calls ann. */
function signInFromProvider({ db, clock, muster }: TestApp) {
  const users = new ExternalUsers(db, muster.audit, muster.grants, clock);
  const identity = { subject: "issuer ann", name: "ann", fullname: "", email: "", groups: [], admin: null };
  return users.signInFromProvider(identity, "192.0.2.1");
}

test("a schedule with a user who is not here yet is refused, and the error says how they come here", async () => {
  const inRotation = await scheduleOf([ROTATION]);
  const inOverride = await scheduleOf([], [{ user: "ann", from: IN_2100, to: IN_2100 + 60 }]);
  for (const document of [inRotation, inOverride]) {
    const app = new TestApp();
    const admin = await app.admin();
    const { json } = await expectRefusal(app, () => importInto(admin, document), 400, "request.invalid");
    expect(json.error).toBe(`oncall, "Ops": ${HINT}`);
  }
});

test("it is imported once the user was added for the proxy, or signed in through the provider", async () => {
  const document = await scheduleOf([ROTATION]);
  const added = new TestApp();
  added.muster.users.createForProxy("ann", false);
  expect((await importInto(await added.admin(), document)).status).toBe(200);
  const signedIn = new TestApp();
  signInFromProvider(signedIn);
  expect((await importInto(await signedIn.admin(), document)).status).toBe(200);
});

test("an account for the proxy is not that of a user of the provider, who gets another name", async () => {
  const app = new TestApp();
  app.muster.users.createForProxy("ann", false);
  expect(signInFromProvider(app).uname).toBe("ann-2");
});
