import { type Clock, systemClock } from "./clock.ts";
import { escapedJson, stackOf } from "./text.ts";

type LogFields = Record<string, unknown>;

export const LOG_LEVELS = ["info", "warn", "error"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["text", "json"] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

/** Writes one line per call. Never pass a secret. */
export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;

export interface LogOptions {
  /** text: `level message key=value`, without a time, which the log collector adds. json: an object with the time. */
  format?: LogFormat;
  /** Lines below this level are dropped. */
  level?: LogLevel;
}

function plain(value: unknown): unknown {
  return value instanceof Error ? stackOf(value) : value;
}

/**
 * Characters that JSON leaves as they are: they control terminals, end lines for some readers, or reverse what
 * follows.
 */
const CONTROLS = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function textOf(value: unknown): string {
  const text = String(plain(value));
  return /^[\w.:/@+,[\]-]+$/.test(text) ? text : escapedJson(text, CONTROLS);
}

function textLine(level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${textOf(value)}`);
  return `${level} ${message}${pairs.join("")}`;
}

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const entries = Object.entries(fields).map(([key, value]) => [key, plain(value)]);
  return escapedJson({ ...Object.fromEntries(entries), time, level, message }, CONTROLS);
}

/** @param write receives one line without its line end */
export function createLog(
  write: (line: string) => void,
  { format = "text", level: least = "info" }: LogOptions = {},
  clock: Clock = systemClock,
): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
      const time = new Date(clock.now() * 1000).toISOString().replace(".000Z", "Z");
      write(format === "json" ? jsonLine(time, level, message, fields) : textLine(level, message, fields));
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
