import { expect, test } from "bun:test";
import { completions, tagsIn } from "../../../web/ui/tag-field.tsx";

const KNOWN = ["critical", "env=prod", "env=test", "role=db"];

test("tags are separated by commas, and nothing between two is no tag", () => {
  expect(tagsIn(" env=prod ,, Role=DB,")).toEqual(["env=prod", "Role=DB"]);
  expect(tagsIn("")).toEqual([]);
});

test("the last tag is completed, and those before it are kept and not offered again", () => {
  expect(completions("", KNOWN)).toEqual(KNOWN);
  expect(completions("En", KNOWN)).toEqual(["env=prod", "env=test"]);
  expect(completions("env=prod, EN", KNOWN)).toEqual(["env=prod, env=test"]);
  expect(completions("critical, env=prod,", KNOWN)).toEqual([
    "critical, env=prod, env=test",
    "critical, env=prod, role=db",
  ]);
});
