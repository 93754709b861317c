import { describe, expect, test } from "bun:test";
import { type ListForm, readHostList, recognisedForm } from "../../../src/monitoring/expected/list-reader.ts";

/** Reads a list in its recognised form. */
function read(text: string) {
  const form = recognisedForm(text);
  return { form, ...readHostList(text, form) };
}

/** The hosts of a list that is right: their names, groups and tags. */
function hostsIn(text: string, form: ListForm) {
  const list = read(text);
  expect([list.form, list.wrong]).toEqual([form, []]);
  return list.hosts.map(({ hostname, groups, tags }) => [hostname, groups, tags]);
}

const names = (text: string) => read(text).hosts.map(({ hostname }) => hostname);
const problems = (text: string) =>
  read(text).wrong.map(({ line, text: part, reason }) => [line, part, reason]);

describe("a list of names", () => {
  test("has them on lines, or several on one", () => {
    expect(names("\uFEFFweb1\r\n  web2 \n\n# no name\nweb3, web4;web5 web6 # the last\n")).toEqual([
      "web1",
      "web2",
      "web3",
      "web4",
      "web5",
      "web6",
    ]);
    expect(recognisedForm("web1\nweb2")).toBe("names");
  });

  test("stands for the hosts of its ranges", () => {
    expect(names("web[08:11].example")).toEqual(["08", "09", "10", "11"].map((n) => `web${n}.example`));
    expect(names("db-[a:c]")).toEqual(["db-a", "db-b", "db-c"]);
    expect(names("n[0:9:4]")).toEqual(["n0", "n4", "n8"]);
    expect(names("r[1:2]n[1:2]")).toEqual(["r1n1", "r1n2", "r2n1", "r2n2"]);
    expect(names("[a:c].example")).toEqual(["a.example", "b.example", "c.example"]);
  });

  test("is refused by the line where a range cannot be read or names too many", () => {
    expect(problems("ok\nweb[5:1]\nweb[a:9]\nx[1:9:0]\nx[1:100]y[1:101]\nx[1:999999999]")).toEqual([
      [2, "web[5:1]", "its range ends before it begins"],
      [3, "web[a:9]", "its range is neither of numbers nor of letters"],
      [4, "x[1:9:0]", "its range has a step of 0"],
      [5, "x[1:100]y[1:101]", "it names too many hosts"],
      [6, "x[1:999999999]", "it names too many hosts"],
    ]);
  });

  test("is refused if it is far longer than a name, whatever its ranges stand for", () => {
    expect(problems(`ok\n${"[1:1]".repeat(100_000)}`)).toEqual([
      [2, "[1:1]".repeat(51), "it is too long for a name with ranges"],
    ]);
  });

  test("names at most 10,000 hosts", () => {
    const { hosts, wrong } = read("a[1:6000]\nb[1:6000]\nc");
    expect(hosts).toHaveLength(10_000);
    expect(wrong.map(({ line, reason }) => [line, reason])).toEqual([[2, "there are more than 10000 hosts"]]);
  });
});

describe("an inventory in INI", () => {
  test("says groups, those around them, and variables of each", () => {
    const text = `mail.example ansible_port=22
[web]
web[1:2]:2222  ansible_host=10.0.0.1 muster_tags="env=prod, Edge"   # front
[db]
db1 muster_skew=9 muster_description='The "main" one'
[site:children]
web
db
[site:vars]
muster_tags=rack
muster_description=Site
`;
    expect(hostsIn(text, "ini")).toEqual([
      ["mail.example", [], []],
      ["web1", ["web", "site"], ["rack", "env=prod", "edge"]],
      ["web2", ["web", "site"], ["rack", "env=prod", "edge"]],
      ["db1", ["db", "site"], ["rack"]],
    ]);
    expect(read(text).hosts.map(({ skew, description, line }) => [skew, description, line])).toEqual([
      [3, "", 1],
      [3, "Site", 3],
      [3, "Site", 3],
      [9, 'The "main" one', 5],
    ]);
  });

  test("merges a host of several groups, and groups that contain each other", () => {
    const text = "[a]\nh x=1\n[b]\nh\n[a:children]\nb\n[b:children]\na\n[all:vars]\nmuster_tags=t\n";
    expect(hostsIn(text, "ini")).toEqual([["h", ["a", "b"], ["t"]]]);
  });

  test("joins only the groups that a host is said to join, if any are", () => {
    expect(hostsIn("[web]\nh muster_groups=Front,Back muster_hostname=h.example", "ini")).toEqual([
      ["h.example", ["Front", "Back"], []],
    ]);
  });

  test("is refused by the line of what is wrong", () => {
    const text = `[web:hosts]\n[web]\nh1 muster_tags="a b="\nh2 x=1 y\nh3 muster_skew=0\n[web:vars]\nnothing\n`;
    expect(problems(text)).toEqual([
      [1, "[web:hosts]", "a section is [NAME], [NAME:children] or [NAME:vars]"],
      [4, "h2 x=1 y", "after the name of a host, each word is NAME=VALUE"],
      [7, "nothing", "a variable is NAME=VALUE"],
      [3, "h1", expect.stringContaining("The tag a b= must be a tag")],
      [5, "h3", "skew must be a whole number from 1 to 1000"],
    ]);
  });

  test("is refused once if it says too much of a group, not once for each host in it", () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`).join(",");
    const text = `[web]\nh[1:10000]\n[web:vars]\nmuster_groups=${many(101)}\nmuster_tags=${many(51)}\nother=${many(51)}`;
    expect(problems(text)).toEqual([
      [4, "web", "it is in more than 100 groups"],
      [5, "web", "it has more than 50 tags"],
    ]);
  });
});

describe("an inventory in YAML", () => {
  const TEXT = `---
all:
  hosts:
    mail.example:
  children:
    web:
      hosts:
        web[1:2]:
          muster_tags: [env=prod, edge]
          muster_skew: 5
      vars:
        muster_description: Front
    site:
      children:
        web:
        db:
          hosts:
            db1: {muster_tags: "x=1"}
`;

  test("says groups, those around them, and variables of each", () => {
    expect(hostsIn(TEXT, "yaml")).toEqual([
      ["mail.example", [], []],
      ["web1", ["web", "site"], ["env=prod", "edge"]],
      ["web2", ["web", "site"], ["env=prod", "edge"]],
      ["db1", ["db", "site"], ["x=1"]],
    ]);
    expect(read(TEXT).hosts.map(({ line, skew, description }) => [line, skew, description])).toEqual([
      [4, 3, ""],
      [8, 5, "Front"],
      [8, 5, "Front"],
      [18, 3, ""],
    ]);
  });

  test("may be a list of names", () => {
    expect(names("- web1\n- web2\n")).toEqual(["web1", "web2"]);
  });

  test("is refused if it is not well-formed, or not an inventory", () => {
    expect(problems("all:\n  hosts: [a\n")).toEqual([
      [expect.any(Number), expect.any(String), expect.stringMatching(/^it is not well-formed/)],
    ]);
    expect(problems("all:\n  hosts\n")).toEqual([[1, "all", "a group has hosts, children and vars"]]);
  });

  test("with aliases that repeat each other is refused before it takes long", () => {
    const lines = ["all:", "  children:", "    a0: &a0 {hosts: {h: }}"];
    for (let i = 1; i < 30; i++)
      lines.push(`    a${i}: &a${i} {children: {x: *a${i - 1}, y: *a${i - 1}, z: *a${i - 1}}}`);
    expect(problems(lines.join("\n")).map(([, , reason]) => reason)).toEqual([
      expect.stringMatching(/^it is not well-formed: .*aliasing/),
    ]);
  });

  // With work that doubles with each bracket this would take many minutes.
  test("may have lines that look like long names almost to their end", () => {
    const line = `      ${"[a]".repeat(40)}"x\n`;
    expect(problems(`---\nall:\n  vars:\n    note: |\n${line.repeat(200)}`)).toEqual([]);
  });

  test("has a group that aliases repeat once, under each of its names", () => {
    const twice = (i: number) => `{children: {x${i}: *g${i - 1}, y${i}: *g${i - 1}}}`;
    const groups = Array.from({ length: 16 }, (_, i) => `g${i + 1}: &g${i + 1} ${twice(i + 1)}`);
    const text = [
      "---",
      "g0: &g0 {hosts: {h: {muster_skew: 0}}, vars: {muster_tags: {a: [[]]}}}",
      ...groups,
    ].join("\n");
    const repeated = ["g0", "x1", "y1"].map((name) => [name, "tags must be text"]);
    expect(
      problems(text)
        .map(([, name, reason]) => [name, reason])
        .sort(),
    ).toEqual([...repeated, ["h", "skew must be a whole number from 1 to 1000"]].sort());
  });

  test("is refused if it says of a host what is no text, which aliases repeat beyond all bounds", () => {
    const text = `all:\n  hosts:\n${Object.entries({
      hostname: "{}",
      groups: "[[]]",
      tags: "{a: [{}]}",
      description: "[a, b]",
      skew: "[5]",
    })
      .map(([name, value]) => `    ${name}: {muster_${name}: ${value}}\n`)
      .join("")}`;
    expect(problems(text)).toEqual(
      ["hostname", "groups", "tags", "description", "skew"].map((name, i) => [
        i + 3,
        name,
        `${name} must be text`,
      ]),
    );
  });
});

describe("what an inventory script prints", () => {
  test("says groups by their members, and variables by host", () => {
    const text = JSON.stringify(
      {
        _meta: {
          hostvars: {
            web1: { ansible_host: "10.0.0.1", muster_tags: { env: ["prod", "eu"], edge: [] } },
            db1: { muster_groups: ["Data bases"], muster_description: "Main" },
          },
        },
        all: { children: ["ungrouped", "site"] },
        site: { children: ["web"], hosts: ["db1"] },
        web: ["web1", "web2"],
        ungrouped: { hosts: [] },
      },
      null,
      2,
    );
    expect(hostsIn(text, "json")).toEqual(
      [
        ["web1", ["web", "site"], ["env=prod", "env=eu", "edge"]],
        ["db1", ["Data bases"], []],
        ["web2", ["web", "site"], []],
      ].sort((a, b) => Number(text.indexOf(`"${a[0]}"`)) - Number(text.indexOf(`"${b[0]}"`))),
    );
  });

  test("is ambiguous where two of its hosts have one name", () => {
    const { hosts } = read(
      '{"_meta":{"hostvars":{"a_1":{"muster_hostname":"a"},"a_2":{"muster_hostname":"a"}}}}',
    );
    expect(hosts.map(({ hostname, ambiguous }) => [hostname, ambiguous])).toEqual([
      ["a", "the list has 2 hosts of this name"],
      ["a", "the list has 2 hosts of this name"],
    ]);
  });

  test("may have names that mean something to JavaScript", () => {
    expect(
      names('{"_meta":{"hostvars":{"__proto__":{},"constructor":{}}},"toString":["hasOwnProperty"]}'),
    ).toEqual(["__proto__", "constructor", "hasOwnProperty"]);
  });
});

describe("CSV", () => {
  test("says what its columns name, with commas, semicolons or tabs", () => {
    const expected = [
      ["web1", ["web", "site"], ["env=prod", "edge"]],
      ["db1", [], []],
    ];
    expect(hostsIn('hostname,groups,tags,skew\n"web1","web;site",env=prod|edge,5\ndb1,,,\n', "csv")).toEqual(
      expected,
    );
    expect(hostsIn("Name;Groups;Tags\r\nweb1;web,site;env=prod,edge\r\ndb1;;\r\n", "csv")).toEqual(expected);
    expect(hostsIn("hostname\ttags\tgroups\nweb1\tenv=prod,edge\tweb,site\ndb1", "csv")).toEqual(expected);
    const [host] = read('hostname,other,description\nh,1,"Two ""words"",\nand a line"\n').hosts;
    expect([host?.line, host?.description]).toEqual([2, 'Two "words",\nand a line']);
  });

  test("has each host once; twice alike is once, twice otherwise is ambiguous", () => {
    const { hosts } = read("hostname,skew\na,3\nb,4\na,3\nb,5\n");
    expect(hosts.map(({ hostname, ambiguous }) => [hostname, ambiguous])).toEqual([
      ["a", ""],
      ["b", "line 5 has it with other settings"],
    ]);
  });

  test("is refused by the line of what is wrong", () => {
    expect(problems("hostname,skew\n,3\nweb 1,3\nh,1,2\n\nh2,1001")).toEqual([
      [2, ",3", "it has no hostname"],
      [4, "h,1,2", "it has more cells than there are columns"],
      [
        3,
        "web 1",
        "hostname must be the name of a host: 1 to 255 characters without white space, at least one of them visible",
      ],
      [6, "h2", "skew must be a whole number from 1 to 1000"],
    ]);
  });

  test("has no host whose name looks like nothing", () => {
    for (const name of ["\u200b", "\u00ad\u2060", "\u2800"])
      expect(problems(`hostname,skew\n${name},3`).map(([line]) => line)).toEqual([2]);
    expect(problems("hostname,skew\nweb\u200b1,3")).toEqual([]);
  });

  test("may begin with blank lines, and has comments as the other forms have", () => {
    const text =
      '\n# made by "cmdb\n  # hostname,other\nhostname,groups\nweb1,Web\n\n# web2,Web\nh3,"A\n# B"\n';
    expect(hostsIn(text, "csv")).toEqual([
      ["web1", ["Web"], []],
      ["h3", ["A\n# B"], []],
    ]);
    expect(read(text).hosts.map(({ line }) => line)).toEqual([5, 8]);
    expect(read("# hosts\nhostname,skew\n,1").wrong).toMatchObject([{ line: 3 }]);
    expect(readHostList("# hosts\n\nweb1", "csv").wrong).toMatchObject([{ line: 3, text: "web1" }]);
  });

  test("is refused by the line whose quote is not closed", () => {
    const { hosts, wrong } = read('hostname,skew,description\nh1,3,x\nh2,3,"Mail\nh3,3,x\nh4,3,x\n');
    expect(hosts.map(({ hostname }) => hostname)).toEqual(["h1"]);
    expect(wrong).toEqual([{ line: 3, text: 'h2,3,"Mail', reason: "a quote is not closed" }]);
    expect(problems('hostname,tags,description\nh1,"a\nb","Mail\nh2,a,x')).toEqual([
      [3, 'b","Mail', "a quote is not closed"],
    ]);
    expect(problems('"hostname,skew\nh1,3')).toEqual([[1, '"hostname,skew', "a quote is not closed"]]);
  });

  test("is refused by the line whose quote only the quote of a later line seems to close", () => {
    const { hosts, wrong } = read('hostname,description\nh1,"Mail\nh2,"Web"\nh3,"A ""b"""\n');
    expect(hosts.map(({ hostname }) => hostname)).toEqual(["h3"]);
    expect(wrong).toEqual([{ line: 2, text: 'h1,"Mail', reason: "a quote is not closed" }]);
    expect(read('hostname,description\nh1,"A\nB" \nh2,"Main" server\n').wrong).toEqual([]);
  });
});
