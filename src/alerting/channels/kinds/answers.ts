/** Maps HTTP responses and egress errors to the answers of a channel. */

import {
  type Egress,
  EgressError,
  type EgressRequest,
  type EgressResponse,
} from "../../../platform/egress/egress.ts";
import { jsonIn } from "../../../platform/text.ts";
import type { Answer } from "./channel-kind.ts";

/** Longest Retry-After that is honoured, seconds. A longer one would delay messages too much. */
const MAX_RETRY_AFTER = 3600;
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** @returns whole seconds within bounds; undefined if `seconds` is not a number */
function retryAfterSeconds(seconds: number): number | undefined {
  if (!Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(Math.ceil(seconds), MAX_RETRY_AFTER);
}

/**
 * Retry-After holds seconds or a date. A date is compared with the Date header of the same response, not with this
 * machine's clock.
 */
function retryAfterOf({ headers }: EgressResponse): number | undefined {
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return retryAfterSeconds(Number(text));
  return retryAfterSeconds((Date.parse(text) - Date.parse(headers.date ?? "")) / 1000);
}

function outcomeOf(status: number): Answer["outcome"] {
  if (status >= 200 && status < 300) return "sent";
  if (status >= 500 || status === REQUEST_TIMEOUT || status === TOO_MANY_REQUESTS) return "failed";
  return "refused";
}

/** Judges a response by its status alone, which suits most services. */
export function byStatus(response: EgressResponse): Answer {
  const { status, body } = response;
  const outcome = outcomeOf(status);
  const moved = status >= 300 && status < 400 ? " (redirects are not followed)" : "";
  const detail = `${status}${moved}${body === "" ? "" : ` ${body}`}`;
  const retryAfter = outcome === "failed" ? retryAfterOf(response) : undefined;
  return { outcome, detail, ...(retryAfter !== undefined && { retryAfter }) };
}

/** @returns the fields of a JSON object; an empty object if the text is anything else */
function jsonOf(text: string): Record<string, unknown> {
  const value = jsonIn(text);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * Judges a response by its status, for services that send the time to wait in the body.
 * @param secondsIn finds it in the JSON of the body, in seconds
 */
export function byStatusAndBody(secondsIn: (body: Record<string, unknown>) => unknown) {
  return (response: EgressResponse): Answer => {
    const answer = byStatus(response);
    if (answer.outcome !== "failed") return answer;
    const retryAfter = retryAfterSeconds(Number(secondsIn(jsonOf(response.body)) ?? Number.NaN));
    return { ...answer, ...(retryAfter !== undefined && { retryAfter }) };
  };
}

/** The answer when no response came. @throws every error that is not an EgressError */
export function byError(error: unknown): Answer {
  if (!(error instanceof EgressError)) throw error;
  const outcome = error.final ? "refused" : error.certain ? "failed" : "unknown";
  return { outcome, detail: error.message };
}

/** Makes a request. @param judge interprets the response; needed where its status is not enough */
export async function attempt(
  egress: Egress,
  url: string,
  request: EgressRequest,
  judge: (response: EgressResponse) => Answer = byStatus,
): Promise<Answer> {
  let response: EgressResponse;
  try {
    response = await egress.request(url, request);
  } catch (error) {
    return byError(error);
  }
  return judge(response);
}

/** A request with a JSON body. */
export function jsonRequest(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  method: EgressRequest["method"] = "POST",
): EgressRequest {
  return { method, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(value) };
}
