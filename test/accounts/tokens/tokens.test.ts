import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const LIST = "/api/1/tokens/list";
const CREATE = "/api/1/tokens/create";
const DELETE = "/api/1/tokens/delete";
const HOSTS = "/api/1/status/hosts/list";

appOfEachTest();

interface Made {
  id: number;
  token: string;
}

async function make(client: TestClient, fields: Fields = {}): Promise<Made> {
  return (await client.post(CREATE, { name: "backup job", scope: "full", ...fields })).json;
}

const get = (token: string, path = HOSTS) => app.client().get(path, {}, { Authorization: `Bearer ${token}` });

describe("tokens/create", () => {
  const RIGHT = { name: "backup job", scope: "read", expires: START + 60 };

  for (const expires of [START, START - 1])
    test(`refuses expires=${expires}, which is past`, async () => {
      const call = () => user.post(CREATE, { ...RIGHT, expires });
      const reply = await expectRefusal(app, call, 400, "argument.invalid");
      expect(reply.json.error).toStartWith("expires");
    });

  test("gives a token of 256 random bits once and stores its hash only", async () => {
    const before = stored(app);
    const reply = await user.post(CREATE, RIGHT);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ id: 1, token: expect.stringMatching(/^muster_[\w-]{43}$/) });
    expect(changedTables(app, before)).toEqual(["api_tokens"]);
    expect(app.rows("select * from api_tokens")).toEqual([
      {
        id: 1,
        user_id: 2,
        name: "backup job",
        token_hash: createHash("sha256").update(reply.json.token).digest("hex"),
        scope: "read",
        created_at: START,
        expires_at: START + 60,
        used_at: null,
      },
    ]);
    expect((await make(user)).token).not.toBe(reply.json.token);
  });

  test("allows 100 tokens per user", async () => {
    for (let i = 0; i < 100; i++) expect((await make(user)).id).toBe(i + 1);
    await expectRefusal(app, () => user.post(CREATE, RIGHT), 400, "request.invalid");
    expect((await admin.post(CREATE, RIGHT)).status).toBe(200);
    await user.post(DELETE, { id: 7 });
    expect((await user.post(CREATE, RIGHT)).status).toBe(200);
  });
});

describe("tokens/list", () => {
  test("lists one's own tokens by name, without the tokens themselves", async () => {
    await make(user, { name: "b" });
    const { token } = await make(user, { name: "a", scope: "read", expires: START + 3600 });
    await make(admin, { name: "not his" });
    app.clock.step(5);
    await get(token);
    const reply = await user.get(LIST);
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      totalRecords: 2,
      records: [
        { id: 2, name: "a", scope: "read", created: START, expires: START + 3600, lastused: START + 5 },
        { id: 1, name: "b", scope: "full", created: START, expires: null, lastused: null },
      ],
    });
  });
});

describe("tokens/delete", () => {
  test("knows only one's own tokens, even for an administrator", async () => {
    await make(user);
    await expectRefusal(app, () => admin.post(DELETE, { id: 1 }), 404, "object.unknown");
    await expectRefusal(app, () => user.post(DELETE, { id: 2 }), 404, "object.unknown");
  });

  test("ends the token and no other", async () => {
    const gone = await make(user);
    const kept = await make(user);
    const before = stored(app);
    const reply = await user.post(DELETE, { id: gone.id });
    expect([reply.status, reply.json]).toEqual([200, {}]);
    expect(changedTables(app, before)).toEqual(["api_tokens"]);
    expect((await get(gone.token)).status).toBe(401);
    expect((await get(kept.token)).status).toBe(200);
  });
});

describe("a token", () => {
  test("is good until it expires, to the second", async () => {
    const { token } = await make(user, { expires: START + 60 });
    app.clock.step(59);
    expect((await get(token)).status).toBe(200);
    app.clock.step(1);
    expect((await get(token)).status).toBe(401);
  });

  test("has the time of its last use stored once a minute at most", async () => {
    const { token } = await make(user);
    const used = () => app.rows("select used_at from api_tokens")[0];
    for (const [step, expected] of [
      [0, START],
      [59, START],
      [1, START + 60],
      [30, START + 60],
      // The clock is set back.
      [-3600, START - 3510],
    ] as const) {
      app.clock.step(step);
      await get(token);
      expect(used()).toEqual({ used_at: expected });
    }
  });

  test("that is wrong is refused even beside a good cookie", async () => {
    const { token } = await make(user);
    const wrong = ["Bearer", "Bearer ", "Bearer muster_", `Bearer ${token}x`, `bearer ${token.slice(0, -1)}`];
    for (const Authorization of wrong)
      await expectRefusal(app, () => user.get(HOSTS, {}, { Authorization }), 401, "session.required");
    expect((await user.get(HOSTS, {}, { Authorization: `bearer  ${token} ` })).status).toBe(200);
  });

  test("counts more than the cookie beside it", async () => {
    const { token } = await make(user);
    await get(token);
    await expectRefusal(
      app,
      () => admin.get("/api/1/admin/hosts/list", {}, { Authorization: `Bearer ${token}` }),
      403,
      "role.level",
    );
  });

  test("does not replace the credential of agents", async () => {
    const { token } = await make(admin);
    const reply = await app.client().post("/collector", {}, { Authorization: `Bearer ${token}` });
    expect(reply.status).toBe(401);
  });
});
