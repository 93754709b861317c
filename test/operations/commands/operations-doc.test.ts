import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../../src/commands.ts";
import { SETTINGS } from "../../../src/platform/config/config.definitions.ts";
import { EDITABLE } from "../../../src/platform/settings/settings.definitions.ts";

const text = readFileSync(join(import.meta.dir, "../../../docs/operations.md"), "utf8");

test("docs/operations.md tells every setting in the words of the help", () => {
  const plain = text.replaceAll("`", "").replaceAll("\\|", "|");
  for (const { flag, env, secret, mayBeSecret, value, doc, default: initial } of Object.values(SETTINGS)) {
    const row = `| ${flag ? `${flag} ${value} ` : ""}| ${env}${secret || mayBeSecret ? "[_FILE]" : ""} | ${doc} |`;
    expect(plain).toContain(row);
    if (initial) expect(plain.split("\n").find((line) => line.startsWith(row))).toEndWith(`| ${initial} |`);
  }
});

test("docs/operations.md names every command and its options", () => {
  for (const { name, options = [] } of COMMANDS) {
    if (name !== "serve") expect(text).toContain(`\`${name}`);
    for (const { flag } of options) if (flag !== "--unit-dir") expect(text).toContain(flag);
  }
});

test("docs/operations.md names every setting that is emptied when the key is lost", () => {
  const [row = ""] = /^\| settings .*$/m.exec(text) ?? [];
  const secrets = Object.entries(EDITABLE).filter(([, definition]) => "secret" in definition);
  for (const [name] of secrets) if (name !== "collectorpassword") expect(row).toContain(`\`${name}\``);
});
