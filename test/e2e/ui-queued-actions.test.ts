/** Actions on a host whose port cannot be reached: one story, in this order. */
import { expect } from "bun:test";
import type { Fields, TestClient } from "../support/client.ts";
import { needing } from "../support/programs.ts";
import { expectSoon, isFocused } from "./page-reads.ts";
import { forgive, problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const SECRET = "a-secret.of_24-characters";
const HEADERS = { Authorization: `Basic ${Buffer.from(`oslo:${SECRET}`).toString("base64")}` };
const HOST = "web-1.example.org";
let admin: TestClient;

const muster = await sharedMuster({
  prepare: async (started) => {
    admin = await started.admin();
    await admin.post("/api/1/admin/keys/create", { name: "oslo", secret: SECRET });
    const services = [{ name: "nginx" }, { name: "worker" }];
    const message = { id: "agent-1", hostname: HOST, poll: 600, httpd: null, services };
    await started.client().report({ ...message, at: Math.floor(Date.now() / 1000) }, "", HEADERS);
  },
});
const { page, trouble } = await sharedPage(await sharedBrowser(), muster);

/** Asks as the host does. @returns the lines of the answer */
async function ask(path: string, ...lines: string[]): Promise<string[]> {
  const body = ["agent-1", ...lines].join("\n");
  const response = await muster
    .client()
    .raw(`/agent/actions${path}`, { method: "POST", body, headers: HEADERS });
  expect(response.status).toBe(200);
  return (await response.text()).split("\n").filter((line) => line !== "");
}

const dialog = () => page.getByRole("dialog");
const button = (name: string) => page.getByRole("button", { name, exact: true });
const waiting = () => page.getByRole("list", { name: "Queued actions" }).getByRole("listitem");

async function act(action: string): Promise<void> {
  await button(action).click();
  await dialog().getByRole("button", { name: action, exact: true }).click();
}

const serviceOf = async (name: string) => {
  const { services } = (await admin.get("/api/1/status/hosts/get", { id: 1 })).json.records.host;
  return services.find((service: Fields) => service.name === name).id;
};

test("without it, the action fails with the reason", async () => {
  await ask("");
  await page.goto("/hosts/1");
  await page.getByLabel("Select nginx").check();
  await act("Restart");
  await dialog().getByText("The agent has no HTTP interface").waitFor();
  await page.keyboard.press("Escape");
});

test("an administrator turns it on in the settings of the host", async () => {
  await page.goto("/hosts/1/settings");
  await page.getByLabel("Queue actions until the agent asks for them").check();
  await button("Save").click();
  await page.getByText("Host settings saved").first().waitFor();
  expect((await admin.get("/api/1/admin/hosts/get", { id: 1 })).json.actionqueue).toBe(1);
});

test("then an action waits for the agent, and the page follows what comes of it", async () => {
  await page.goto("/hosts/1");
  await page.getByLabel("Select nginx").check();
  await page.getByLabel("Select worker").check();
  await act("Restart");
  const first = waiting().filter({ hasText: "Restart nginx" });
  await first.getByText("Waiting for the agent").waitFor();
  await first.getByText("asked by admin").waitFor();
  await waiting().filter({ hasText: "Restart worker" }).getByText("Waiting for the agent").waitFor();
  expect(await ask("")).toEqual(["1\trestart\tnginx", "2\trestart\tworker"]);
  await first.getByText("Sent to the agent").waitFor();
  await ask("/result", "1\t0\t");
  await first.getByText("Ran").waitFor();
  await ask("/result", "2\t1\tThere is <b>no</b> service 'worker'");
  const failed = waiting().filter({ hasText: "Restart worker: There is <b>no</b> service 'worker'" });
  await failed.getByText("Failed").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("the page of a service shows the actions of this service", async () => {
  await page.goto(`/hosts/1/services/${await serviceOf("worker")}`);
  await waiting().filter({ hasText: "Restart worker" }).getByText("Failed").waitFor();
  await waiting().filter({ hasText: "nginx" }).waitFor({ state: "detached" });
  await act("Stop");
  await waiting().filter({ hasText: "Stop worker" }).getByText("Waiting for the agent").waitFor();
  expect(await ask("")).toEqual(["3\tstop\tworker"]);
  await waiting().filter({ hasText: "Stop worker" }).getByText("Sent to the agent").waitFor();
});

test("an action is cancelled while it waits", async () => {
  await page.goto(`/hosts/1/services/${await serviceOf("worker")}`);
  await act("Start");
  await button("Cancel start of worker").click();
  const row = waiting().filter({ hasText: "Start worker: Cancelled by admin" });
  await row.getByText("Cancelled", { exact: true }).waitFor();
  await expectSoon(() => isFocused(page.getByRole("heading", { level: 1 }))).toBe(true);
  expect(await ask("")).toEqual([]);
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("the page of the key shows what a host needs", async () => {
  await page.goto("/keys/1");
  await button("Show the lines").click();
  const commands = page.getByLabel("the commands that install the script", { exact: true });
  await expectSoon(() => commands.inputValue()).toContain(`login=oslo:${SECRET}`);
  const lines = page.getByLabel("the lines that run the script", { exact: true });
  await expectSoon(() => lines.inputValue()).toContain("set httpd unixsocket");
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("bulk edit turns it off", async () => {
  await page.goto("/hosts/change");
  await page.getByLabel("Queue actions until the agent asks").selectOption({ label: "Off" });
  await button("Change 1 host").click();
  await page.getByText("1 host changed").first().waitFor();
  expect((await admin.get("/api/1/admin/hosts/get", { id: 1 })).json.actionqueue).toBe(0);
  // The browser notes each answer of a port that cannot be reached.
  forgive(trouble, /502 \(Bad Gateway\)/);
});
