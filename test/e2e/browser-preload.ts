/**
 * Lets all files of a run share a browser: `bun test --preload ./test/e2e/browser-preload.ts`. To start one, and to make
 * it draw its first page, costs as much as the tests of a small file.
 */
import { afterAll } from "bun:test";
import { isReady } from "../support/programs.ts";
import { launchBrowser } from "./browser.ts";
import { useBrowser } from "./ui.ts";

if (isReady("chromium")) {
  const browser = await launchBrowser();
  useBrowser(browser);
  afterAll(() => browser.close());
}
