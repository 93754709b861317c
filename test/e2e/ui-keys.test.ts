/** Keys of agents in the UI: one story, in this order. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { layoutShift } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused } from "./page-reads.ts";
import { eventually } from "./support.ts";
import { announced, forgive, problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const muster = await sharedMuster({
  prepare: async (started) => {
    const admin = await started.admin();
    await admin.post("/api/1/admin/groups/create", { name: "Oslo" });
    await started.report({ id: "mail", hostname: "mail.example.org" });
  },
});
const { page, trouble } = await sharedPage(await sharedBrowser(), muster);

/** The lines for the control file, as the page shows them. */
const lines = () => page.getByLabel("the lines for Monit's control file").first();

/** Posts a message with the credential that the page shows. @returns the status */
async function reportAs(id: string): Promise<number> {
  const login = await eventually(
    "the lines have a credential",
    async () => /mmonit https?:\/\/(\S+?)@/.exec(await lines().inputValue())?.[1],
  );
  const headers = { Authorization: `Basic ${Buffer.from(login).toString("base64")}` };
  const hostname = `${id}.example.org`;
  return (await muster.client().report({ id, hostname, hostGroups: ["Bergen"] }, "", headers)).status;
}

const dialog = () => page.getByRole("dialog");
const row = (host: string) => page.getByRole("row", { name: host });

test("a key is created, shows its secret when asked, and its hosts appear on its page", async () => {
  await page.goto("/keys");
  await page.getByText("No keys yet").waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  await dialog().getByLabel("Name", { exact: true }).fill("oslo");
  await dialog().getByLabel("Oslo").check();
  await dialog().getByLabel("Tags").fill("site=oslo");
  await dialog().getByRole("button", { name: "Create key" }).click();
  await page.getByText("No host has reported with this key yet.").waitFor();
  await expectAbsent(lines());
  await page.getByRole("button", { name: "Show secret" }).click();
  expect(await reportAs("web")).toBe(200);
  await row("web.example.org").getByText("1 group ignored").waitFor();
});

test("a key keeps its groups when it is changed while those cannot be read", async () => {
  const groups = "**/api/1/admin/groups/list";
  await page.route(groups, (route) => route.abort());
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await dialog().getByLabel("Tags").fill("site=bergen");
  await dialog().getByText("The service cannot be reached").waitFor();
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("site=bergen").waitFor();
  await page.unroute(groups);
  const admin = await muster.admin();
  const { records } = (await admin.get("/api/1/admin/keys/list")).json;
  expect(records).toMatchObject([{ name: "oslo", hostgroups: [1], tags: ["site=bergen"] }]);
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await expectSoon(() => dialog().getByLabel("Oslo").isChecked()).toBe(true);
  await dialog().getByRole("button", { name: "Cancel" }).click();
  forgive(trouble, /ERR_FAILED/);
});

test("after the secret was replaced, it says who still uses the old one, and its page is fit for everyone", async () => {
  const helper = page.getByRole("textbox", { name: "the commands that install the script" });
  await page.getByRole("button", { name: "Show the lines" }).click();
  const old = await helper.inputValue();
  await page.getByRole("button", { name: "Replace secret" }).click();
  await dialog().getByText("1 host must get the new secret.").waitFor();
  await expectSoon(() => lines().inputValue()).toContain("set mmonit");
  const before = await lines().inputValue();
  await dialog().getByRole("button", { name: "Replace secret" }).click();
  await row("web.example.org").getByText("old secret").waitFor();
  await expectSoon(() => lines().inputValue()).not.toBe(before);
  await page.getByRole("button", { name: "Show the lines" }).click();
  await expectSoon(() => helper.inputValue()).not.toBe(old);
  expect(await problemsEverywhere(page)).toEqual([]);
  expect(await reportAs("web")).toBe(200);
  await row("web.example.org").getByText("old secret").waitFor({ state: "detached" });
});

test("a host of the first credential is moved to the key, and reports with it", async () => {
  await page.getByRole("button", { name: "Move a host here" }).click();
  const host = dialog().getByLabel("Host");
  await dialog().getByRole("button", { name: "Move" }).click();
  await expectSoon(() => isFocused(host)).toBe(true);
  await expectSoon(() => host.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe(
    "Choose a host",
  );
  await host.fill("mail");
  await dialog().getByRole("option", { name: "mail.example.org" }).click();
  // Escape is for the dialog, and not for the choice.
  await host.press("Escape");
  await dialog().getByRole("button", { name: "Keep editing" }).click();
  await expectSoon(() => host.inputValue()).toBe("mail.example.org");
  await dialog().getByRole("button", { name: "Move" }).click();
  await row("mail.example.org").getByText("moved here, not yet reported with this key").waitFor();
  expect(await reportAs("mail")).toBe(200);
  await row("mail.example.org").getByText("moved here").waitFor({ state: "detached" });
});

test("adding hosts offers the lines of a chosen key", async () => {
  await page.goto("/setup");
  await page.getByLabel("Credential").selectOption({ label: "Key oslo" });
  await expectSoon(() => lines().inputValue()).toContain("//oslo:");
  expect(await reportAs("new")).toBe(200);
  await page.getByRole("tab", { name: "Ansible" }).click();
  await expectSoon(() => page.getByRole("textbox", { name: "the playbook" }).inputValue()).toContain(
    `muster_agent_url: ${muster.url}\n        muster_agent_key: oslo\n`,
  );
  await page.getByRole("tab", { name: "Debian" }).click();
});

test("an enrolment code is shown once with the line to paste, listed with its uses, and revoked", async () => {
  await page.getByLabel("Machines").fill("20");
  await page.getByRole("button", { name: "Create code" }).click();
  const line = page.getByRole("textbox", { name: "the line that enrols a machine" });
  await line.waitFor();
  const [text, code = ""] = /MUSTER_CODE=(\S+) sh$/.exec(await line.inputValue()) ?? [];
  expect(text).toBeDefined();
  expect((await muster.client().post("/api/1/enrol/exchange", { code })).json.name).toBe("oslo");
  await page.getByText("19 of 20").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.getByRole("button", { name: "Revoke code" }).click();
  await dialog().getByRole("button", { name: "Revoke" }).click();
  await announced(page, "Code revoked");
  await page.getByText("19 of 20").waitFor({ state: "detached" });
  expect((await muster.client().post("/api/1/enrol/exchange", { code })).status).toBe(401);
});

test("a key that was ended says so, and its agents are refused", async () => {
  await page.goto("/keys");
  expect(await layoutShift(page)).toBeLessThan(0.02);
  await page.getByRole("link", { name: "oslo" }).click();
  await page.getByRole("button", { name: "Show secret" }).click();
  await page.getByRole("button", { name: "End" }).click();
  await dialog().getByRole("button", { name: "End key" }).click();
  await page.getByRole("button", { name: "Reactivate" }).waitFor();
  expect(await reportAs("web")).toBe(401);
  await page.getByRole("button", { name: "Reactivate" }).click();
  await page.getByRole("button", { name: "End", exact: true }).waitFor();
  expect(await reportAs("web")).toBe(200);
  await page.goto("/keys");
  await page.getByRole("link", { name: "oslo" }).waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  expect(trouble).toEqual([]);
});

test("the page of a host leads to the key that its agent uses", async () => {
  await page.getByRole("link", { name: "oslo" }).click();
  await page.waitForURL(/keys\/\d+$/);
  const key = page.url();
  await row("web.example.org").getByRole("link", { name: "web.example.org" }).click();
  await page.getByText("About this host and its agent").click();
  await page.getByRole("link", { name: "oslo", exact: true }).click();
  await page.waitForURL(key);
});

test("at an https address, the lines for a certificate that agents do not trust are offered", async () => {
  const admin = await muster.admin();
  await page.goto("/setup");
  await lines().waitFor();
  await expectAbsent(page.getByText("If machines do not trust Muster's certificate"));
  await admin.post("/api/1/admin/settings/update", { baseurl: "https://muster.example" });
  await page.reload();
  await page.getByText("If machines do not trust Muster's certificate").click();
  await expectSoon(() =>
    page.getByRole("textbox", { name: "the lines with the certificate file" }).inputValue(),
  ).toMatch(
    /^set mmonit https:\/\/\S+@muster\.example\/collector\n {4}with ssl \{ verify: enable, cacertificatefile: /,
  );
  expect(await problemsEverywhere(page)).toEqual([]);
  expect(trouble).toEqual([]);
});
