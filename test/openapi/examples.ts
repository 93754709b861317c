/** A database with something of everything, and for every operation a call that succeeds on it. */
import { METHODS, type Method, type Operation } from "../../src/http/operation.ts";
import {
  filesystemXml,
  portXml,
  processXml,
  programXml,
  STOPPED,
  systemXml,
} from "../support/agent-messages.ts";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../support/app.ts";
import type { Fields, Reply, TestClient } from "../support/client.ts";
import { START } from "../support/clock.ts";

export interface Populated {
  app: TestApp;
  admin: TestClient;
  user: TestClient;
  /** API tokens of the administrator. */
  tokens: Record<"read" | "full", string>;
  /** Where the agent of host 1 listens on loopback. */
  agentPort: number;
  /** Id of another session of the administrator. */
  otherSession: string;
}

/**
 * Host 1 has services of several types, an open error (event 1) with a note, and is in group 1; host 2 was stopped, and
 * its agent's address is in doubt. Group 2 is empty. Token 1 belongs to the administrator.
 */
export async function populated(agentPort: number): Promise<Populated> {
  const app = new TestApp();
  const [admin, user] = [await app.admin(), await app.user()];
  const services = [
    { name: "host-1", type: 5, body: systemXml() },
    { name: "web", type: 3, status: 512, every: 2, body: processXml() + portXml() },
    { name: "rootfs", type: 0, body: filesystemXml() },
    { name: "script", type: 7, every: "* * * * *", body: programXml() },
  ];
  const report = { services, hostGroups: ["rack"], serviceGroups: { frontend: ["web"] } };
  await app.report(report);
  app.pass(30);
  const later = { ...report, incarnation: START - 3600, at: app.clock.now() };
  await app.report({ ...later, event: { service: "web" } });
  const other = { id: "agent-2", hostname: "host-2", at: app.clock.now(), services: [{ name: "db" }] };
  await app.report(other);
  await app.report({ ...other, event: STOPPED });
  await app.report("no message");
  const settings = { agentuser: "admin", agentpassword: "monit", skew: 3 };
  await admin.post("/api/1/admin/hosts/update", {
    ...settings,
    id: 1,
    hostname: "host-1",
    ipaddrout: "127.0.0.1",
    portout: agentPort,
  });
  app.db.$client.run("update hosts set conflict = 'It says that it is elsewhere' where id = 2");
  await admin.post("/api/1/reports/events/note", { id: 1, message: "on it" });
  await admin.post("/api/1/admin/groups/create", { name: "empty" });
  await admin.post("/api/1/session/put", { colour: "blue" });
  await user.post("/api/1/session/put", { colour: "red" });
  const token = async (scope: string) =>
    String((await admin.post("/api/1/tokens/create", { name: "script", scope })).json.token);
  const tokens = { read: await token("read"), full: await token("full") };
  await app.admin();
  const sessions: { id: string; current: boolean }[] = (await admin.get("/api/1/session/list")).json.records;
  const otherSession = sessions.find(({ current }) => !current)?.id ?? "";
  return { app, admin, user, tokens, agentPort, otherSession };
}

/** Arguments of a call that succeeds, by path. */
export function examples({ agentPort, otherSession }: Populated): Readonly<Record<string, Fields>> {
  const credentials = { agentuser: "admin", agentpassword: "monit" };
  return {
    "/login": { z_username: "admin", z_password: ADMIN_PASSWORD },
    "/session/put": { size: "large" },
    "/session/get": { key: ["colour", "CSRFToken"] },
    "/session/delete": { key: "colour" },
    "/session/invalidate": {},
    "/session/user": {},
    "/session/list": {},
    "/session/revoke": { id: otherSession },
    "/tokens/list": {},
    "/tokens/create": { name: "backup", scope: "full", expires: START + 86_400 },
    "/tokens/delete": { id: 1 },
    "/status/hosts/list": { hostid: [1, 2] },
    "/status/hosts/get": { id: 1 },
    "/status/hosts/summary": {},
    "/status/servicegroups/list": {},
    "/reports/events/list": { maxid: 1000 },
    "/reports/events/get": { id: 1 },
    "/reports/events/summary": {},
    "/reports/events/dismiss": { id: 1 },
    "/reports/events/note": { id: 1, message: "done" },
    "/reports/uptime/list": { range: 12, datefrom: START - 60, dateto: START + 60 },
    "/reports/uptime/get": { id: 1 },
    "/reports/uptime/bars": { id: 1, cells: 24 },
    "/reports/history/get": { hostid: 1, datefrom: START - 60 },
    "/admin/users/list": {},
    "/admin/users/get": { uname: "user" },
    "/admin/users/create": { uname: "new", password: "secret", fullname: "A New User", admin: true },
    "/admin/users/update": {
      uname: "user",
      password: USER_PASSWORD,
      oldpassword: USER_PASSWORD,
      fullname: "The User",
    },
    "/admin/users/delete": { uname: "user" },
    "/admin/users/image": { uname: "user", remove: 1 },
    "/admin/hosts/list": {},
    "/admin/hosts/get": { id: 1 },
    "/admin/hosts/update": { id: 1, hostname: "renamed", ...credentials },
    "/admin/hosts/delete": { inactive: 0 },
    "/admin/hosts/test": { ipaddr: "127.0.0.1", port: agentPort, ssl: 0, ...credentials },
    "/admin/hosts/action": { id: 1, action: "restart", service: ["web", "rootfs"] },
    "/admin/groups/list": {},
    "/admin/groups/create": { name: "new" },
    "/admin/groups/update": { id: 1, name: "shelf" },
    "/admin/groups/delete": { id: 1 },
    "/admin/groups/add": { id: 2, hostid: [1, 2] },
    "/admin/groups/remove": { id: 1, hostid: 1 },
    "/admin/settings/get": {},
    "/admin/settings/update": { sessionidle: 60 },
    "/admin/settings/collector": {},
    "/admin/refusals/list": {},
    "/admin/audit/list": {},
    "/openapi.json": {},
  };
}

/** Every operation with each of its methods. */
export function calls(operations: readonly Operation[]): [operation: Operation, method: Method][] {
  return operations.flatMap((operation) =>
    METHODS[operation.kind].map((method): [Operation, Method] => [operation, method]),
  );
}

export function send(
  client: TestClient,
  method: Method,
  path: string,
  args: Fields,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const url = `/api/1${path}`;
  return method === "GET" ? client.get(url, args, headers) : client.post(url, args, headers);
}
