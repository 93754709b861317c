/**
 * Gives every test more time than any machine needs (bunfig.toml), however it is run: the limit is a guard against
 * hanging. Bun resets its limit of 5 s for each file, so this is called when a file is loaded.
 */

import { setDefaultTimeout } from "bun:test";
import { plugin } from "bun";
import { TEST_LIMIT } from "../../scripts/test-limit.ts";

plugin({
  name: "time limit of tests",
  setup: (build) => {
    build.onLoad({ filter: /\.test\.tsx?$/ }, async ({ path, loader }) => {
      setDefaultTimeout(TEST_LIMIT);
      return { contents: await Bun.file(path).text(), loader };
    });
  },
});
