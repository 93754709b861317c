import { expect, test } from "bun:test";
import { type Column, sorted } from "../../../web/ui/table.tsx";

test("sorting keeps the order of equal rows, both ways", () => {
  const columns: Column<[string, number]>[] = [
    { key: "n", label: "N", cell: () => null, order: (a, b) => a[1] - b[1] },
    { key: "name", label: "Name", cell: () => null },
  ];
  const rows: [string, number][] = [
    ["a", 1],
    ["b", 0],
    ["c", 1],
  ];
  const names = (key: string, dir: "asc" | "desc") =>
    sorted(rows, columns, { key, dir }).map(([name]) => name);
  expect(names("n", "asc")).toEqual(["b", "a", "c"]);
  expect(names("n", "desc")).toEqual(["a", "c", "b"]);
  expect(names("name", "asc")).toEqual(["a", "b", "c"]);
});
