import { expect, test } from "bun:test";
import { itemsOf } from "../../../src/operations/transfer/transfer.service.ts";
import { onRollback, transaction } from "../../../src/platform/storage/open.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { expectRefusal, stored } from "../../support/stored.ts";

appOfEachTest();

/** The database takes every change, but not the audit entry that ends the transaction. */
function failAtTheEnd(app: TestApp): void {
  app.db.$client.run(
    "create trigger fail before insert on audit begin select raise(abort, 'no more space'); end",
  );
}

const collectorAnswers = async (app: TestApp, password: string) =>
  (await app.client().report({}, password)).status;

test("settings whose update is not committed do not take effect", async () => {
  const before = app.muster.settingsAdmin.values();
  failAtTheEnd(app);
  await expectRefusal(
    app,
    () =>
      admin.post("/api/1/admin/settings/update", {
        collectorpassword: "a new secret",
        sessionidle: 5,
        timezone: "Asia/Tokyo",
      }),
    500,
    "internal",
  );
  expect(app.muster.settingsAdmin.values()).toEqual(before);
  expect(app.settings.get("collectorpasswordold")).toBe("");
  expect(await collectorAnswers(app, "a new secret")).toBe(401);
  expect(await collectorAnswers(app, COLLECTOR_PASSWORD)).toBe(200);
});

test("an import that is not committed changes no setting", () => {
  const before = app.muster.settingsAdmin.values();
  const rows = stored(app);
  const document = { muster: 1, settings: [{ name: "sessionidle", value: 7 }] };
  expect(() =>
    transaction(app.db, () => {
      app.muster.transfer.import(itemsOf(document));
      expect(app.settings.get("sessionidle")).toBe(7);
      throw new Error("no more space");
    }),
  ).toThrow("no more space");
  expect(app.muster.settingsAdmin.values()).toEqual(before);
  expect(stored(app)).toEqual(rows);
});

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(64)]);

async function upload(client: TestClient, file: Uint8Array<ArrayBuffer>): Promise<number> {
  const body = new FormData();
  body.set("image", new File([file], "me.png"));
  const headers = { CSRFToken: client.csrfToken };
  return (await client.raw("/api/1/admin/users/image", { method: "POST", body, headers })).status;
}

test("a picture whose change is not committed leaves the old one", async () => {
  expect(await upload(user, PNG)).toBe(200);
  const before = stored(app);
  failAtTheEnd(app);
  expect(await upload(user, PNG)).toBe(500);
  expect(stored(app)).toEqual(before);
});

test("what a transaction changed elsewhere is undone in reverse, and only if it is rolled back", () => {
  const { db } = new TestApp();
  const happened: string[] = [];
  const note = (what: string) => () => happened.push(what);
  transaction(db, () => {
    transaction(db, () => onRollback(db, note("never")));
    expect(() =>
      transaction(db, () => {
        onRollback(db, note("second"));
        onRollback(db, note("first"));
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    happened.push("end of work");
  });
  expect(happened).toEqual(["first", "second", "end of work"]);
  expect(() =>
    transaction(db, () => {
      transaction(db, () => onRollback(db, note("inner")));
      throw new Error("rolled back");
    }),
  ).toThrow("rolled back");
  expect(happened.at(-1)).toBe("inner");
});
