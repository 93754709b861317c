import { describe, expect, test } from "bun:test";
import { Api, ApiError, apiUrl, asApiError } from "../../../web/api/client.ts";

describe("the address of a call", () => {
  test("repeats lists and leaves out what is not given", () => {
    expect(apiUrl("/x", { a: [1, 2], b: "", c: null, d: undefined, e: 0 })).toBe("/api/1/x?a=1&a=2&e=0");
    expect(apiUrl("/x")).toBe("/api/1/x");
  });

  test("escapes what users type", () => {
    expect(apiUrl("/x", { q: "a&b=c d" })).toBe("/api/1/x?q=a%26b%3Dc+d");
  });
});

test("whatever is thrown can be shown as an error of the API", () => {
  const error = new ApiError(404, "object.unknown", "There is no host 7");
  expect(asApiError(error)).toBe(error);
  expect(asApiError(new TypeError("x is undefined")).message).toContain("x is undefined");
});

test("from the past nothing is written, except to sign in and out", async () => {
  const api = new Api();
  api.isPast = () => true;
  const writes = [
    api.post("/reports/events/dismiss", { id: 1 }),
    api.send("/mutes/create", {}),
    api.upload("/admin/users/image", new FormData()),
  ];
  for (const write of writes) expect(await write.catch(asApiError)).toMatchObject({ code: "moment.past" });
  // Nothing answers here, but these are sent.
  for (const path of ["/session/invalidate", "/login"])
    expect(await api.post(path).catch(asApiError)).toMatchObject({ code: "unreachable" });
});
