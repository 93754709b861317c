/** Reads Ansible's inventory in INI, or a plain list of names, into a `HostList`. */
import type { HostList } from "./host-list.ts";

const SECTION = /^\[([^\]]+)\]\s*(?:[#;].*)?$/;
const KINDS = ["", "children", "vars"];
const PORT = /^([^[\]:]+|.*\][^[\]:]*):\d{1,5}$/;

/** The words of a line, without quotes and without a comment at its end. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (const character of line) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === "#" && word === null) break;
    else word = (word ?? "") + character;
  }
  return word === null ? words : [...words, word];
}

function assignment(word: string): [name: string, value: string] | null {
  const at = word.indexOf("=");
  return at > 0 ? [word.slice(0, at), word.slice(at + 1)] : null;
}

/**
 * Reads an inventory in INI, or a plain list of names.
 * @param list receives what is read
 * @param text with lines that end in a line feed
 */
export function readIni(list: HostList, text: string): void {
  let [group, kind] = ["", ""];
  for (const [i, untrimmed] of text.split("\n").entries()) {
    const [number, line] = [i + 1, untrimmed.trim()];
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const section = SECTION.exec(line);
    if (section) {
      const [name = "", ofKind = ""] = (section[1] ?? "").split(":");
      [group, kind] = [name.trim(), ofKind.trim()];
      if (!KINDS.includes(kind))
        list.refuse(number, line, "a section is [NAME], [NAME:children] or [NAME:vars]");
      else list.group(group);
    } else if (kind === "") readHosts(list, line, number, group);
    else if (kind === "children") list.group(wordsOf(line)[0] ?? "").parents.add(group);
    else if (kind === "vars") readVariable(list, line, number, group);
  }
}

function readVariable(list: HostList, line: string, number: number, group: string): void {
  const pair = assignment(line);
  if (!pair) {
    list.refuse(number, line, "a variable is NAME=VALUE");
    return;
  }
  const [name, value] = pair;
  list.setGroupVariables(group, number, { [name.trim()]: value.trim().replace(/^(["'])(.*)\1$/, "$2") });
}

/** A host with its variables, or several hosts without. */
function readHosts(list: HostList, line: string, number: number, group: string): void {
  const [first = "", ...rest] = wordsOf(line);
  const pairs = rest.map(assignment);
  if (rest.length > 0 && pairs.every((pair) => pair !== null)) {
    list.add(first.replace(PORT, "$1"), number, Object.fromEntries(pairs), group);
    return;
  }
  if (pairs.some((pair) => pair !== null)) {
    list.refuse(number, line, "after the name of a host, each word is NAME=VALUE");
    return;
  }
  for (const name of [first, ...rest].flatMap((word) => word.split(/[,;]/)))
    if (name !== "") list.add(name.replace(PORT, "$1"), number, {}, group);
}
