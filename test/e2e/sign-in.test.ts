/** The ways to sign in, through the executable, in a real browser. */
import { describe, expect } from "bun:test";
import { CLIENT_ID, CLIENT_SECRET, TestProvider } from "../accounts/openid/provider.ts";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { totpCode } from "../support/totp.ts";
import { heading, openPage, signIn, type WatchedPage } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused } from "./page-reads.ts";
import { freePort, Muster, PASSWORDS, temporaryFolder } from "./support.ts";
import { accessibilityProblems, announced, excessWidth, sharedBrowser, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const PHONE = { width: 390, height: 800 };

const browser = await sharedBrowser();

/** The faults of the page, wide and on a phone. */
async function problems({ page }: WatchedPage): Promise<unknown[]> {
  const problems: unknown[] = await accessibilityProblems(page);
  await page.setViewportSize(PHONE);
  problems.push(...(await accessibilityProblems(page)));
  const excess = await excessWidth(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  return excess > 0 ? [...problems, `${excess} pixels too wide`] : problems;
}

describe("with an OpenID provider", () => {
  test("on another site, the page asked for is there afterwards", async () => {
    using folder = temporaryFolder();
    const port = freePort();
    const origin = `http://127.0.0.1:${port}`;
    // Another site for the browser, although it is on the same machine.
    using provider = new TestProvider({
      redirectUri: `${origin}/login/oidc/callback`,
      host: "localhost",
      interactive: true,
    });
    await using muster = await Muster.start({
      cwd: folder.path,
      port,
      env: { ...PASSWORDS, MUSTER_OIDC_CLIENT_SECRET: CLIENT_SECRET },
      args: [
        "--base-url",
        origin,
        "--oidc-issuer",
        provider.issuer,
        "--oidc-client-id",
        CLIENT_ID,
        "--oidc-name",
        "Example Inc.",
        "--oidc-admin-group",
        "admins",
      ],
    });
    await using open = await openPage(browser, muster, "/audit?operation=login");
    const { page } = open;
    const button = page.getByRole("link", { name: "Sign in with Example Inc." });
    await button.waitFor();
    expect(await problems(open)).toEqual([]);
    // A name that was typed is nothing to lose, so the browser does not ask.
    await page.getByLabel("User name").click();
    await page.keyboard.type("ada");
    await button.click();
    await page.waitForURL((url) => url.origin === provider.issuer);
    await page.getByRole("button", { name: "Continue" }).click();
    await heading(page, "Audit log");
    await expectSoon(() => page.url()).toBe(`${origin}/audit?operation=login`);
    await page.getByText("Ada Lovelace").first().waitFor({ state: "attached" });
    await page.reload();
    await heading(page, "Audit log");

    await page.goto("/account");
    await page.getByText("Signs in with the OpenID provider").waitFor();
    await expectAbsent(page.getByLabel(/password/i));
    await page.getByLabel("Title").fill("Countess");
    await page.getByRole("button", { name: "Save" }).click();
    await announced(page, "Saved");

    await page.getByRole("button", { name: /sign out/i }).click();
    await button.waitFor();
    await expectSoon(() => page.getByRole("log").textContent()).toBe("");
    // The provider refuses, and the page here says so, with a way back.
    provider.who = null;
    await page.context().clearCookies({ domain: "localhost" });
    await button.click();
    const refused = page.waitForURL(/\/login\/oidc\/callback/);
    await page.getByRole("button", { name: "Continue" }).click();
    await refused;
    await page.getByText("cancelled, or refused").waitFor();
    await page.getByRole("link", { name: "Back to the start page" }).click();
    await button.waitFor();
    const trouble = open.trouble.filter((text) => !text.includes(provider.issuer) && !text.includes("403"));
    expect(trouble).toEqual([]);
  });
});

describe("with a second factor", () => {
  test("which is switched on and off on the account page, and asked for at the sign-in", async () => {
    using folder = temporaryFolder();
    await using muster = await Muster.start({ cwd: folder.path });
    await using open = await signedInPage(browser, muster, "/account");
    const { page } = open;
    await page.getByRole("button", { name: "Enable" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill(ADMIN_PASSWORD);
    await dialog.getByRole("button", { name: "Continue" }).click();
    const secretField = dialog.getByRole("textbox", { name: "the secret" });
    await expectSoon(() => secretField.inputValue()).not.toBe("");
    const secret = await secretField.inputValue();
    await dialog.getByRole("img", { name: "QR code of the secret" }).waitFor();
    expect(await problems(open)).toEqual([]);
    await dialog.getByLabel("Code from the app").fill(totpCode(secret, Date.now() / 1000));
    await dialog.getByRole("button", { name: "Enable" }).click();
    const codesField = dialog.getByRole("textbox", { name: "the recovery codes" });
    await expectSoon(async () => (await codesField.inputValue()).split("\n")).toHaveLength(10);
    const codes = (await codesField.inputValue()).split("\n");
    // The browser itself closes a dialog at the third Escape in a row.
    for (let presses = 0; presses < 4; presses++) await page.keyboard.press("Escape");
    await dialog.getByRole("textbox", { name: "the recovery codes" }).waitFor();
    expect(await problems(open)).toEqual([]);
    await dialog.getByRole("button", { name: "I've saved them" }).click();
    await page.getByText("On: you sign in with your password and a code").waitFor();
    await page.goto("/users");
    await page.getByRole("cell", { name: "password and code" }).waitFor();

    await page.getByRole("button", { name: /sign out/i }).click();
    await signIn(page);
    const code = page.getByLabel("Code");
    await code.waitFor();
    await expectSoon(() => isFocused(code)).toBe(true);
    expect(await problems(open)).toEqual([]);
    await code.fill("000000");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The code is wrong").waitFor();
    await code.fill(codes[0] ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await heading(page, "Users");

    await page.goto("/account");
    await page.getByRole("button", { name: "Disable" }).click();
    await dialog.getByLabel("Your password").fill(ADMIN_PASSWORD);
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page.getByText("Off: you sign in with your password alone").waitFor();
    expect(open.trouble).toEqual([]);
  });

  test("is asked only of the user who has one", async () => {
    using folder = temporaryFolder();
    await using muster = await Muster.start({ cwd: folder.path });
    const admin = await muster.admin();
    const pat = { uname: "pat", password: "pat's secret", fullname: "Pat" };
    await admin.post("/api/1/admin/users/create", pat);
    const { json } = await admin.post("/api/1/admin/users/totp/begin", { password: ADMIN_PASSWORD });
    const code = totpCode(json.secret, Date.now() / 1000);
    expect((await admin.post("/api/1/admin/users/totp/confirm", { code })).status).toBe(200);
    await using open = await openPage(browser, muster);
    const { page } = open;
    await signIn(page);
    await page.getByLabel("Code").waitFor();
    await page.getByLabel("User name").fill("pat");
    await expectAbsent(page.getByLabel("Code"));
    await page.getByLabel("User name").fill("admin");
    await page.getByLabel("Code").waitFor();
    await signIn(page, pat.password, pat.uname);
    await heading(page, "Overview");
    expect(open.trouble).toEqual([]);
  });

  test("that somebody lost is switched off by an administrator", async () => {
    using folder = temporaryFolder();
    await using muster = await Muster.start({ cwd: folder.path });
    const admin = await muster.admin();
    await admin.post("/api/1/admin/users/create", {
      uname: "pat",
      password: "pat's secret",
      fullname: "Pat",
    });
    const pat = await muster.client().signIn("pat", "pat's secret");
    const begun = await pat.post("/api/1/admin/users/totp/begin", { password: "pat's secret" });
    const code = totpCode(begun.json.secret, Date.now() / 1000);
    expect((await pat.post("/api/1/admin/users/totp/confirm", { code })).status).toBe(200);
    await using open = await signedInPage(browser, muster, "/users/edit?uname=pat");
    const { page } = open;
    await page.getByRole("button", { name: "Disable" }).click();
    const dialog = page.getByRole("dialog", { name: "Disable two-factor authentication for pat?" });
    await dialog.waitFor();
    expect(await problems(open)).toEqual([]);
    await dialog.getByRole("button", { name: "Disable" }).click();
    await page
      .getByRole("heading", { name: "Two-factor authentication", exact: true })
      .waitFor({ state: "detached" });
    await muster.client().signIn("pat", "pat's secret");
    expect(open.trouble).toEqual([]);
  });
});

describe("through a proxy that signs people in", () => {
  test("nobody is asked again until they have signed out", async () => {
    using folder = temporaryFolder();
    await using muster = await Muster.start({
      cwd: folder.path,
      args: [
        "--trusted-proxy",
        "127.0.0.1",
        "--auth-proxy-header",
        "Remote-User",
        "--auth-proxy-create",
        "yes",
      ],
    });
    await using open = await openPage(browser, muster);
    const { page } = open;
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.context().setExtraHTTPHeaders({ "Remote-User": "pat" });
    await page.goto("/hosts");
    await heading(page, "Hosts");
    await page.getByRole("button", { name: /sign out/i }).click();
    const again = page.getByRole("button", { name: "Continue as pat" });
    await again.waitFor();
    expect(await problems(open)).toEqual([]);
    await again.click();
    await heading(page, "Hosts");
    expect(open.trouble).toEqual([]);
  });
});
