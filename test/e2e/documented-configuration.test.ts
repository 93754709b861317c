/** Configuration that the documentation shows is checked by the program that reads it. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Program } from "../../scripts/test-tools.ts";
import { templateFault } from "../../src/alerting/channels/kinds/template.ts";
import { readHostList } from "../../src/monitoring/expected/list-reader.ts";
import { blocksOf, pages } from "../docs/markdown.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { Sandbox } from "./documented.ts";

const CERTIFICATE = join(import.meta.dir, "../fixtures/tls/cert.pem");

const blocks = pages.flatMap(blocksOf).filter(({ language }) => language !== "sh");

/** The program that reads a language, and how it checks a file. Null: there is nothing to run. */
const CHECKERS: Record<string, ((text: string, sandbox: Sandbox) => Promise<unknown> | unknown) | null> = {
  // Drawn by GitHub; written for Caddy, which Debian's tests need for nothing else; one expression of a receiver.
  mermaid: null,
  caddy: null,
  python: null,
  csv: (text) => expect(readHostList(text, "csv").wrong).toEqual([]),
  json: (text) => (text.includes("{{") ? expect(templateFault(text)).toBeNull() : JSON.parse(text)),
  monit: (text, sandbox) => {
    // Monit looks for the certificate that is to be copied to the machine.
    const lines = text.replaceAll("/etc/monit/muster.pem", CERTIFICATE);
    writeFileSync(join(sandbox.path, "monitrc"), `set daemon 30\n${lines}`, { mode: 0o600 });
    return sandbox.run("monit -t -c monitrc");
  },
  nginx: (text, sandbox) => {
    const http =
      "access_log off; error_log stderr; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f;";
    const more = "uwsgi_temp_path u; scgi_temp_path s;";
    const isWhole = /^server \{/m.test(text);
    // The check binds what is listened on: only root may bind port 80, and only if no other server does.
    const server = (isWhole ? text : `server { listen 80;\n${text}}`).replaceAll(
      /\blisten \d+;/g,
      () => `listen unix:${join(sandbox.path, "nginx.sock")};`,
    );
    writeFileSync(
      join(sandbox.path, "nginx.conf"),
      `events {}\npid nginx.pid;\nhttp { ${http} ${more}\n${server} }\n`,
    );
    return sandbox.run('nginx -t -p "$PWD" -c nginx.conf');
  },
  yaml: (text, sandbox) => {
    const job = text.startsWith(" ") ? `scrape_configs:\n${text}` : text;
    writeFileSync(join(sandbox.path, "prometheus.yml"), job);
    return sandbox.run("promtool check config prometheus.yml");
  },
  sql: async (text) => {
    await using server = await PostgresServer.start();
    for (const statement of text.split(";")) server.query(statement);
  },
  haproxy: (text, sandbox) => {
    writeFileSync(join(sandbox.path, "haproxy.cfg"), `${text}\n`);
    return sandbox.run("haproxy -c -f haproxy.cfg");
  },
  promql: (text, sandbox) => {
    const rules = { groups: [{ name: "documented", rules: [{ alert: "Documented", expr: text.trim() }] }] };
    // YAML includes JSON.
    writeFileSync(join(sandbox.path, "rules.yml"), JSON.stringify(rules));
    return sandbox.run("promtool check rules rules.yml");
  },
};

/** What a checker runs. */
const PROGRAMS: Record<string, Program[]> = {
  monit: ["monit"],
  nginx: ["nginx"],
  yaml: ["promtool"],
  sql: ["postgres"],
  haproxy: ["haproxy"],
  promql: ["promtool"],
};

for (const block of blocks.filter(({ language }) => CHECKERS[language]))
  needing(...(PROGRAMS[block.language] ?? [])).test(
    `${block.page}:${block.line}: ${block.language}`,
    async () => {
      using sandbox = new Sandbox();
      await CHECKERS[block.language]?.(block.text, sandbox);
    },
  );

test("every block names a language whose reader is known", () => {
  const unknown = blocks.filter(({ language }) => !(language in CHECKERS));
  expect(unknown.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});
