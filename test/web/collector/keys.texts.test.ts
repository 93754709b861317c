import { expect, test } from "bun:test";
import { KEYS } from "../../../web/collector/keys.texts.ts";

test("ending a key says what becomes of its hosts: of none, one or several", () => {
  const refused = "Messages with this key are then refused.";
  expect([0, 1, 2].map(KEYS.endHint)).toEqual([
    refused,
    `${refused} Its host stays bound to it until it is moved to another key.`,
    `${refused} Its 2 hosts stay bound to it until they are moved to another key.`,
  ]);
});
