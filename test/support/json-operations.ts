/** Which operations take JSON. */
import { TestApp } from "./app.ts";

const paths = new Set(
  new TestApp().operations.filter(({ body }) => body === "json").map(({ path }) => `/api/1${path}`),
);

export function takesJson(url: string): boolean {
  return paths.has(url.split("?")[0] ?? "");
}
