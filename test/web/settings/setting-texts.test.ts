import { expect, test } from "bun:test";
import { EDITABLE } from "../../../src/platform/settings/settings.definitions.ts";
import { BACKUP_GROUPS, SETTING_GROUPS } from "../../../web/settings/setting-texts.ts";

test("every setting has a label of its own in one group", () => {
  const labelled = [...SETTING_GROUPS, ...BACKUP_GROUPS].flatMap(({ settings }) => Object.keys(settings));
  expect(labelled.sort()).toEqual(Object.keys(EDITABLE).sort());
});
