import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const HOSTS = "/api/1/admin/hosts";
const NEEDED = { id: 1, hostname: "web1", agentuser: "admin", agentpassword: "monit" };

async function oneHost() {
  const app = new TestApp();
  await app.report({ hostname: "web1" });
  return { app, admin: await app.admin() };
}

test("without hosts the list is empty", async () => {
  const reply = await (await new TestApp().admin()).get(`${HOSTS}/list`);
  expect(reply.json).toEqual({ totalRecords: 0, records: [] });
});

test("the list is ordered by name, then id, and shows the address in use", async () => {
  const { app, admin } = await oneHost();
  await app.report({ id: "b", hostname: "db", version: "5.34.1" }, "203.0.113.5");
  await app.report({ id: "c", hostname: "db" }, "203.0.113.6");
  await admin.post(`${HOSTS}/update`, { ...NEEDED, ipaddrout: "10.0.0.1", description: "rack 7", status: 2 });
  await admin.post(`${HOSTS}/update`, { ...NEEDED, id: 2, hostname: "db", status: 1 });
  expect((await admin.get(`${HOSTS}/list`)).json).toEqual({
    totalRecords: 3,
    records: [
      {
        id: 2,
        hostname: "db",
        ipaddr: "203.0.113.5",
        description: "",
        agentversion: "5.34.1",
        status: "Inactive",
      },
      {
        id: 3,
        hostname: "db",
        ipaddr: "203.0.113.6",
        description: "",
        agentversion: "5.33.0",
        status: "Active",
      },
      {
        id: 1,
        hostname: "web1",
        ipaddr: "10.0.0.1",
        description: "rack 7",
        agentversion: "5.33.0",
        status: "Ignored",
      },
    ],
  });
});

test("get shows the host with its password in clear to an administrator", async () => {
  const { admin } = await oneHost();
  expect((await admin.get(`${HOSTS}/get`, { id: 1 })).json).toMatchObject({
    id: 1,
    agentuser: "admin",
    agentpassword: "monit",
    lastmodified: START,
  });
});

describe("get and update of what is not there", () => {
  for (const id of [0, 2, 9_007_199_254_740_991])
    test(`host ${id}: 404`, async () => {
      const { app, admin } = await oneHost();
      await expectRefusal(app, () => admin.get(`${HOSTS}/get`, { id }), 404, "object.unknown");
      await expectRefusal(app, () => admin.post(`${HOSTS}/update`, { ...NEEDED, id }), 404, "object.unknown");
      await expectRefusal(app, () => admin.post(`${HOSTS}/delete`, { id }), 404, "object.unknown");
    });
});

describe("update", () => {
  test("stores every setting, and nothing of what the agent reports", async () => {
    const { app, admin } = await oneHost();
    const before = (await admin.get(`${HOSTS}/get`, { id: 1 })).json;
    const changes = {
      hostname: "nytt navn æøå",
      agentuser: "me",
      agentpassword: "p w",
      keepname: 1,
      description: "",
      status: 1,
      ipaddrout: "10.0.0.1",
      portout: 65_535,
      sslout: 1,
      sslverify: 0,
      skew: 1000,
    };
    const readOnly = {
      ipaddrin: "x",
      portin: 5,
      sslin: 1,
      agentid: "x",
      poll: 9,
      lastmodified: 1,
      conflict: "x",
    };
    const tables = stored(app);
    const reply = await admin.post(`${HOSTS}/update`, { ...NEEDED, ...readOnly, ...changes });
    expect([reply.status, reply.json]).toEqual([200, {}]);
    expect((await admin.get(`${HOSTS}/get`, { id: 1 })).json).toEqual({ ...before, ...changes });
    expect(changedTables(app, tables)).toEqual(["excluded_intervals", "hosts"]);
  });

  test("keeps what is optional and not given", async () => {
    const { admin } = await oneHost();
    const set = {
      keepname: 1,
      description: "rack 7",
      status: 2,
      ipaddrout: "10.0.0.1",
      portout: 1,
      sslout: 0,
      skew: 7,
    };
    await admin.post(`${HOSTS}/update`, { ...NEEDED, ...set });
    await admin.post(`${HOSTS}/update`, NEEDED);
    expect((await admin.get(`${HOSTS}/get`, { id: 1 })).json).toMatchObject(set);
    await admin.post(`${HOSTS}/update`, {
      ...NEEDED,
      description: "",
      ipaddrout: "",
      portout: -1,
      sslout: -1,
    });
    expect((await admin.get(`${HOSTS}/get`, { id: 1 })).json).toMatchObject({
      description: "",
      ipaddrout: "",
      portout: -1,
      sslout: -1,
    });
  });

  const NO_HOSTS = [
    "http://10.0.0.1",
    "10.0.0.1:2812",
    "10.0.0.1/x",
    "host name",
    " host",
    "host\n",
    "user@host",
    "ho:st",
    "10.0.0.256",
    "1.2.3.4.5",
    "[::1]",
    "::g",
    "fe80::1%eth0",
    "fe80::1/64",
    "-host",
    "host-",
    "a..b",
    ".host",
    "?",
    "a".repeat(64),
    "a%2fb",
    "a#b",
    "<host>",
    "'; --",
  ];
  for (const ipaddrout of NO_HOSTS)
    test(`refuses ipaddrout ${JSON.stringify(ipaddrout.slice(0, 20))}`, async () => {
      const { app, admin } = await oneHost();
      const post = () => admin.post(`${HOSTS}/update`, { ...NEEDED, ipaddrout });
      const reply = await expectRefusal(app, post, 400, "argument.invalid");
      expect(reply.json.error).toBe("ipaddrout must be an IP address without a zone, a host name, or empty");
    });

  test("takes an address or a host name as ipaddrout", async () => {
    const { admin } = await oneHost();
    const hosts = [
      "192.0.2.1",
      "::1",
      "2001:db8::7",
      "host",
      "web-1.example.org",
      "web-1.example.org.",
      "my_host.internal",
      "x".repeat(63),
      "xn--bcher-kva.example",
      "bücher.example",
      "3com.com",
      "",
    ];
    for (const ipaddrout of hosts) {
      expect((await admin.post(`${HOSTS}/update`, { ...NEEDED, ipaddrout })).status).toBe(200);
      expect((await admin.get(`${HOSTS}/get`, { id: 1 })).json.ipaddrout).toBe(ipaddrout);
    }
  });

  test("takes the longest texts and the outermost numbers", async () => {
    const { admin } = await oneHost();
    const largest = { hostname: "h".repeat(255), description: "d".repeat(4096), portout: 1, skew: 1 };
    expect((await admin.post(`${HOSTS}/update`, { ...NEEDED, ...largest })).status).toBe(200);
  });

  test("takes empty credentials: an agent may have none", async () => {
    const { admin } = await oneHost();
    await admin.post(`${HOSTS}/update`, { ...NEEDED, agentuser: "", agentpassword: "" });
    expect((await admin.get(`${HOSTS}/get`, { id: 1 })).json).toMatchObject({
      agentuser: "",
      agentpassword: "",
    });
  });
});
