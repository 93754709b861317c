import { expect, test } from "bun:test";
import { itemsOf, listText, partsOf } from "../../../web/text/comma-list.ts";

test.each([
  ["nginx", ["nginx"]],
  [" nginx ,, disk ", ["nginx", "disk"]],
  ['"disk, root", nginx', ["disk, root", "nginx"]],
  ['"disk, root" ,nginx,', ["disk, root", "nginx"]],
  ['"say ""yes"", now"', ['say "yes", now']],
  ['19" rack, a"b"', ['19" rack', 'a"b"']],
  ['"a"b, c', ['"a"b', "c"]],
  ['nginx, "disk, ro', ["nginx", "disk, ro"]],
  ["", []],
] as const)("%p lists %p", (text, items) => {
  expect(itemsOf(text)).toEqual([...items]);
});

test("every list of names is read from its text as it was", () => {
  const pieces = ["a", ",", '"', " ", "b", "\\"];
  const names = pieces
    .flatMap((a) => pieces.flatMap((b) => pieces.map((c) => a + b + c)))
    .concat(pieces.filter((piece) => piece.trim() !== ""));
  for (const [i, name] of names.entries()) {
    const items = [name, names[(i * 7) % names.length] ?? "", "last"];
    expect(itemsOf(listText(items))).toEqual(items);
  }
});

test("names without a comma are written as they are", () => {
  expect(listText(["web-*", '19" rack', "disk"])).toBe('web-*, 19" rack, disk');
});

test("the last part is the one that is being typed, also when it is empty", () => {
  expect(partsOf("nginx, ").at(-1)).toBe("");
  expect(partsOf('nginx, "disk, ').at(-1)).toBe("disk, ");
});
