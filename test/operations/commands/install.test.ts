import { expect, test } from "bun:test";
import { hiddenFolder } from "../../../src/operations/commands/unit.ts";

test.each([
  ["/home/ann/bin/muster", "/home"],
  ["/root/muster", "/root"],
  ["/run/user/1000/muster", "/run/user"],
  ["/tmp/muster", "/tmp"],
  ["/var/tmp/muster", "/var/tmp"],
  ["/usr/local/bin/muster", null],
  ["/homes/muster", null],
  ["/opt/tmp/muster", null],
])("the unit hides the folder above an executable, or not: %s", (executable, folder) => {
  expect(hiddenFolder(executable)).toBe(folder);
});
