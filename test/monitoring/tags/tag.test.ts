import { describe, expect, test } from "bun:test";
import { isTag, matchesTags, normalisedTag, parsedTag, tagText } from "../../../src/monitoring/tags/tag.ts";

test("a tag is stored in lower case, without white space", () => {
  expect(normalisedTag("  Env=PROD ")).toBe("env=prod");
  expect(normalisedTag("site=New  York")).toBe("site=new_york");
  expect(normalisedTag("Straße=É")).toBe("straße=é");
});

test("a tag is a name, or a name and a value, of bounded length", () => {
  const n = (length: number) => "n".repeat(length);
  for (const good of ["critical", "env=prod", "4u", "url=a/b:c@d+e", `${n(64)}=${n(128)}`, "ключ=знач"])
    expect([good, isTag(good)]).toEqual([good, true]);
  for (const bad of ["", "=x", "env=", "a=b=c", "-x", "a,b", "a b", '"', "<b>", n(65), `a=${n(129)}`])
    expect([bad, isTag(bad)]).toEqual([bad, false]);
});

test("its text is the same again after it was taken apart", () => {
  for (const text of ["critical", "env=prod"]) expect(tagText(parsedTag(text))).toBe(text);
});

describe("a filter by tags", () => {
  const HOST = ["critical", "env=prod", "role=db", "role=web"];
  const LEDGER: readonly (readonly [filter: string[], matches: boolean, why: string])[] = [
    [[], true, "no condition"],
    [["env=prod"], true, "the host has it"],
    [["env=stage"], false, "another value"],
    [["env"], true, "a name matches every value"],
    [["critical"], true, "also none"],
    [["rack"], false, "no such name"],
    [["critical=yes"], false, "the host's has no value"],
    [["env=stage", "env=prod"], true, "values of one name are alternatives"],
    [["env=prod", "role=db"], true, "both names match"],
    [["env=stage", "role=db"], false, "one name does not"],
    [["env=stage", "env"], true, "any value"],
  ];
  for (const [filter, matches, why] of LEDGER)
    test(`[${filter}] ${matches ? "matches" : "does not match"}: ${why}`, () => {
      expect(matchesTags(filter, HOST)).toBe(matches);
    });
});
