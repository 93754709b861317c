import { beforeEach } from "bun:test";
import { TestApp } from "./app.ts";
import type { TestClient } from "./client.ts";

/** The app of the present test. */
export let app: TestApp;
/** Its signed-in administrator and user. */
export let admin: TestClient;
export let user: TestClient;

/** Gives each test of the file a new app, without signing in. */
export function freshAppOfEachTest(): void {
  beforeEach(() => {
    app = new TestApp();
  });
}

/** Gives each test of the file a new app, with its administrator and its user. @param prepare fills it */
export function appOfEachTest(prepare: () => unknown = () => undefined): void {
  freshAppOfEachTest();
  beforeEach(async () => {
    admin = await app.admin();
    user = await app.user();
    await prepare();
  });
}
