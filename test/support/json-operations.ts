/** Which operations take JSON, by their table in docs/api.md: to load the operations themselves takes a third of a second. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const text = readFileSync(join(import.meta.dir, "../../docs/api.md"), "utf8");
const paths = new Set(
  [...text.matchAll(/^\| `(\S+)` \| POST JSON \|/gm)].map(([, path]) => `/api/1/${path}`),
);

export function takesJson(url: string): boolean {
  return paths.has(url.split("?")[0] ?? "");
}
