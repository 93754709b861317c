/** Names that people give: one without a character that can be seen is refused wherever there is one. */
import { expect, test } from "bun:test";
import { examples, populated, send } from "../../publishing/openapi/examples.ts";
import { expectRefusal } from "../../support/stored.ts";

const CLOSED_PORT = 1;
const populace = await populated(CLOSED_PORT);
const INVISIBLE = [" ", "\u00a0\u3000", "\u200b\u2060", "\u3164", "\u2800", "\u202e"];
/** Fields that are names. A title of a user is none, and an expected host is named as its agent will report it. */
const FIELDS = ["name", "hostname", "fullname", "title"];

/** Operations that name an object by its field, with that field. */
const naming = populace.app.operations.flatMap(({ path, request }) =>
  /\/(create|update)$/.test(path)
    ? FIELDS.filter((field) => field in request.entries)
        .filter((field) => field !== "title" || path.startsWith("/admin/statuspages/"))
        .filter((field) => field !== "hostname" || path === "/admin/hosts/update")
        .map((field) => ({ path, field }))
    : [],
);

test("there are such operations", () => {
  for (const path of ["/admin/rules/create", "/admin/groups/update", "/admin/hosts/update", "/limits/update"])
    expect(naming.map((each) => each.path)).toContain(path);
});

for (const { path, field } of naming)
  test(`${path} refuses ${field} without a visible character`, async () => {
    const example = examples(populace)[path] ?? {};
    for (const name of INVISIBLE) {
      const refused = await expectRefusal(
        populace.app,
        () => send(populace.admin, "POST", path, { ...example, [field]: name }),
        400,
        "argument.invalid",
      );
      expect(refused.json.error).toStartWith(`${field} must be `);
    }
  });

test("a login name without a visible character is refused", async () => {
  const refused = await populace.admin.post("/api/1/admin/users/create", {
    uname: "\u200b",
    fullname: "Ada",
    password: "a long password",
  });
  expect(refused.json.error).toBe(
    "uname must be a text of 1 to 255 characters, at least one of them visible, without control characters",
  );
});

test("a name of joined characters, of one sign or in another alphabet is accepted", async () => {
  for (const name of ["👩‍🚒", "-", "می‌خواهم", " Oslo "])
    expect((await populace.admin.post("/api/1/admin/groups/create", { name })).status).toBe(200);
});
