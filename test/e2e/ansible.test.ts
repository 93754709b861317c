/** The Ansible role with the real Monit, on machines of their own. */
import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestClient } from "../support/client.ts";
import { needing } from "../support/programs.ts";
import { Machine } from "./machine.ts";
import { Muster, temporaryFolder } from "./support.ts";

const { afterAll, afterEach, beforeAll, beforeEach, test } = needing("monit", "ansible-playbook", "unshare");

const ROLES = join(import.meta.dir, "../../packaging/ansible/roles");
const FRAGMENT = "/etc/monit/conf.d/muster";
/** Everything that the role might change, with modes and times. */
const STATE = "find /etc/monit /var/lib/monit/id -type f -printf '%p %m %T@\\n' | sort; pgrep -o -x monit";
/** Monit is there already. To look for its package takes as long as a third of the role. */
const INSTALLED = { muster_agent_install: false };
const WITH_ACTIONS = { ...INSTALLED, muster_agent_actions: true };
const HELPER = "/usr/local/sbin/muster-actions";
const PLAYBOOK = `
- hosts: all
  gather_facts: true
  gather_subset: [min, distribution]
  roles: [muster_agent]
`;

/** Ansible looks every millisecond whether a task has ended, unless told otherwise, and calculates a quarter of its time. */
const CONFIGURATION = "[defaults]\ninternal_poll_interval = 0.05\n";

const folder = temporaryFolder();
let muster: Muster;
let admin: TestClient;
let secret = "";
let machine: Machine;
let machines = 0;

beforeAll(async () => {
  writeFileSync(join(folder.path, "site.yml"), PLAYBOOK);
  writeFileSync(join(folder.path, "ansible.cfg"), CONFIGURATION);
  mkdirSync(join(folder.path, "home"));
  muster = await Muster.start({ cwd: folder.path });
  admin = await muster.admin();
  const { id } = (await admin.post("/api/1/admin/keys/create", { name: "fleet" })).json;
  secret = (await admin.post("/api/1/admin/keys/secret", { id })).json.password;
});

afterAll(async () => {
  await muster?.kill();
  folder.remove();
});

beforeEach(async () => {
  machine = await Machine.start(folder.path, `node-${++machines}`);
  await machine.output("monit");
});

afterEach(async () => {
  await machine?.[Symbol.asyncDispose]();
});

/** Runs the playbook on the machine itself. @returns exit code, output, and the number of changes */
async function play(vars: object = {}, ...options: string[]) {
  const all = {
    muster_agent_url: muster.url,
    muster_agent_key: "fleet",
    muster_agent_secret: secret,
    muster_agent_service: false,
    // It need not look for another one.
    ansible_python_interpreter: "{{ ansible_playbook_python }}",
    ...vars,
  };
  const file = join(folder.path, `vars-${machines}.json`);
  writeFileSync(file, JSON.stringify(all));
  const command = `ansible-playbook -v -i localhost, -c local -e @${file} ${options.join(" ")} ${join(folder.path, "site.yml")}`;
  const { code, text } = await machine.run(command, {
    ANSIBLE_CONFIG: join(folder.path, "ansible.cfg"),
    ANSIBLE_ROLES_PATH: ROLES,
    ANSIBLE_NOCOLOR: "1",
    // Fewer processes for each task.
    ANSIBLE_PIPELINING: "1",
    // All machines are of the same distribution, so one run gathers facts for those after it.
    ANSIBLE_GATHERING: "smart",
    ANSIBLE_CACHE_PLUGIN: "jsonfile",
    ANSIBLE_CACHE_PLUGIN_CONNECTION: join(folder.path, "facts"),
    HOME: join(folder.path, "home"),
    LANG: "C.UTF-8",
  });
  return { code, text, changed: Number(/changed=(\d+)/.exec(text)?.[1]) };
}

test("a host reports after the role, a second run changes nothing, and another key cannot take the host over", async () => {
  const control = await machine.output("cat /etc/monit/monitrc");
  const first = await play(INSTALLED);
  expect([first.code, first.changed > 0], first.text).toEqual([0, true]);
  expect(first.text).not.toContain(secret);
  expect(await machine.output(`stat -c %a ${FRAGMENT}; cat ${FRAGMENT}`)).toBe(
    `600\n# Managed by Ansible (role muster_agent).\nset mmonit ${muster.url.replace("//", `//fleet:${secret}@`)}/collector\n`,
  );
  // It includes the folder already.
  expect(await machine.output("cat /etc/monit/monitrc")).toBe(control);
  expect(await machine.output(`ls ${HELPER} /etc/muster-actions.conf 2> /dev/null || true`)).toBe("");
  const { records } = (await admin.get("/api/1/status/hosts/list")).json;
  expect(records.map(({ hostname }: { hostname: string }) => hostname)).toContain(`node-${machines}`);
  const before = await machine.output(STATE);
  const second = await play();
  expect([second.code, second.changed], second.text).toEqual([0, 0]);
  expect(await machine.output(STATE)).toBe(before);

  const { id } = (await admin.post("/api/1/admin/keys/create", { name: "other" })).json;
  const { password } = (await admin.post("/api/1/admin/keys/secret", { id })).json;
  const other = await play({ ...INSTALLED, muster_agent_key: "other", muster_agent_secret: password });
  // Another key is not told the name of the host.
  const reason = /The host [0-9a-f]{32} uses another key: someone has to move it to the key other/;
  expect([other.code, other.changed], other.text).toEqual([2, 0]);
  expect(other.text).toMatch(reason);
  expect(await machine.output(STATE)).toBe(before);
});

test("check mode changes nothing, and says that something would", async () => {
  const before = await machine.output(STATE);
  const { code, changed, text } = await play(WITH_ACTIONS, "--check", "--diff");
  expect([code, changed > 0], text).toEqual([0, true]);
  expect(text).not.toContain(secret);
  expect(await machine.output(STATE)).toBe(before);
});

test("a control file that is broken, a wrong secret, address and path leave the machine as it is", async () => {
  const before = await machine.output(STATE);
  const wrong = await play({ ...INSTALLED, muster_agent_secret: "wrong-secret-of-the-key" });
  expect([wrong.code, wrong.text.includes("The name or secret of the key is wrong")], wrong.text).toEqual([
    2,
    true,
  ]);
  const address = await play({ ...INSTALLED, muster_agent_url: "muster" });
  expect([address.code, address.text.includes("must be the address of Muster")], address.text).toEqual([
    2,
    true,
  ]);
  const authority = await play({ ...INSTALLED, muster_agent_ca: "muster.pem" });
  expect([authority.code, authority.text.includes("muster_agent_ca must be")], authority.text).toEqual([
    2,
    true,
  ]);
  expect(await machine.output(STATE)).toBe(before);
  await machine.output("echo 'set nonsense' > /etc/monit/conf.d/other");
  const broken = await play(INSTALLED);
  expect([broken.code, broken.text.includes("syntax error 'nonsense'")], broken.text).toEqual([2, true]);
  expect(await machine.output(`ls /etc/monit/conf.d; cat /var/log/monit.log`)).not.toMatch(
    /muster|Reinitializing/,
  );
});

test("another line for the same Muster is named before anything changes, and a comment is none", async () => {
  const byHand = "/etc/monit/conf.d/by-hand";
  const line = `set mmonit ${muster.url.replace("//", "//monit:x@")}/collector`;
  await machine.output(`echo '${line}' > ${byHand}`);
  const before = await machine.output(STATE);
  const refused = await play(INSTALLED);
  expect(refused.code, refused.text).toBe(2);
  expect(refused.text).toContain(
    `line for ${muster.url.slice("http://".length)} from ${byHand} first: a host has one key`,
  );
  expect(await machine.output(STATE)).toBe(before);
  await machine.output(
    `printf '# %s\\nset mmonit http://monit:x@127.0.0.1:9/collector\\n' '${line}' > ${byHand}`,
  );
  const accepted = await play(INSTALLED, "--check");
  expect(accepted.code, accepted.text).toBe(0);
});

test("a control file that was there before keeps its lines, and the host gets on request what it needs to ask for actions", async () => {
  const control =
    "# Mine.\nset daemon 1\nset idfile /var/lib/monit/id\nset log /var/log/monit.log\ncheck system mine\n";
  // An agent that has just been started cannot be told to quit yet.
  await machine.output(
    `while pgrep -r D,R,S -x monit > /dev/null; do monit quit; sleep 0.1; done; mkdir /etc/own; printf '%s' '${control}' > /etc/own/monitrc; chmod 600 /etc/own/monitrc; monit -c /etc/own/monitrc`,
  );
  const folders = { muster_agent_control_file: "/etc/own/monitrc", muster_agent_include: "/etc/own/monit.d" };
  const own = { ...WITH_ACTIONS, ...folders };
  const first = await play(own);
  expect(first.code, first.text).toBe(0);
  expect(first.text).not.toContain(secret);
  expect(await machine.output(`stat -c %a ${HELPER} /etc/muster-actions.conf; ${HELPER}`)).toBe("755\n600\n");
  expect(await machine.output("cat /etc/own/monitrc")).toBe(`${control}include /etc/own/monit.d/*\n`);
  const socket = String.raw`set httpd unixsocket \S+\n {4}allow muster:[0-9a-f]{32}\n`;
  const queue = "set eventqueue basedir /var/lib/monit/events slots 1000\n";
  const program = `check program muster-actions with path "${HELPER} /etc/muster-actions.conf" timeout`;
  expect(await machine.output("cat /etc/own/monit.d/muster")).toMatch(
    new RegExp(`/collector\n${queue}${socket}${program}`),
  );
  const second = await play(own);
  expect([second.code, second.changed], second.text).toEqual([0, 0]);
});

test("the file of the lines has the suffix that the control file includes", async () => {
  const folders = { muster_agent_control_file: "/etc/own/monitrc", muster_agent_include: "/etc/own/monit.d" };
  const control = `set daemon 1
set idfile /var/lib/monit/id
set log /var/log/monit.log
include "/etc/own/monit.d/*.conf"
`;
  await machine.output(
    `while pgrep -r D,R,S -x monit > /dev/null; do monit quit; sleep 0.1; done; mkdir -p /etc/own/monit.d; printf '%s' '${control}' > /etc/own/monitrc; chmod 600 /etc/own/monitrc; touch /etc/own/monit.d/old.conf; echo 'set eventqueue basedir /tmp' > /etc/own/monit.d/muster; monit -c /etc/own/monitrc`,
  );
  const { code, text } = await play({ ...INSTALLED, ...folders });
  expect(code, text).toBe(0);
  expect(await machine.output("ls /etc/own/monit.d; cat /etc/own/monitrc")).toBe(
    `muster\nmuster.conf\nold.conf\n${control}`,
  );
  // What Monit does not read is no statement that the host has.
  expect(await machine.output("grep -c eventqueue /etc/own/monit.d/muster.conf")).toBe("1\n");
});
