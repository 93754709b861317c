/** Secrets: that none can be read where it is stored, logged or answered. */

import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FULL_REACH } from "../../src/platform/http/scope.ts";
import { temporaryFolder } from "../e2e/support.ts";
import { TestApp } from "../support/app.ts";
import { TYPED, useEverything } from "./everything.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

const app = new TestApp({ database: join(folder.path, "muster.db") });
const { secrets, replies } = await useEverything(app);

/** The ways in which a secret could be written down and still be one. */
function formsOf(secret: string): Record<string, Buffer> {
  const md5 = createHash("md5").update(secret).digest("hex");
  const base64 = Buffer.from(secret).toString("base64");
  return {
    plain: Buffer.from(secret),
    "in a URL": Buffer.from(encodeURIComponent(secret)),
    base64: Buffer.from(base64),
    hex: Buffer.from(Buffer.from(secret).toString("hex")),
    md5: Buffer.from(md5),
    "upper-case md5": Buffer.from(md5.toUpperCase()),
    "md5 in bytes": Buffer.from(md5, "hex"),
    sha1: Buffer.from(createHash("sha1").update(secret).digest("hex")),
    "basic credentials": Buffer.from(btoa(`monit:${secret}`)),
  };
}

function findIn(bytes: Buffer): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(formsOf(secret))
      .filter(([, form]) => bytes.includes(form))
      .map(([form]) => `${name}, ${form}`),
  );
}

test("what is looked for was used: a secret that is stored in the open is found", () => {
  expect(Object.keys(secrets).length).toBeGreaterThan(20);
  expect(new Set(Object.values(secrets)).size).toBe(Object.keys(secrets).length);
  expect(findIn(Buffer.from(`x${TYPED["wrong password"]}x`))).toEqual([
    "wrong password, plain",
    "wrong password, in a URL",
  ]);
});

test("every call of it was answered, and the errors were many", () => {
  const statuses = new Set(replies.map(({ reply }) => reply.status));
  for (const status of [200, 302, 400, 401, 403, 404, 502]) expect(statuses).toContain(status);
});

describe("on the disk", () => {
  test("no file of the data folder holds a secret, its hash or a session's id, before and after a checkpoint", () => {
    for (const mode of ["PASSIVE", "TRUNCATE"]) {
      const files = readdirSync(folder.path).filter((name) => name.startsWith("muster.db"));
      expect(files).toContain("muster.db-wal");
      const bytes = Buffer.concat(files.map((name) => readFileSync(join(folder.path, name))));
      expect(bytes.length).toBeGreaterThan(200_000);
      // That it is the right file: what is no secret is there.
      expect(bytes.includes("login/failed")).toBe(true);
      expect(findIn(bytes)).toEqual([]);
      app.db.$client.run(`PRAGMA wal_checkpoint(${mode})`);
    }
  });

  test("they can all be read again with the key", () => {
    expect(app.muster.hosts.get(1, FULL_REACH).agentpassword).toBe(TYPED["agent's password, set"]);
    expect(app.settings.get("collectorpassword")).toBe(TYPED["collector's next password"]);
  });

  test("two users with the same password have nothing in common", () => {
    for (const uname of ["a", "b"])
      app.muster.users.create({ uname, fullname: "x", password: "same", admin: false });
    const rows = app.rows<{ p: string }>("select password_md5 as p from users where uname in ('a', 'b')");
    expect(new Set(rows.map(({ p }) => p)).size).toBe(2);
  });
});

describe("in the log", () => {
  test("there is no secret, and nothing of a URL but its path", async () => {
    // Whatever breaks inside is logged with its cause, so it is made to break while secrets are at hand.
    const client = await app.admin();
    const before = app.logged.length;
    for (const table of ["users", "hosts", "settings", "api_tokens", "login_failures"]) {
      app.db.$client.run(`alter table ${table} rename to elsewhere`);
      const fields = { password: TYPED["password of a user"], oldpassword: TYPED["wrong old password"] };
      const form = { z_username: TYPED["password typed as a name"], z_password: TYPED["wrong password"] };
      for (const [path, more] of [
        ["/api/1/login", form],
        ["/z_security_check", form],
        ["/api/1/admin/users/create", { ...fields, uname: "y", fullname: "Y" }],
        ["/api/1/admin/users/update", { ...fields, uname: "user", fullname: "Y" }],
        ["/api/1/admin/settings/update", { collectorpassword: TYPED["collector's password"] }],
        ["/api/1/tokens/create", { name: "x", scope: "full" }],
        [
          "/api/1/admin/hosts/update",
          { id: 1, hostname: "h", agentuser: "u", agentpassword: TYPED["agent's password, set"] },
        ],
      ] as const) {
        const reply = await client.post(`${path}?also=${TYPED["password in a URL"]}`, more);
        expect(findIn(Buffer.from(reply.text))).toEqual([]);
      }
      await app.report({
        id: "new",
        credentials: { username: "u", password: TYPED["agent's own password"] },
      });
      app.db.$client.run(`alter table elsewhere rename to ${table}`);
    }
    expect(app.logged.length).toBeGreaterThan(before + 5);
    expect(app.logged.filter((line) => /request failed path=\/api\/1\/admin\/\S+ /.test(line))).not.toEqual(
      [],
    );
    const log = app.logged.join("\n");
    expect(findIn(Buffer.from(log))).toEqual([]);
    expect(log).not.toMatch(/also=|z_username|\?/);
  });

  test("there is no address that only those know to whom it was given", async () => {
    const tables = { acknowledge_links: "/acknowledge/known-to-few", status_pages: "/s/known-to-few" };
    const before = app.logged.length;
    for (const [table, path] of Object.entries(tables)) {
      app.db.$client.run(`alter table ${table} rename to elsewhere`);
      expect((await app.app.request(path)).status).toBe(500);
      app.db.$client.run(`alter table elsewhere rename to ${table}`);
    }
    const log = app.logged.slice(before).join("\n");
    expect(log.match(/path=\S+/g)).toEqual(["path=/acknowledge/...", "path=/s/..."]);
    expect(log).not.toContain("known-to-few");
  });
});

describe("in replies", () => {
  test("errors, headers and redirects tell none back", () => {
    for (const { call, reply } of replies) {
      // A cookie is how its owner gets his session.
      const headers = [...reply.headers].filter(([name]) => name !== "set-cookie");
      const said = reply.status === 200 ? "" : reply.text;
      expect([call, findIn(Buffer.from(JSON.stringify(headers) + said))]).toEqual([call, []]);
    }
  });

  test("pages do not repeat what was typed", () => {
    const pages = replies.filter(({ reply }) => reply.headers.get("Content-Type")?.startsWith("text/html"));
    expect(pages.length).toBeGreaterThan(1);
    for (const { call, reply } of pages) {
      expect([call, findIn(Buffer.from(reply.text))]).toEqual([call, []]);
    }
  });

  test("the audit log and the list of refusals hold none", async () => {
    const admin = await app.admin();
    for (const path of ["audit", "refusals"]) {
      const { status, text } = await admin.get(`/api/1/admin/${path}/list`, { results: 1000 });
      expect([status, findIn(Buffer.from(text))]).toEqual([200, []]);
    }
  });
});
