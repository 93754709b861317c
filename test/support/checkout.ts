/** A second checkout of this commit, with the dependencies of the first: a test downloads nothing. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Lets git clone this checkout for somebody with this home, even if it belongs to another account. */
export function allowClones(home: string): void {
  if (!existsSync(join(ROOT, ".git")))
    throw new Error("this test clones the repository: run it in a checkout");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, ".gitconfig"), "[safe]\n\tdirectory = *\n");
}

/** Commands that put the dependencies into the folder where they run. */
export const TAKE_DEPENDENCIES = `
cp -al "${ROOT}/node_modules" . 2>/dev/null || cp -a "${ROOT}/node_modules" .
rm -f node_modules/.installed # It may be a hard link to that of the first checkout.
touch node_modules/.installed
`;
