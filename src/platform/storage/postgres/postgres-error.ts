/** Longest part of a statement in a message, characters. */
const MAX_STATEMENT = 300;

/** An error that PostgreSQL reports for a statement. */
export class PostgresError extends Error {
  override name = "PostgresError";

  /**
   * @param code SQLSTATE
   * @param statement without its parameters, which may be secret
   */
  constructor(
    message: string,
    readonly code: string,
    statement: string | null = null,
  ) {
    super(statement === null ? message : `${message}, in: ${statement.slice(0, MAX_STATEMENT)}`);
  }
}

/** The server cannot be reached, or denies the connection. */
export class DatabaseAway extends Error {
  override name = "DatabaseAway";

  constructor(
    message: string,
    /** SQLSTATE, if the server sent one. */
    readonly code: string | null = null,
    /** Whether the server was reached and rejected this connection, which waiting does not change. */
    readonly isDenied = false,
  ) {
    super(message);
  }
}
