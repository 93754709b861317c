import { expect, test } from "bun:test";
import { completions } from "../../../web/ui/combobox.tsx";

const KNOWN = ["critical", "env=prod", "env=test"].map((value) => ({ value, text: value }));
const values = (typed: string) => completions(typed, KNOWN).map(({ value }) => value);

test("what is typed last is completed, whatever its case, and what is there already is not suggested again", () => {
  expect(values("")).toEqual(["critical", "env=prod", "env=test"]);
  expect(values("En")).toEqual(["env=prod", "env=test"]);
  expect(values("env=prod, EN")).toEqual(["env=prod, env=test"]);
  expect(values("critical, env=prod,")).toEqual(["critical, env=prod, env=test"]);
});

test("a name is completed however its letters are composed", () => {
  expect(completions("CAF\u00c9", [{ value: "Cafe\u0301", text: "Cafe\u0301" }])).toHaveLength(1);
});

test("a name with a comma is completed in quotes, and found again in them", () => {
  const disks = ["disk, root", "disk, data"].map((value) => ({ value, text: value }));
  expect(completions("root", disks).map(({ value }) => value)).toEqual(['"disk, root"']);
  const next = completions('"disk, root", da', disks).map(({ value }) => value);
  expect(next).toEqual(['"disk, root", "disk, data"']);
  expect(completions('nginx, "disk, r', disks).map(({ value }) => value)).toEqual(['nginx, "disk, root"']);
});

test("people are found by their names and by their user names", () => {
  const people = [{ value: "ab", text: "Anna Berg", note: "ab" }];
  for (const typed of ["berg", "AB", "someone, anna"]) expect(completions(typed, people)).toHaveLength(1);
  expect(completions("bob", people)).toEqual([]);
});
