/**
 * Translates the SQL of the repositories, which is SQLite's, into PostgreSQL's. Repositories keep to what
 * both understand; this covers what SQLite has no other word for: parameters, index hints, the flag columns,
 * ids of new rows, and lists that are passed as JSON.
 */
export interface Translated {
  text: string;
  /** Names of named parameters in order; null when parameters are given in order. */
  names: string[] | null;
}

const RULES: readonly (readonly [RegExp, string])[] = [
  // Index hints, and the unary plus that forbids an index.
  [/ (?:not indexed|indexed by \w+)/g, ""],
  [/(?<![\w)"])\+(?=["?\d])/g, ""],
  // Comparison that treats null as a value.
  [/ is not \?/g, " is distinct from ?"],
  [/ is \?/g, " is not distinct from ?"],
  [/\blimit -1\b/g, "limit all"],
  [/\blimit \?/g, "limit nullif(?::bigint, -1)"],
  [/\bjson_group_array\(([^()]+)\)/g, "coalesce(json_agg($1)::text, '[]')"],
  // Names in camel case, which PostgreSQL would fold.
  [/\bas ([a-z]+[A-Z]\w*)/g, 'as "$1"'],
  [/\bjson_array\(/g, "json_build_array("],
  [/\binstr\(/g, "strpos("],
  // Patterns of letters, digits and sets: nothing in them has another meaning in a regular expression.
  [/ glob \?/g, " ~ ('^' || replace(replace(?, chr(63), '.'), '*', '.*') || '$$')"],
  [/\browid\b/g, "ctid"],
];

/** New ids: the query builder writes null for a column without a value. */
function withNewIds(text: string): string {
  if (!/^insert into "\w+" \("id",/.test(text)) return text;
  return text.replace(/(values |, )\(null,/g, "$1(default,");
}

/** The columns of a conflict, which the query builder qualifies. */
function withPlainConflict(text: string): string {
  return text.replace(/\bon conflict \([^)]*\)/g, (columns) => columns.replace(/"\w+"\./g, ""));
}

/**
 * Lists that are passed as JSON: of rows, whose values are taken with `->>`; of texts, which are cast to text;
 * or of ids.
 */
function withJson(text: string): string {
  const [of, type] = /\bvalue ->> \d/.test(text)
    ? ["jsonb_array_elements", "jsonb"]
    : ["jsonb_array_elements_text", text.includes("cast(value as text)") ? "text" : "bigint"];
  return text.replace(
    /\bjson_each\((\?\d*)\)/g,
    `(select value::${type} as value from ${of}($1::jsonb) as each(value)) as each`,
  );
}

/** Numbers the parameters: `?` in order, `?2` by number, `$name` by name. */
class Parameters {
  readonly names: string[] = [];
  #next = 0;

  number(text: string): string {
    return text.replace(/\?(\d*)|\$([a-z]\w*)/gi, (_, index: string, name: string | undefined) => {
      if (name === undefined) return `$${index || ++this.#next}`;
      if (!this.names.includes(name)) this.names.push(name);
      return `$${this.names.indexOf(name) + 1}`;
    });
  }
}

/**
 * Makes the translation of a schema.
 * @param flags names of the columns that hold truth values; SQLite stores them as 0 and 1
 */
export function translator(flags: readonly string[]): (sql: string) => Translated {
  const flagLiteral = new RegExp(`\\b((?:${flags.join("|")})"?)\\s*=\\s*([01])\\b`, "g");

  function translatePart(text: string): string {
    let translated = text;
    for (const [pattern, replacement] of RULES) translated = translated.replace(pattern, replacement);
    translated = translated.replace(flagLiteral, (_, column, value) => `${column} = ${value === "1"}`);
    return withJson(withPlainConflict(translated));
  }

  return (sql) => {
    const parameters = new Parameters();
    // Text literals stay as they are.
    const parts = withNewIds(sql).split(/('(?:[^']|'')*')/);
    const text = parts
      .map((part, i) => (i % 2 === 1 ? part : parameters.number(translatePart(part))))
      .join("");
    return { text, names: parameters.names.length > 0 ? parameters.names : null };
  };
}
