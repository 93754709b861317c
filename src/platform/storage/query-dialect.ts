/** How the query builder writes statements, on both engines. */
import { Column, getTableColumns, getTableName, is, type SQL, sql, Table } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

type Selection = Parameters<SQLiteSyncDialect["buildSelectQuery"]>[0];
type Field = NonNullable<Selection["fieldsFlat"]>[number]["field"];

/** The fields in the order in which the builder reads rows. A table or an object is replaced by its fields. */
function* flat(fields: Selection["fields"]): Generator<Field> {
  for (const field of Object.values(fields))
    if (is(field, Table)) yield* flat(getTableColumns(field) as Selection["fields"]);
    else if (Object.getPrototypeOf(field) === Object.prototype) yield* flat(field as Selection["fields"]);
    else yield field as Field;
}

/** SQLite's dialect, with columns in snake case and a faster way to write long selections. */
export class QueryDialect extends SQLiteSyncDialect {
  constructor() {
    super({ casing: "snake_case" });
  }

  /** The quoted names of columns, by their names in the schema. */
  readonly #names = new Map<string, string>();

  /**
   * Writes adjacent columns of a selection as one text. The builder makes several objects of each, which takes it longer
   * than everything else that it does for a statement.
   */
  override buildSelectQuery(selection: Selection): SQL {
    const { fields, table, joins = [] } = selection;
    const merged: Field[] = [];
    let columns: string[] = [];
    const end = () => {
      if (columns.length > 0) merged.push(sql.raw(columns.join(", ")));
      columns = [];
    };
    for (const field of flat(fields)) {
      const from = is(field, Column) ? getTableName(field.table) : null;
      // The builder says what is wrong about a column of a table that is not part of the statement.
      const isPart = joins.length > 0 || !is(table, Table) || from === getTableName(table);
      if (is(field, Column) && isPart) columns.push(this.#columnName(field, joins.length > 0));
      else {
        end();
        merged.push(field);
      }
    }
    end();
    return super.buildSelectQuery({ ...selection, fieldsFlat: merged.map((field) => ({ path: [], field })) });
  }

  #columnName({ name, table }: Column, ofSeveral: boolean): string {
    const quoted = this.#names.get(name) ?? this.escapeName(toSnakeCase(name));
    this.#names.set(name, quoted);
    return ofSeveral ? `${this.escapeName(getTableName(table))}.${quoted}` : quoted;
  }
}
