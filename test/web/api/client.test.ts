import { describe, expect, spyOn, test } from "bun:test";
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

test("a reply that cannot be read is none of the service, which the page then says", async () => {
  using fetched = spyOn(globalThis, "fetch");
  const api = new Api();
  fetched.mockResolvedValueOnce(Response.json({ records: [] }));
  expect(await api.get("/x")).toEqual({ records: [] });
  const answered = api.connection.peek();
  expect(answered).toMatchObject({ lost: false, at: expect.any(Number) });
  for (const call of [() => api.get("/x"), () => api.post("/x")]) {
    fetched.mockResolvedValueOnce(new Response("<!doctype html><title>Sign in</title>"));
    expect(await call().catch(asApiError)).toMatchObject({ code: "unreachable", status: 0 });
    expect(api.connection.peek()).toEqual({ ...answered, lost: true });
  }
  const unknown = { error: "There is no x 7", code: "object.unknown" };
  fetched.mockResolvedValueOnce(Response.json(unknown, { status: 404 }));
  expect(await api.get("/x").catch(asApiError)).toMatchObject({ status: 404 });
  expect(api.connection.peek()).toEqual({ ...answered, lost: false });
});

test("an upload may take as long as the largest import, other writes a minute", async () => {
  using fetched = spyOn(globalThis, "fetch");
  using timeout = spyOn(AbortSignal, "timeout");
  const api = new Api();
  for (const write of [() => api.upload("/x", new FormData()), () => api.send("/x", {})]) {
    fetched.mockResolvedValueOnce(Response.json({}));
    await write();
  }
  expect(timeout.mock.calls).toEqual([[900_000], [60_000]]);
});

test("a proxy that refuses the size of a file is named", async () => {
  using fetched = spyOn(globalThis, "fetch");
  fetched.mockResolvedValueOnce(new Response("<html>413 Request Entity Too Large</html>", { status: 413 }));
  const error = await new Api().upload("/x", new FormData()).catch(asApiError);
  expect(error).toMatchObject({ status: 413, message: expect.stringContaining("proxy") });
});
