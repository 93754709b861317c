import { expect, test } from "bun:test";
import { isExposed } from "../../../src/platform/files/private-file.ts";

test("a secret is for its owner only; root may let a group read it", () => {
  const modes = [0o600, 0o400, 0o640, 0o440, 0o660, 0o604, 0o644, 0o650];
  const exposed = (uid: number) => modes.filter((mode) => isExposed(0o100_000 | mode, uid));
  expect(exposed(1000)).toEqual([0o640, 0o440, 0o660, 0o604, 0o644, 0o650]);
  expect(exposed(0)).toEqual([0o660, 0o604, 0o644, 0o650]);
});
