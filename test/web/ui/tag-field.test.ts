import { expect, test } from "bun:test";
import { tagsIn } from "../../../web/ui/tag-field.tsx";

test("tags are separated by commas, and nothing between two is no tag", () => {
  expect(tagsIn(" env=prod ,, Role=DB,")).toEqual(["env=prod", "Role=DB"]);
  expect(tagsIn("")).toEqual([]);
});
