/** Two people who edit the same record: the one who saves last is told before the changes of the other are replaced. */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import type { Fields } from "../support/client.ts";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { problemsEverywhere, sharedBrowser, sharedDemo, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo(DEMO_HOSTS.slice(0, 1));
const admin = await muster.admin();
const key = (await admin.post("/api/1/admin/keys/create", { name: "Racks" })).json.id;
expect(
  (
    await admin.post("/api/1/admin/channels/create", {
      name: "Second",
      kind: "webhook",
      settings: { url: "https://second.invalid/" },
    })
  ).status,
).toBe(200);
const limit = { name: "Disks", statistics: [18], warning: 90 };
expect((await admin.post("/api/1/limits/create", limit)).status).toBe(200);

const NAME = "Name";
const open = (button: string) => (on: Page) => on.getByRole("button", { name: button, exact: true }).click();

interface Form {
  address: string;
  /** Opens the form; absent: it is the page. */
  show?: (on: Page) => Promise<void>;
  /** Label of a field, and its name in the API. */
  field: readonly [label: string, name: string];
  /** Path of the operations of the record, and what names it for them. */
  path: string;
  id: Fields;
}

const FORMS: readonly Form[] = [
  {
    address: "/alerts/maintenance",
    show: open("Edit Patching"),
    field: [NAME, "name"],
    path: "/admin/maintenance",
    id: { id: 1 },
  },
  {
    address: "/alerts/channels",
    show: open("Edit or test Hook"),
    field: [NAME, "name"],
    path: "/admin/channels",
    id: { id: 1 },
  },
  { address: "/alerts/rules/edit?id=1", field: [NAME, "name"], path: "/admin/rules", id: { id: 1 } },
  { address: "/limits/edit?id=1", field: [NAME, "name"], path: "/limits", id: { id: 1 } },
  {
    address: `/keys/${key}`,
    show: open("Change"),
    field: [NAME, "name"],
    path: "/admin/keys",
    id: { id: key },
  },
  {
    address: "/status-pages",
    show: open("Edit Oslo"),
    field: ["Title", "title"],
    path: "/admin/statuspages",
    id: { id: 1 },
  },
  {
    address: "/hosts/1/settings",
    field: ["Description", "description"],
    path: "/admin/hosts",
    id: { id: 1 },
  },
  {
    address: "/users/edit?uname=user",
    field: ["Full name", "fullname"],
    path: "/admin/users",
    id: { uname: "user" },
  },
];

test.each(FORMS.map((form) => [form.address, form] as const))(
  "the form of %s does not silently replace what someone else has saved since it was opened",
  async (address, { show, field: [label, name], path, id }) => {
    const stored = async () => (await admin.get(`/api/1${path}/get`, id)).json;
    await using opened = await signedInPage(browser, muster, address);
    const { page } = opened;
    await show?.(page);
    const input = page.getByLabel(label, { exact: true });
    await input.fill("Mine");
    const { hostname, password } = await stored();
    // What these operations require besides.
    const others: Readonly<Record<string, Fields>> = {
      "/admin/hosts": { hostname, agentuser: "monit", agentpassword: "monit" },
      "/admin/users": { password, oldpassword: password },
    };
    const changed = await admin.post(`/api/1${path}/update`, { ...id, ...others[path], [name]: "Theirs" });
    expect(changed.status).toBe(200);
    const save = page.getByRole("button", { name: /^Save/ }).last();
    await save.click();
    const told = page.getByRole("alert").getByText("Someone else has changed this in the meantime.");
    await told.waitFor();
    expect((await stored())[name]).toBe("Theirs");
    await expectSoon(() => input.inputValue()).toBe("Mine");
    await settled(page);
    if (address === "/limits/edit?id=1") expect(await problemsEverywhere(page)).toEqual([]);
    await save.click();
    await page.locator(".toast").getByText(/saved/i).waitFor();
    expect((await stored())[name]).toBe("Mine");
    await expectAbsent(told);
  },
);

interface PartialForm {
  address: string;
  show?: (on: Page) => Promise<void>;
  edit: (on: Page) => Promise<unknown>;
  /** What someone else changes meanwhile. */
  write: readonly [operation: string, args: Fields];
  read: readonly [operation: string, args: Fields];
  /** What is stored of it by someone else, and then by the form. */
  stored: readonly [theirs: object, mine: object];
}

const { password, fullname } = (await admin.get("/api/1/admin/users/get?uname=admin")).json;
const filter = { screen: "hosts", text: "web" };
const saved = await admin.post("/api/1/filters/create", { name: "Web", filter });
expect(saved.status).toBe(200);
const typing = (label: string) => (on: Page) => on.getByLabel(label, { exact: true }).fill("Mine");

/** Replies whose list has this item. */
function both(list: string, theirs: object, mine: object): PartialForm["stored"] {
  const reply = (item: object) => ({ [list]: expect.arrayContaining([expect.objectContaining(item)]) });
  return [reply(theirs), reply(mine)];
}

const PARTIAL_FORMS: readonly PartialForm[] = [
  {
    address: "/account",
    edit: async (on) => {
      await typing("Title")(on);
      await on.getByLabel("Confirm with your password").fill(ADMIN_PASSWORD);
    },
    write: [
      "/admin/users/update",
      { uname: "admin", password, oldpassword: password, fullname, title: "Theirs" },
    ],
    read: ["/admin/users/get", { uname: "admin" }],
    stored: [{ title: "Theirs" }, { title: "Mine" }],
  },
  {
    address: "/users/edit?uname=user",
    edit: (on) => on.getByLabel("Restrict to these groups").check(),
    write: ["/admin/grants/set", { uname: "user", operate: [1] }],
    read: ["/admin/grants/get", { uname: "user" }],
    stored: [{ grants: [{ groupid: 1, level: "operate" }] }, { grants: [], restricted: true }],
  },
  {
    address: "/users/edit?uname=user",
    edit: (on) => on.getByRole("checkbox", { name: "Second" }).check(),
    write: ["/admin/contacts/set", { uname: "user", channels: [1] }],
    read: ["/admin/contacts/list", {}],
    stored: both("records", { uname: "user", channels: [1] }, { uname: "user", channels: [2] }),
  },
  {
    address: "/settings",
    edit: (on) => on.locator("input[name=historyraw]").fill("30"),
    write: ["/admin/settings/update", { historyraw: 20 }],
    read: ["/admin/settings/get", {}],
    stored: both("settings", { name: "historyraw", value: 20 }, { name: "historyraw", value: 30 }),
  },
  {
    address: "/groups",
    show: open("Rename Oslo"),
    edit: typing(NAME),
    write: ["/admin/groups/update", { id: 1, name: "Theirs" }],
    read: ["/admin/groups/list", {}],
    stored: both("groups", { name: "Theirs" }, { name: "Mine" }),
  },
  {
    address: "/hosts",
    show: open("Rename Web"),
    edit: typing(NAME),
    write: ["/filters/update", { id: saved.json.id, name: "Theirs" }],
    read: ["/filters/list", {}],
    stored: both("records", { name: "Theirs" }, { name: "Mine" }),
  },
];

test.each(PARTIAL_FORMS.map((form) => [form.write[0], form] as const))(
  "what someone else has saved by %s since the form was opened is not silently replaced",
  async (_, { address, show, edit, write, read, stored: [theirs, mine] }) => {
    await using opened = await signedInPage(browser, muster, address);
    const { page } = opened;
    await show?.(page);
    await edit(page);
    expect((await admin.post(`/api/1${write[0]}`, write[1])).status).toBe(200);
    const stored = async () => (await admin.get(`/api/1${read[0]}`, read[1])).json;
    const save = page.locator("form[data-unsaved] button[type=submit]");
    await save.click();
    await page.getByRole("alert").getByText("Someone else has changed this in the meantime.").waitFor();
    expect(await stored()).toMatchObject(theirs);
    await save.click();
    await page.locator(".toast").getByText(/saved/i).waitFor();
    expect(await stored()).toMatchObject(mine);
  },
);

test("a form that stays open is saved a second time without a question", async () => {
  await using opened = await signedInPage(browser, muster, "/hosts/1/settings");
  const { page } = opened;
  for (const text of ["In the cellar", "In the attic"]) {
    await page.getByLabel("Description").fill(text);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expectSoon(async () => (await admin.get("/api/1/admin/hosts/get?id=1")).json.description).toBe(
      text,
    );
    await settled(page);
  }
});

test("a section of a user that was saved before another one failed is saved again without a question", async () => {
  await using opened = await signedInPage(browser, muster, "/users/edit?uname=user");
  const { page } = opened;
  const restrict = page.getByLabel("Restrict to these groups");
  const stored = async () => (await admin.get("/api/1/admin/grants/get", { uname: "user" })).json.restricted;
  const before = await stored();
  const refuse = { status: 400, json: { code: "argument.invalid", error: "No such channel" } };
  await page.route("**/admin/contacts/set", (route) => route.fulfill(refuse), { times: 1 });
  await restrict.setChecked(!before);
  const channel = page.getByRole("checkbox", { name: "Second" });
  await channel.setChecked(!(await channel.isChecked()));
  const save = page.locator("form[data-unsaved] button[type=submit]");
  await save.click();
  await page.getByRole("alert").getByText("No such channel").waitFor();
  expect(await stored()).toBe(!before);
  await restrict.setChecked(before);
  await save.click();
  await page.locator(".toast").getByText(/saved/i).waitFor();
  expect(await stored()).toBe(before);
});
