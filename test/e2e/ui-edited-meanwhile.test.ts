/** Two people who edit the same record: the one who saves last is told before the changes of the other are replaced. */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import type { Fields } from "../support/client.ts";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { problemsEverywhere, sharedBrowser, sharedDemo, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo(DEMO_HOSTS.slice(0, 1));
const admin = await muster.admin();
const key = (await admin.post("/api/1/admin/keys/create", { name: "Racks" })).json.id;
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
