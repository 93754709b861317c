/** The enrolment script with the real Monit, on machines of their own. */
import { expect } from "bun:test";
import { basename, dirname } from "node:path";
import { CertificateAuthority } from "../support/certificates.ts";
import type { TestClient } from "../support/client.ts";
import { needing } from "../support/programs.ts";
import { Machine } from "./machine.ts";
import { eventually, freePort, Muster, temporaryFolder } from "./support.ts";

const { afterAll, afterEach, beforeAll, beforeEach, test } = needing("monit", "curl", "openssl", "unshare");

const FRAGMENT = "/etc/monit/conf.d/muster";
/**
 * Everything that the script might change, with modes and times, and the daemon. What Monit starts has its name, too, until
 * it runs a program.
 */
const STATE =
  "find /etc/monit /usr/local/etc /var/lib/monit/id -type f -printf '%p %m %T@\\n' | sort; pgrep -o -x monit";

const folder = temporaryFolder();
let muster: Muster;
let admin: TestClient;
let keyId = 0;
let machine: Machine;
let machines = 0;

beforeAll(async () => {
  muster = await Muster.start({ cwd: folder.path });
  admin = await muster.admin();
  keyId = (await admin.post("/api/1/admin/keys/create", { name: "fleet", tags: ["rolled-out"] })).json.id;
});

afterAll(async () => {
  await muster?.kill();
  folder.remove();
});

beforeEach(async () => {
  machine = await Machine.start(folder.path, `web-${++machines}`);
});

afterEach(async () => {
  await machine?.[Symbol.asyncDispose]();
});

async function code(fields: Record<string, unknown> = {}): Promise<string> {
  return (await admin.post("/api/1/admin/keys/codes/create", { id: keyId, ...fields })).json.code;
}

/** Runs the script as people do. */
const enrol = (env: Record<string, string>) => machine.run(`curl -fsS ${muster.url}/enrol.sh | sh`, env);

const hosts = async (): Promise<string[]> =>
  (await admin.get("/api/1/admin/keys/hosts", { id: keyId })).json.records.map(
    ({ hostname }: { hostname: string }) => hostname,
  );

test("a machine reports after the line that Muster prints, and the same line again changes nothing", async () => {
  const { json } = await admin.post("/api/1/admin/keys/codes/create", { id: keyId });
  const first = await machine.run(json.shell);
  expect([first.code, first.text]).toEqual([
    0,
    `muster: wrote ${FRAGMENT}\nmuster: waiting for the first report\nmuster: this host reports to ${muster.url}\n`,
  ]);
  expect(await hosts()).toContain(`web-${machines}`);
  expect(await machine.output(`stat -c %a ${FRAGMENT}; cat ${FRAGMENT}`)).toMatch(
    /^600\n# Written by .*\nset mmonit http:\/\/fleet:[\w.-]{32}@127\.0\.0\.1:\d+\/collector\n$/,
  );
  const before = await machine.output(STATE);
  const second = await machine.run(json.shell);
  expect([second.code, second.text]).toEqual([
    0,
    `muster: ${FRAGMENT} is as it should be\nmuster: waiting for the first report\nmuster: this host reports to ${muster.url}\n`,
  ]);
  expect(await machine.output(STATE)).toBe(before);
  const { records } = (await admin.get("/api/1/admin/keys/codes/list", { id: keyId })).json;
  expect(records).toContainEqual(expect.objectContaining({ id: json.id, uses: 1, left: 0 }));
});

test("a replaced secret comes with the code that the machine used before, and is not counted again", async () => {
  const env = { MUSTER_CODE: await code() };
  expect((await enrol(env)).code).toBe(0);
  await admin.post("/api/1/admin/keys/replace", { id: keyId, overlap: 3600 });
  expect(await enrol(env)).toMatchObject({ code: 0, text: expect.stringContaining(`wrote ${FRAGMENT}`) });
  const { json } = await admin.post("/api/1/admin/keys/secret", { id: keyId });
  expect(await machine.output(`cat ${FRAGMENT}`)).toContain(`set mmonit ${json.url}\n`);
});

test("over https, script, agent and helper trust the authority that is named, and nothing else", async () => {
  const authority = new CertificateAuthority(folder.path, "authority");
  const { cert, key } = authority.issue("muster", ["IP:127.0.0.1"]);
  const start = (args: string[] = []) => Muster.start({ cwd: folder.path, data: "over-https", args });
  let MUSTER_CODE: string;
  {
    await using plain = await start();
    const client = await plain.admin();
    const { id } = (await client.post("/api/1/admin/keys/create", { name: "https" })).json;
    MUSTER_CODE = (await client.post("/api/1/admin/keys/codes/create", { id })).json.code;
    await plain.stop();
  }
  await using secure = await start(["--tls-cert", cert, "--tls-key", key]);
  const script = `curl -fsS --cacert ${authority.file} ${secure.url}/enrol.sh | sh`;
  const before = await machine.run(STATE);
  const refusal = await machine.run(script, { MUSTER_CODE });
  expect(refusal).toMatchObject({ code: 3, text: expect.stringContaining("certificate") });
  expect(await machine.run(STATE)).toEqual(before);
  // Monit runs in another folder than the script.
  const enrolled = await machine.run(`cd ${dirname(authority.file)} && ${script}`, {
    MUSTER_CODE,
    MUSTER_CA: basename(authority.file),
    MUSTER_ACTIONS: "yes",
  });
  expect([enrolled.code, enrolled.text]).toEqual([0, expect.stringContaining(`reports to ${secure.url}`)]);
  expect(await machine.output(`cat ${FRAGMENT}`)).toContain(
    `/collector\n    with ssl { verify: enable, cacertificatefile: ${authority.file} }\n`,
  );
  expect(await machine.output("/usr/local/sbin/muster-actions /etc/muster-actions.conf")).toBe("");
});

test("a key in place of a code is used as it is", async () => {
  const { json } = await admin.post("/api/1/admin/keys/secret", { id: keyId });
  const MUSTER_KEY = `${json.user}:${json.password}`;
  expect((await enrol({ MUSTER_KEY })).code).toBe(0);
  expect(await machine.output(`cat ${FRAGMENT}`)).toContain(`set mmonit ${json.url}\n`);
});

test("a control file that was there before keeps each of its bytes, and gets an include if it has none", async () => {
  const control =
    "# Mine.\nset daemon 1\nset idfile /var/lib/monit/id\nset log /var/log/monit.log\ncheck system mine";
  await machine.output(
    `mkdir /etc/own && printf '%s' '${control}' > /etc/own/monitrc && chmod 600 /etc/own/monitrc`,
  );
  const env = { MUSTER_CODE: await code(), MUSTER_MONITRC: "own/monitrc" };
  const enrolInEtc = () => machine.run(`cd /etc && curl -fsS ${muster.url}/enrol.sh | sh`, env);
  expect(await enrolInEtc()).toMatchObject({ code: 0 });
  expect(await machine.output("cat /etc/own/monitrc")).toBe(`${control}\ninclude /etc/own/monit.d/*\n`);
  expect(await machine.output("cat /etc/own/monit.d/muster")).toEndWith(
    "/collector\nset eventqueue basedir /var/lib/monit/events slots 1000\n",
  );
  expect(await enrolInEtc()).toMatchObject({ code: 0, text: expect.stringContaining("is as it should be") });
  expect(await machine.output("cat /etc/own/monitrc")).toBe(`${control}\ninclude /etc/own/monit.d/*\n`);
  expect(await hosts()).toContain("mine");
});

test("a control file without cycles gets them, and a suffix of its include is kept to", async () => {
  await machine.output(
    "printf 'include /etc/monit/own/*.conf\\n' > /etc/monit/monitrc; mkdir /etc/monit/own; touch /etc/monit/own/x.conf",
  );
  expect(await enrol({ MUSTER_CODE: await code() })).toMatchObject({ code: 0 });
  expect(await machine.output("cat /etc/monit/own/muster.conf")).toEndWith(
    "/collector\nset daemon 30\nset eventqueue basedir /var/lib/monit/events slots 1000\n",
  );
});

/** What the script prints and returns, after which nothing on the machine differs from before. */
async function refused(env: Record<string, string>): Promise<[number, string]> {
  const before = await machine.run(STATE);
  const { code: exit, text } = await enrol(env);
  expect(await machine.run(STATE)).toEqual(before);
  return [exit, text];
}

test("a control file that is broken is not loaded, and nothing is written", async () => {
  await machine.output("monit && echo 'set nonsense' > /etc/monit/conf.d/other");
  const [exit, text] = await refused({ MUSTER_CODE: await code() });
  expect([exit, text]).toEqual([
    4,
    "muster: the control file is broken already, nothing was changed: /etc/monit/conf.d/other:1: syntax error 'nonsense'\n",
  ]);
  expect(await machine.output("cat /var/log/monit.log")).not.toContain("Reinitializing");
});

/** Monit says that it is of another version. */
const asVersion = (version: string) =>
  machine.output(
    `cat > /usr/local/bin/monit <<'END'
#!/bin/sh
if [ "$1" = -V ]; then echo "This is Monit version ${version}"; else exec /usr/bin/monit "$@"; fi
END
chmod 755 /usr/local/bin/monit`,
  );

test("lines that Monit refuses are taken back, and Monit goes on with those from before", async () => {
  await machine.output(`monit && echo '# before' > ${FRAGMENT} && chmod 640 ${FRAGMENT}`);
  // The real one does not know host groups yet.
  await asVersion("5.34.0");
  const [exit, text] = await refused({ MUSTER_CODE: await code(), MUSTER_GROUPS: "Oslo, Mail servers" });
  expect([exit, text]).toEqual([
    5,
    `muster: Monit refuses the new lines, so everything is as it was before: ${FRAGMENT}:2: syntax error 'hostgroups'\n`,
  ]);
  expect(await machine.output("cat /var/log/monit.log")).not.toContain("Reinitializing");
});

test("lines that Monit refuses cost no use of the code, which works once the cause is gone", async () => {
  await machine.output("printf 'set daemon 1\\n' > /etc/monit/monitrc");
  await asVersion("5.34.0");
  const env = { MUSTER_CODE: await code() };
  const before = await machine.run(`${STATE}; ls /etc/monit`);
  expect((await enrol({ ...env, MUSTER_GROUPS: "Oslo" })).code).toBe(5);
  expect(await machine.run(`${STATE}; ls /etc/monit`)).toEqual(before);
  expect(await enrol(env)).toMatchObject({ code: 0 });
});

test("host groups are left out of the lines for a Monit that does not know them", async () => {
  expect(await enrol({ MUSTER_CODE: await code(), MUSTER_GROUPS: "Oslo" })).toMatchObject({
    code: 0,
    text: expect.stringContaining("older than 5.34 and cannot name host groups"),
  });
  expect(await machine.output(`cat ${FRAGMENT}`)).not.toContain("hostgroups");
});

test("a line for the same Muster that somebody wrote by hand is not doubled", async () => {
  await machine.output(
    `echo 'set mmonit ${muster.url.replace("//", "//monit:x@")}/collector' >> /etc/monit/monitrc`,
  );
  const [exit, text] = await refused({ MUSTER_CODE: await code() });
  expect([exit, text]).toEqual([
    6,
    `muster: remove the "set mmonit" line for ${muster.url.slice(7)} from /etc/monit/monitrc first: a host has one key\n`,
  ]);
});

test("a line that the script wrote for another Muster is replaced, which it says", async () => {
  const line = "set mmonit https://fleet:other-secret@old.example:8443/collector";
  await machine.output(`printf '%s\\n' '${line}' > ${FRAGMENT} && chmod 600 ${FRAGMENT}`);
  const { code: exit, text } = await enrol({ MUSTER_CODE: await code() });
  expect([exit, text]).toEqual([
    0,
    expect.stringContaining(`replacing the line for old.example:8443 in ${FRAGMENT}: this host no longer`),
  ]);
  expect(text).not.toContain("other-secret");
  expect(await machine.output(`cat ${FRAGMENT}`)).not.toContain("old.example");
});

test("a line for the same Muster that is only a comment is none, beside one for another server", async () => {
  await machine.output(
    `printf '# set mmonit %s\\nset mmonit %s\\n' ${muster.url.replace("//", "//monit:x@")}/collector http://monit:x@127.0.0.1:9/collector > /etc/monit/conf.d/old`,
  );
  const { code: exit, text } = await enrol({ MUSTER_CODE: await code() });
  expect(exit, text).toBe(0);
});

test("a code that is wrong, used up, over or revoked leaves the machine as it is, with the reason", async () => {
  expect(await refused({ MUSTER_CODE: "enrol_wrong" })).toEqual([
    3,
    "muster: There is no such enrolment code, or it was revoked\n",
  ]);
  const used = await code();
  await admin.post("/api/1/enrol/exchange", { code: used });
  expect(await refused({ MUSTER_CODE: used })).toEqual([
    3,
    "muster: The enrolment code has been used as often as it may be\n",
  ]);
  const { json } = await admin.post("/api/1/admin/keys/codes/create", { id: keyId });
  await admin.post("/api/1/admin/keys/codes/delete", { id: json.id });
  expect((await refused({ MUSTER_CODE: json.code }))[0]).toBe(3);
  const { json: other } = await admin.post("/api/1/admin/keys/create", { name: "over" });
  const created = await admin.post("/api/1/admin/keys/codes/create", { id: other.id });
  await admin.post("/api/1/admin/keys/end", { id: other.id });
  expect(await refused({ MUSTER_CODE: created.json.code })).toEqual([3, "muster: The key over has ended\n"]);
});

test("a wrong key leaves the machine as it is", async () => {
  expect(await refused({ MUSTER_KEY: "fleet:wrong" })).toEqual([
    3,
    "muster: The name or secret of the key is wrong\n",
  ]);
});

test("what cannot be meant is refused, with the name of the variable", async () => {
  const wrong: [Record<string, string>, number, string][] = [
    [{}, 1, "MUSTER_CODE must be an enrolment code"],
    [{ MUSTER_CODE: "a b" }, 1, "MUSTER_CODE must be an enrolment code"],
    [{ MUSTER_CODE: "x';touch /etc/hacked;'" }, 1, "MUSTER_CODE must be an enrolment code"],
    [{ MUSTER_KEY: "name" }, 3, "The name or secret of the key is wrong"],
    [{ MUSTER_KEY: "na me:secret" }, 1, "MUSTER_KEY must be NAME:SECRET"],
    [{ MUSTER_CODE: "x", MUSTER_WAIT: "long" }, 1, "MUSTER_WAIT must be a number of seconds"],
    [{ MUSTER_CODE: "x", MUSTER_CA: "/no/such.pem" }, 1, "MUSTER_CA: there is no file /no/such.pem"],
    [
      { MUSTER_CODE: "x", MUSTER_URL: "muster" },
      1,
      "MUSTER_URL must be an address that begins with https:// or http://",
    ],
    [{ MUSTER_CODE: "x", MUSTER_URL: "https://a/b" }, 1, "MUSTER_URL must have a host and a port alone"],
    [
      { MUSTER_CODE: "x", MUSTER_GROUPS: 'a"b' },
      1,
      "MUSTER_GROUPS must be names without quotes, brackets and backslashes",
    ],
    [
      { MUSTER_CODE: "x", MUSTER_URL: "http://muster.example" },
      3,
      "http://muster.example is not https: a code is sent over plain http only if an administrator of Muster allows it",
    ],
    [{ MUSTER_CODE: "x", MUSTER_ACTIONS: "on" }, 1, "MUSTER_ACTIONS must be yes or no"],
    [{ MUSTER_CODE: "x", MUSTER_MONITRC: "/none" }, 1, "MUSTER_MONITRC: there is no file /none"],
  ];
  for (const [env, exit, reason] of wrong)
    expect([env, ...(await refused(env))]).toEqual([env, exit, `muster: ${reason}\n`]);
  const nobody = await machine.run(`curl -fsS ${muster.url}/enrol.sh | setpriv --reuid=nobody sh`, {
    MUSTER_CODE: "x",
  });
  expect(nobody).toEqual({ code: 1, text: "muster: run this as root: sudo --preserve-env=MUSTER_CODE sh\n" });
  const words = await machine.run(`curl -fsS ${muster.url}/enrol.sh | sh -s -- --code x`);
  expect(words).toMatchObject({ code: 1, text: expect.stringContaining("there are no arguments") });
  const [exit, text] = await refused({ MUSTER_CODE: "x", MUSTER_URL: "http://127.0.0.1:1" });
  expect([exit, text]).toEqual([
    3,
    expect.stringContaining("muster: cannot reach http://127.0.0.1:1: curl: "),
  ]);
});

test("on request, the host gets what it needs to ask for actions, and runs one that waits", async () => {
  await machine.output(`cat > /etc/monit/conf.d/worker <<'END'
check process worker with pidfile /var/worker.pid
    start program = "/bin/sh -c 'sleep 600 >/dev/null 2>&1 & echo $! >/var/worker.pid'"
END`);
  const env = { MUSTER_CODE: await code(), MUSTER_ACTIONS: "yes" };
  expect(await enrol(env)).toMatchObject({ code: 0 });
  const installed = "stat -c '%a %n' /usr/local/sbin/muster-actions /etc/muster-actions.conf";
  expect(await machine.output(installed)).toBe(
    "755 /usr/local/sbin/muster-actions\n600 /etc/muster-actions.conf\n",
  );
  const name = (await machine.output("hostname")).trim();
  const { records } = (await admin.get("/api/1/admin/hosts/list")).json;
  const { id } = records.find(({ hostname }: { hostname: string }) => hostname === name);
  const settings = { id, hostname: name, agentuser: "", agentpassword: "", actionqueue: 1 };
  await admin.post("/api/1/admin/hosts/update", settings);
  const queued = await eventually("the service is known", async () => {
    const action = { id, action: "restart", service: ["worker"] };
    const reply = await admin.post("/api/1/admin/hosts/action/queue", action);
    return reply.status === 200 && reply.json;
  });
  const ended = await eventually("the action has run", async () => {
    const { json } = await admin.get("/api/1/admin/hosts/action/list", { id });
    return json.records.find(
      (each: { id: number; ended: number }) => each.id === queued.actions[0] && each.ended,
    );
  });
  expect(ended).toMatchObject({ state: "ran", code: 0 });
  const state = `${STATE}; find /etc/muster-actions.conf -printf '%p %m %T@\\n'`;
  const before = await machine.output(state);
  expect(await enrol(env)).toMatchObject({ code: 0, text: expect.stringContaining("is as it should be") });
  expect(await machine.output(state)).toBe(before);
});

test("a clone of another machine is told that this reports, and no other than it", async () => {
  expect((await enrol({ MUSTER_CODE: await code() })).code).toBe(0);
  await using clone = await Machine.start(folder.path, `clone-${machines}`);
  const id = (await machine.output("cat /var/lib/monit/id")).trim();
  // Monit does not start here, so that every report is one of the other machine.
  await clone.output(`echo ${id} > /var/lib/monit/id
cat > /usr/local/bin/monit <<'END'
#!/bin/sh
[ "$1 $#" = "-c 2" ] || exec /usr/bin/monit "$@"
END
chmod 755 /usr/local/bin/monit`);
  const { code: exit, text } = await clone.run(`curl -fsS ${muster.url}/enrol.sh | sh`, {
    MUSTER_CODE: await code(),
  });
  expect([exit, text]).toEqual([
    0,
    expect.stringContaining(`as web-${machines}. If that is another machine`),
  ]);
  expect(text).not.toContain("this host reports to");
});

test("what lets a host ask for actions is removed again if Monit refuses its lines", async () => {
  await machine.output(`cat > /etc/monit/conf.d/taken <<'END'
check program muster-actions with path /bin/true
    if status != 0 then alert
END`);
  const [exit, text] = await refused({ MUSTER_CODE: await code(), MUSTER_ACTIONS: "yes" });
  expect([exit, text]).toEqual([5, expect.stringContaining("Monit refuses the new lines")]);
  expect(await machine.run("ls /etc/muster-actions.conf /usr/local/sbin")).toMatchObject({
    text: expect.not.stringContaining("/muster-actions\n"),
  });
});

test("a host that another key owns is told so, and goes on reporting with that", async () => {
  const { json: other } = await admin.post("/api/1/admin/keys/create", { name: "other" });
  expect((await enrol({ MUSTER_CODE: await code() })).code).toBe(0);
  const created = await admin.post("/api/1/admin/keys/codes/create", { id: other.id });
  const name = await machine.output("uname -n");
  expect(await refused({ MUSTER_CODE: created.json.code })).toEqual([
    3,
    `muster: The host ${name.trim()} uses another key: someone has to move it to the key other\n`,
  ]);
});

test("a host that reports a name for which the key is not is told so, and costs no use of the code", async () => {
  const { json: narrow } = await admin.post("/api/1/admin/keys/create", {
    name: "narrow",
    hostpattern: "db-*",
  });
  const created = await admin.post("/api/1/admin/keys/codes/create", { id: narrow.id });
  await machine.output("printf web_a.example > /proc/sys/kernel/hostname");
  expect(await refused({ MUSTER_CODE: created.json.code })).toEqual([
    3,
    "muster: The key narrow is not for hosts with a name like web_a.example\n",
  ]);
  await machine.output("printf db-1 > /proc/sys/kernel/hostname");
  expect(await enrol({ MUSTER_CODE: created.json.code })).toMatchObject({ code: 0 });
});

test("a host may report another name than the system's to a key that is for that name alone", async () => {
  const { json: own } = await admin.post("/api/1/admin/keys/create", { name: "own", hostpattern: "mine-*" });
  const created = await admin.post("/api/1/admin/keys/codes/create", { id: own.id });
  await machine.output("echo 'check system mine-1' > /etc/monit/conf.d/system");
  expect(await enrol({ MUSTER_CODE: created.json.code })).toMatchObject({ code: 0 });
});

test("with an address of IPv6, the same code works again on the machine that has the key", async () => {
  await using other = await Muster.start({
    cwd: folder.path,
    data: "over-ipv6",
    listen: `[::1]:${freePort()}`,
  });
  const client = await other.admin();
  const { id } = (await client.post("/api/1/admin/keys/create", { name: "six" })).json;
  const created = await client.post("/api/1/admin/keys/codes/create", { id });
  const env = { MUSTER_CODE: created.json.code, MUSTER_WAIT: "0" };
  const script = `curl -gfsS ${other.url}/enrol.sh | sh`;
  expect(await machine.run(script, env)).toMatchObject({ code: 0 });
  expect(await machine.run(script, env)).toEqual({
    code: 0,
    text: `muster: ${FRAGMENT} is as it should be\nmuster: Monit reports to ${other.url} from now on\n`,
  });
});

const INSTALLS: [manager: string, calls: string[]][] = [
  ["apt-get", ["install -y monit", "update", "install -y monit"]],
  ["dnf", ["install -y monit", "install -y epel-release", "install -y monit"]],
  ["yum", ["install -y monit", "install -y epel-release", "install -y monit"]],
  ["apk", ["add monit"]],
  ["pkg", ["install -y monit"]],
];

test.each(INSTALLS)("Monit is installed by %s where it is missing", async (manager, calls) => {
  await machine.output(`
mount --bind /dev/null /usr/bin/monit
mount --bind /dev/null /usr/bin/apt-get
cat > /usr/local/sbin/${manager} <<'END'
#!/bin/sh
echo "$*" >> /var/calls
case $(wc -l < /var/calls) in
${calls.length}) umount /usr/bin/monit ;;
1) exit 1 ;;
esac
END
chmod 755 /usr/local/sbin/${manager}
`);
  const result = await machine.run(`curl -fsS ${muster.url}/enrol.sh | sh`, {
    MUSTER_CODE: await code(),
    PATH: "/usr/local/sbin:/usr/sbin:/usr/bin:/bin",
  });
  expect(result).toMatchObject({ code: 0, text: expect.stringContaining("muster: installing monit\n") });
  expect((await machine.output("cat /var/calls")).trim().split("\n")).toEqual(calls);
});

test("a machine without a package manager is told what to install", async () => {
  await machine.output("mount --bind /dev/null /usr/bin/monit; mount --bind /dev/null /usr/bin/apt-get");
  expect(await enrol({ MUSTER_CODE: await code() })).toEqual({
    code: 2,
    text: "muster: installing monit\nmuster: there is no apt-get, dnf, yum, apk or pkg here: install monit and run this again\n",
  });
});
