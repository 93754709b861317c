export type LogFields = Record<string, unknown>;

/** One line per occurrence: `level message key=value`. Never pass a secret. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

function textOf(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.stack ?? value.message);
  const text = String(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(text);
}

/** @param write takes one line, without its end */
export function createLog(write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${textOf(value)}`);
      write(`${level} ${message}${pairs.join("")}`);
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
