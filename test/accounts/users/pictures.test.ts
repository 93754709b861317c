import { afterEach, describe, expect, test } from "bun:test";
import type { Reply, TestClient } from "../../support/client.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const IMAGE = "/api/1/admin/users/image";
const MIB = 1024 * 1024;

const bytes = (start: string, length = 64) =>
  Buffer.concat([Buffer.from(start, "latin1"), Buffer.alloc(length)]);
const PNG = bytes("\x89PNG\r\n\x1a\n");
const JPEG = bytes("\xff\xd8\xff\xe0");
const WEBP = bytes("RIFF\x20\x00\x00\x00WEBPVP8 ");

appOfEachTest();

interface Upload {
  file?: Uint8Array<ArrayBuffer>;
  fields?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Sends a multipart form as a browser does. */
async function upload(client: TestClient, { file, fields = {}, headers = {} }: Upload): Promise<Reply> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  if (file) body.set("image", new File([file], "../../me.html", { type: "text/html" }));
  const response = await client.raw(IMAGE, {
    method: "POST",
    body,
    headers: { CSRFToken: client.csrfToken, ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

/** The pictures that are stored, each with its owner, by owner. */
const pictures = () =>
  app.rows<{ uname: string; name: string; content: Uint8Array }>(
    "select uname, name, content from pictures join users on users.id = user_id order by uname",
  );
const owners = () => pictures().map(({ uname, name }) => [uname, name]);
const imageOf = (uname: string) =>
  app.rows<{ image: string }>(`select image from users where uname = '${uname}'`)[0]?.image ?? "";

describe("users/image refuses", () => {
  afterEach(() => expect(pictures()).toEqual([]));

  test("strangers, other users' accounts, and calls without CSRF token, in this order", async () => {
    await expectRefusal(app, () => upload(app.client(), { file: PNG }), 401, "session.required");
    const others = { file: PNG, fields: { uname: "admin" }, headers: { CSRFToken: "" } };
    await expectRefusal(app, () => upload(user, others), 403, "role.admin");
    await expectRefusal(app, () => upload(user, { headers: { CSRFToken: "wrong" } }), 403, "csrf.token");
  });

  test("an API token, for one's own picture", async () => {
    const { token } = (await admin.post("/api/1/tokens/create", { name: "t", scope: "full" })).json;
    const headers = { Authorization: `Bearer ${token}` };
    await app.client().get("/api/1/status/hosts/list", {}, headers);
    await expectRefusal(app, () => upload(app.client(), { file: PNG, headers }), 403, "token.session");
  });

  test("a call with neither file nor remove, and one with both", async () => {
    await expectRefusal(app, () => upload(user, { fields: { remove: "0" } }), 400, "argument.missing");
    await expectRefusal(app, () => upload(user, { file: new Uint8Array() }), 400, "argument.missing");
    await expectRefusal(app, () => upload(user, { fields: { image: "me.png" } }), 400, "argument.missing");
    await expectRefusal(
      app,
      () => upload(user, { file: PNG, fields: { remove: "1" } }),
      400,
      "request.invalid",
    );
    await expectRefusal(app, () => upload(user, { fields: { remove: "perhaps" } }), 400, "argument.invalid");
  });

  test("what is no picture by its content, whatever it is called", async () => {
    const svg = bytes('<svg xmlns="http://www.w3.org/2000/svg">');
    const gif = bytes("GIF89a");
    const wav = bytes("RIFF\x20\x00\x00\x00WAVEfmt ");
    for (const file of [svg, gif, wav, bytes("\x89PNG"), bytes(" \xff\xd8\xff")])
      await expectRefusal(app, () => upload(user, { file }), 400, "argument.invalid");
  });

  test("a picture of more than 1 MiB, and a far larger body", async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(MIB - PNG.length + 1)]);
    await expectRefusal(app, () => upload(user, { file: large }), 413, "body.large");
    await expectRefusal(app, () => upload(user, { file: Buffer.alloc(2 * MIB) }), 413, "body.large");
  });

  test("an unknown user", async () => {
    await expectRefusal(
      app,
      () => upload(admin, { fields: { uname: "nobody", remove: "1" } }),
      404,
      "object.unknown",
    );
    await expectRefusal(
      app,
      () => upload(admin, { fields: { uname: "nobody" }, file: PNG }),
      404,
      "object.unknown",
    );
  });
});

describe("users/image", () => {
  for (const [ending, file] of [
    ["png", PNG],
    ["jpg", JPEG],
    ["webp", WEBP],
    ["png", Buffer.concat([PNG, Buffer.alloc(MIB - PNG.length)])],
  ] as const) {
    test(`stores a ${ending} of ${file.length} bytes under a name of its own`, async () => {
      const before = stored(app);
      const reply = await upload(user, { file });
      expect(reply.status).toBe(200);
      const { image } = reply.json;
      expect(reply.json).toEqual({ image });
      expect(image).toMatch(new RegExp(`^[0-9a-f]{32}\\.${ending}$`));
      expect(changedTables(app, before)).toEqual(["pictures", "users"]);
      expect([imageOf("user"), imageOf("admin")]).toEqual([image, ""]);
      expect(owners()).toEqual([["user", image]]);
      expect(Buffer.from(pictures()[0]?.content ?? []).equals(file)).toBe(true);
    });
  }

  test("shows in users/get and users/list", async () => {
    const { image } = (await upload(user, { file: PNG })).json;
    expect((await user.get("/api/1/admin/users/get", { uname: "user" })).json.image).toBe(image);
    expect((await admin.get("/api/1/admin/users/list")).json[1]).toMatchObject({ uname: "user", image });
  });

  test("replaces the picture before: a user has one", async () => {
    await upload(user, { file: PNG });
    const { image } = (await upload(user, { file: JPEG })).json;
    expect(owners()).toEqual([["user", image]]);
  });

  test("goes away with remove=1, and again without harm", async () => {
    await upload(user, { file: PNG });
    const reply = await user.post(IMAGE, { remove: 1 });
    expect([reply.status, reply.json]).toEqual([200, { image: "" }]);
    expect(imageOf("user")).toBe("");
    expect(owners()).toEqual([]);
    expect((await user.post(IMAGE, { remove: 1 })).json).toEqual({ image: "" });
  });

  test("of another user is an administrator's to set", async () => {
    const { image } = (await upload(admin, { file: PNG, fields: { uname: "user" } })).json;
    expect([imageOf("user"), imageOf("admin")]).toEqual([image, ""]);
  });

  test("ends with its user", async () => {
    const { image: kept } = (await upload(admin, { file: PNG })).json;
    await upload(user, { file: PNG });
    await admin.post("/api/1/admin/users/delete", { uname: "user" });
    expect(owners()).toEqual([["admin", kept]]);
  });
});

describe("/uploads", () => {
  test("serves a picture to signed-in users only, as a picture that can do nothing", async () => {
    const { image } = (await upload(user, { file: WEBP })).json;
    await expectRefusal(app, () => app.client().get(`/uploads/${image}`), 401, "session.required");
    const response = await admin.raw(`/uploads/${image}`);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(WEBP)).toBe(true);
    expect(response.headers.get("Content-Type")).toBe("image/webp");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(response.headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
    expect(response.headers.get("Cache-Control")).toStartWith("private");
  });

  test("serves nothing else", async () => {
    const { image } = (await upload(user, { file: PNG })).json;
    for (const name of [
      "%2e%2e/secret.key",
      "muster.db",
      `${"0".repeat(32)}.png`,
      `${image}.png`,
      "%25.png",
    ]) {
      const reply = await user.get(`/uploads/${name}`);
      expect([name, reply.status]).toEqual([name, 404]);
    }
    expect((await user.get("/uploads")).text).not.toContain(image);
  });

  test("serves no picture any more once it was replaced", async () => {
    const { image } = (await upload(user, { file: PNG })).json;
    await upload(user, { file: JPEG });
    await expectRefusal(app, () => user.get(`/uploads/${image}`), 404, "path.unknown");
  });

  test("cannot be written to", async () => {
    await expectRefusal(app, () => user.post("/uploads/x.png"), 405, "method.refused");
  });
});

test("other operations take no files", async () => {
  const body = new FormData();
  body.set("name", new File([PNG], "name.png"));
  const init = { method: "POST", body, headers: { CSRFToken: admin.csrfToken } };
  const response = await admin.raw("/api/1/admin/groups/create", init);
  expect([response.status, await response.json()]).toMatchObject([400, { code: "argument.missing" }]);
});
