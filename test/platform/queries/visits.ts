/** How many rows a statement visits, by SQLite's plan and what there is in the tables. */
import type { TestApp } from "../../support/app.ts";

interface Step {
  detail: string;
}

/** SEARCH of a table or its alias, by an index, by the row's id or by a key of its own, with the columns that are compared. */
const SEARCH =
  /^SEARCH (\S+)(?: EXISTS)? USING (?:COVERING )?(?:INDEX (\S+)|(INTEGER )?PRIMARY KEY)(?: \((.*)\))?/;
const SCAN = /^SCAN (\S+)/;

/**
 * Steps of plans that may visit many rows, with what they do so on: a table that is read as a whole, or an index of which
 * many entries are alike in the columns that are compared.
 */
export class Visits {
  readonly #most = new Map<string, number>();
  /** By table or index, the requests whose statements may visit many rows of it. */
  readonly scans = new Map<string, string[]>();

  /** @param most rows that a step may visit */
  constructor(
    private readonly db: TestApp["db"]["$client"],
    private readonly most: number,
  ) {}

  /** Notes what the statements of a request may visit many rows of. */
  note(request: string, statements: Iterable<string>): void {
    for (const sql of statements)
      for (const name of this.manyIn(sql)) {
        const requests = this.scans.get(name) ?? [];
        this.scans.set(name, requests);
        if (!requests.includes(request)) requests.push(request);
      }
  }

  /** The indexes or tables of which a statement may visit more rows. */
  manyIn(sql: string): string[] {
    const steps = this.db.query<Step, []>(`explain query plan ${sql}`).all();
    const isSorted = steps.some(({ detail }) => detail.startsWith("USE TEMP B-TREE FOR ORDER BY"));
    // Reading in the order of an index ends with the limit.
    if (/\blimit\b/i.test(sql) && !isSorted) return [];
    return steps.flatMap(({ detail }) => this.#manyOf(detail, sql) ?? []);
  }

  #manyOf(detail: string, sql: string): string | null {
    const scanned = SCAN.exec(detail)?.[1];
    if (scanned !== undefined) {
      return this.#tableOf(scanned, sql);
    }
    const search = SEARCH.exec(detail);
    if (!search) return null;
    const [, alias = "", index, isById, compared = ""] = search;
    const table = this.#tableOf(alias, sql);
    if (table === null || endsWithFirst(table, compared, sql)) return null;
    // A row's id is compared to one id, or to a range.
    if (isById) return /rowid[<>]/.test(compared) && this.#isMany(table, []) ? table : null;
    const columns = [...compared.matchAll(/(\w+)=\?/g)].map(([, column = ""]) => column);
    return this.#isMany(table, columns) ? (index ?? table) : null;
  }

  /** The table of a name or alias; null for rows that the statement itself makes. */
  #tableOf(name: string, sql: string): string | null {
    const isTable = this.db.query<object, [string]>("select 1 from sqlite_master where name = ?");
    if (isTable.get(name)) return name;
    const named = new RegExp(`\\b(?:from|join|update|into)\\s+"?(\\w+)"?\\s+(?:as\\s+)?"?${name}\\b`, "i");
    const table = named.exec(sql)?.[1];
    return table !== undefined && isTable.get(table) ? table : null;
  }

  /** Whether more rows have the same values in these columns. */
  #isMany(table: string, columns: readonly string[]): boolean {
    const list = columns.map((column) => `"${column}"`).join(", ");
    const key = `${table} ${list}`;
    const groups = `select count(*) as n from "${table}"${list && ` group by ${list}`}`;
    const most =
      this.#most.get(key) ??
      this.db.query<{ n: number }, []>(`select max(n) as n from (${groups})`).get()?.n ??
      0;
    this.#most.set(key, most);
    return most > this.most;
  }
}

/** Whether the first row that is found ends the search: that of the least or greatest value, or of "exists". */
function endsWithFirst(table: string, compared: string, sql: string): boolean {
  if (compared === "" && /^select (?:min|max)\(/i.test(sql)) return true;
  return new RegExp(`exists \\(\\s*select 1 from "?${table}\\b`).test(sql);
}
