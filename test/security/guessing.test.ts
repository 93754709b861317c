/** Guessing passwords, wherever one is asked for. The login's own rules are tested with the login. */
import { describe, expect, test } from "bun:test";
import { Audit } from "../../src/accounts/audit/audit.service.ts";
import { Login } from "../../src/accounts/sign-in/login.service.ts";
import { LoginThrottle, MAX_FAILURES } from "../../src/accounts/sign-in/login-throttle.service.ts";
import { SecondFactor } from "../../src/accounts/sign-in/second-factor.service.ts";
import { md5 } from "../../src/accounts/users/password.ts";
import { sourceOf } from "../../src/platform/net/client-address.ts";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../support/app.ts";
import { admin, app, appOfEachTest, user } from "../support/each-test.ts";

appOfEachTest();

type Guess = (app: TestApp, account: string, password: string, address?: string) => Promise<number>;

const api: Guess = async (app, account, password, address) =>
  (await app.client(address).post("/api/1/login", { z_username: account, z_password: password })).status;

/** 302 is its success. */
const older: Guess = async (app, account, password, address) =>
  (await app.client(address).post("/z_security_check", { z_username: account, z_password: password })).status;

const legacyByGet: Guess = async (app, account, password, address) =>
  (await app.client(address).get("/z_security_check", { z_username: account, z_password: password })).status;

describe("every login counts together", () => {
  for (const [name, guess, success] of [
    ["POST /api/1/login", api, 200],
    ["POST /z_security_check", older, 302],
    ["GET /z_security_check", legacyByGet, 302],
  ] as const)
    test(`${name} is refused after five wrong passwords at another one`, async () => {
      expect(await guess(app, "user", USER_PASSWORD)).toBe(success);
      for (let i = 0; i < 5; i++) expect(await (i % 2 ? older : api)(app, "admin", "wrong")).toBe(401);
      expect(await guess(app, "admin", ADMIN_PASSWORD)).toBe(429);
      expect(await guess(app, "admin", ADMIN_PASSWORD, "203.0.113.8")).toBe(success);
    });

  test("nobody locks an account out, by whichever login", async () => {
    for (let i = 0; i < 30; i++)
      for (const guess of [api, older, api, older, api])
        await guess(app, "admin", "wrong", `198.51.100.${i}`);
    for (const [guess, success] of [
      [api, 200],
      [older, 302],
    ] as const)
      expect(await guess(app, "admin", ADMIN_PASSWORD, "203.0.113.8")).toBe(success);
  });
});

describe("the old password at users/update", () => {
  const update = async (app: TestApp, oldpassword: string, password = "new secret") => {
    const user = await app.signedIn("user", USER_PASSWORD).catch(() => null);
    if (!user) return 0;
    const fields = { uname: "user", fullname: "A User", oldpassword, password };
    return (await user.post("/api/1/admin/users/update", fields)).status;
  };

  test("may be wrong five times, then not even the right one is looked at", async () => {
    const fields = { uname: "user", fullname: "A User", password: "new secret" };
    const statuses: number[] = [];
    for (const oldpassword of ["1", "2", "3", md5("4"), "5", USER_PASSWORD, md5(USER_PASSWORD)])
      statuses.push((await user.post("/api/1/admin/users/update", { ...fields, oldpassword })).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429, 429]);
    expect(await api(app, "user", USER_PASSWORD, "203.0.113.8")).toBe(200);
    app.clock.step(15 * 60 + 1);
    expect(
      (await user.post("/api/1/admin/users/update", { ...fields, oldpassword: USER_PASSWORD })).status,
    ).toBe(200);
  });

  test("counts wherever it is given", async () => {
    const fields = { uname: "user", fullname: "A User", password: "new secret" };
    for (const mount of ["/api/1", "", "/api/2", "/api/1", "/api/2"])
      expect(
        (await user.post(`${mount}/admin/users/update`, { ...fields, oldpassword: "wrong" })).status,
      ).toBe(403);
    for (const mount of ["/api/1", "", "/api/2"])
      expect(
        (await user.post(`${mount}/admin/users/update`, { ...fields, oldpassword: USER_PASSWORD })).status,
      ).toBe(429);
  });

  test("counts with the logins from there", async () => {
    for (let i = 0; i < 4; i++) await api(app, "user", "wrong");
    const user = await app.client("203.0.113.8").signIn("user", USER_PASSWORD);
    expect(user.csrfToken).not.toBe("");
    expect(await update(app, "wrong")).toBe(403);
    // The login in between was a success, which forgets what was before it.
    for (let i = 0; i < 4; i++) expect(await api(app, "user", "wrong")).toBe(401);
    expect(await api(app, "user", USER_PASSWORD)).toBe(429);
  });
});

describe("an address", () => {
  const SAME: readonly [address: string, network: string][] = [
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["", ""],
  ];
  for (const [address, network] of SAME)
    test(`${address || "nobody knows"} counts as ${network || "one"}`, () => {
      expect(sourceOf(address)).toBe(network);
    });

  test("of IPv6 is not made new by its lower half", async () => {
    for (let i = 1; i <= 5; i++) expect(await api(app, "admin", "wrong", `2001:db8::${i}`)).toBe(401);
    expect(await api(app, "admin", ADMIN_PASSWORD, "2001:db8::ffff")).toBe(429);
    expect(await api(app, "admin", ADMIN_PASSWORD, "2001:db8:0:1::1")).toBe(200);
  });
});

test("a restart forgives nothing", async () => {
  for (let i = 0; i < 5; i++) await api(app, "admin", "wrong", "192.0.2.10");
  const { db, box, clock, storage } = app;
  const audit = new Audit(db, clock);
  const restarted = new Login({
    db,
    box,
    throttle: new LoginThrottle({ db, box, clock, audit, storage, monotonic: () => app.clock.now() * 1000 }),
    audit,
    secondFactor: new SecondFactor(db, box, clock),
    storage,
    log: app.muster.log,
  });
  expect(() => restarted.check("admin", ADMIN_PASSWORD, "", "192.0.2.10")).toThrow("Too many failed logins");
  expect(restarted.check("admin", ADMIN_PASSWORD, "", "192.0.2.11").uname).toBe("admin");
});

describe("a source that continues after it was refused", () => {
  const waits = async (app: TestApp, path: string, address: string, length: number) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = "z_username=admin&z_password=".padEnd(length, "x");
    return (await app.client(address).raw(path, { method: "POST", body, headers })).status;
  };

  for (const path of ["/api/1/login", "/z_security_check"])
    test(`at ${path} is refused before its body is read or anything is looked up, for a minute`, async () => {
      for (let i = 0; i < 5; i++) expect(await api(app, "admin", "wrong", "192.0.2.10")).toBe(401);
      for (let i = 0; i < 20; i++) expect(await api(app, "admin", "wrong", "192.0.2.10")).toBe(429);
      const changes = () => app.rows("select total_changes() as n");
      const before = changes();
      // A body that is too long would be 413, if anybody looked.
      expect(await waits(app, path, "192.0.2.10", 100_000)).toBe(429);
      expect(changes()).toEqual(before);
      expect(await waits(app, path, "192.0.2.11", 100_000)).toBe(413);
      expect(await api(app, "user", USER_PASSWORD, "192.0.2.10")).toBe(429);
      app.clock.step(61);
      expect(await waits(app, path, "192.0.2.10", 100_000)).toBe(413);
      expect(await api(app, "user", USER_PASSWORD, "192.0.2.10")).toBe(200);
    });

  test("with 20 wrong passwords is held at the next try", async () => {
    for (let i = 0; i < 20; i++) await api(app, `user${i}`, "wrong", "192.0.2.10");
    expect(await api(app, "user", USER_PASSWORD, "192.0.2.10")).toBe(429);
    expect(await waits(app, "/api/1/login", "192.0.2.10", 100_000)).toBe(429);
  });
});

test("what a session gives to confirm a change counts from wherever it comes, and holds up no login", async () => {
  const disable = (address: string) => {
    const elsewhere = app.client(address);
    Object.assign(elsewhere, { cookie: user.cookie, csrfToken: user.csrfToken });
    return elsewhere.post("/api/1/admin/users/totp/disable", { password: "wrong" });
  };
  for (let i = 0; i < 5; i++) expect((await disable(`192.0.2.${i}`)).status).toBe(403);
  expect((await disable("198.51.100.1")).status).toBe(429);
  expect(await api(app, "user", USER_PASSWORD, "198.51.100.2")).toBe(200);
  app.clock.step(15 * 60 + 1);
  expect((await disable("198.51.100.1")).status).toBe(403);
});

describe("an administrator who changes someone else is not held up", () => {
  const reset = () => {
    const oldpassword = md5(USER_PASSWORD);
    return admin.post("/api/1/admin/users/update", {
      uname: "user",
      fullname: "A User",
      password: "",
      oldpassword,
    });
  };

  test("by wrong confirmations that a session of that user keeps sending", async () => {
    const fields = { uname: "user", fullname: "A User", password: "", oldpassword: "wrong" };
    for (let i = 0; i < 24; i++) {
      const thief = app.client(`198.51.100.${i}`);
      Object.assign(thief, { cookie: user.cookie, csrfToken: user.csrfToken });
      expect((await thief.post("/api/1/admin/users/update", fields)).status).toBe(i < 5 ? 403 : 429);
    }
    expect((await reset()).status).toBe(200);
  });

  test("by what the user mistyped at the same address", async () => {
    for (let i = 0; i < 5; i++) expect(await api(app, "user", "wrong")).toBe(401);
    expect(await api(app, "user", USER_PASSWORD)).toBe(429);
    expect((await reset()).status).toBe(200);
  });

  test("by failed logins of anyone at the same address", async () => {
    for (let i = 0; i < 20; i++) await api(app, `user${i}`, "wrong");
    expect(await api(app, "user", USER_PASSWORD)).toBe(429);
    expect((await reset()).status).toBe(200);
  });

  test("except by five wrong passwords of their own, for that user only", async () => {
    const fields = { uname: "user", fullname: "A User", password: "", oldpassword: "wrong" };
    for (let i = 0; i < 5; i++)
      expect((await admin.post("/api/1/admin/users/update", fields)).status).toBe(403);
    expect((await reset()).status).toBe(429);
    const self = { uname: "admin", fullname: "An Admin", password: "", oldpassword: ADMIN_PASSWORD };
    expect((await admin.post("/api/1/admin/users/update", self)).status).toBe(200);
  });
});

test("the right password clears the wrong confirmations before it", async () => {
  const update = async (oldpassword: string) =>
    (
      await user.post("/api/1/admin/users/update", {
        uname: "user",
        fullname: "A User",
        password: "",
        oldpassword,
      })
    ).status;
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 4; i++) expect(await update("wrong")).toBe(403);
    expect(await update(USER_PASSWORD)).toBe(200);
  }
});

test("confirmations that are refused hold up no login from the same address", async () => {
  const disable = () => user.post("/api/1/admin/users/totp/disable", { password: "wrong" });
  for (let i = 0; i < 30; i++) expect((await disable()).status).toBe(i < 5 ? 403 : 429);
  expect(await api(app, "admin", ADMIN_PASSWORD)).toBe(200);
});

describe("a clock that is set", () => {
  function throttled() {
    const app = new TestApp();
    let elapsed = 0;
    const { db, box, clock, storage } = app;
    const audit = new Audit(db, clock);
    const login = () =>
      new Login({
        db,
        box,
        throttle: new LoginThrottle({ db, box, clock, audit, storage, monotonic: () => elapsed * 1000 }),
        audit,
        secondFactor: new SecondFactor(db, box, clock),
        storage,
        log: app.muster.log,
      });
    const pass = (seconds: number) => {
      elapsed += seconds;
    };
    const check = (by: Login) => by.check("admin", ADMIN_PASSWORD, "", "192.0.2.10").uname;
    const first = login();
    for (let i = 0; i < 5; i++) expect(() => first.check("admin", "wrong", "", "192.0.2.10")).toThrow();
    return { app, first, login, pass, check };
  }

  test("neither lengthens nor shortens the wait", () => {
    const { app, first, pass, check } = throttled();
    app.clock.step(-3 * 86_400);
    expect(() => check(first)).toThrow("try again in 900 seconds");
    app.clock.step(6 * 86_400);
    expect(() => check(first)).toThrow("try again in 900 seconds");
    pass(900);
    expect(check(first)).toBe("admin");
  });

  test("back before a start makes nobody wait longer than after the last failure", () => {
    const { app, login, pass, check } = throttled();
    app.clock.step(-3 * 86_400);
    const restarted = login();
    expect(() => check(restarted)).toThrow("try again in 900 seconds");
    pass(900);
    expect(check(restarted)).toBe("admin");
  });
});

test("a flood of accounts and addresses stays within bounds, and the newest failures count", async () => {
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_FAILURES + 2000})
     insert into login_failures (account, address, at) select 'a' || i, 'b' || i, ${app.clock.now()} from n`,
  );
  for (let i = 0; i < 5; i++) expect(await api(app, "admin", "wrong")).toBe(401);
  expect(app.rows("select count(*) as n from login_failures")).toEqual([{ n: MAX_FAILURES }]);
  expect(await api(app, "admin", ADMIN_PASSWORD)).toBe(429);
});

test("how long an answer takes does not tell whether there is such a user", async () => {
  // What is done for one is done for the other: the same tables are written.
  const writes = async (account: string) => {
    const before = app.rows<{ n: number }>("select total_changes() as n")[0]?.n ?? 0;
    await api(app, account, "wrong");
    return (app.rows<{ n: number }>("select total_changes() as n")[0]?.n ?? 0) - before;
  };
  expect(await writes("admin")).toBe(await writes("nobody"));
});
