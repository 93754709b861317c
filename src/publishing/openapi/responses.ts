/** Describes the responses of an operation. */
import { changesState, type Method, type Operation } from "../../platform/http/operation.ts";
import { errorsOf } from "./derived-errors.ts";
import { selfContained } from "./parameters.ts";
import { argumentsSchema, replySchema, type Schema } from "./schemas.ts";

interface ResponseObject {
  description: string;
  headers?: Record<string, { description: string; schema: Schema }>;
  content?: Record<string, { schema: Schema }>;
}

function hasCsv(operation: Operation): boolean {
  return argumentsSchema(operation).properties?.format?.enum?.includes("csv") ?? false;
}

/** Whether a client that holds the reply can ask whether it has changed. */
function isTagged({ kind }: Operation, method: Method): boolean {
  return method === "GET" && !changesState(kind);
}

function success(operation: Operation, method: Method): ResponseObject {
  return {
    description: "Done",
    ...(isTagged(operation, method) && {
      headers: { ETag: { description: "changes with the reply", schema: { type: "string" } } },
    }),
    content: {
      "application/json": { schema: selfContained(replySchema(operation)) },
      ...(hasCsv(operation) && { "text/csv": { schema: { type: "string" } } }),
    },
  };
}

function failures(operation: Operation, method: Method): [string, ResponseObject][] {
  const byStatus = Map.groupBy(errorsOf(operation, method), ({ status }) => status);
  return [...byStatus].map(([status, errorsOfStatus]) => [
    String(status),
    {
      description: errorsOfStatus.map(({ code, when }) => `${code}: ${when}`).join(". "),
      content: {
        "application/json": {
          schema: {
            $ref: "#/components/schemas/Error",
            properties: { code: { type: "string", enum: errorsOfStatus.map(({ code }) => code) } },
          },
        },
      },
    },
  ]);
}

/** Responses by status. */
export function responsesOf(operation: Operation, method: Method): Record<string, ResponseObject> {
  return {
    "200": success(operation, method),
    ...(isTagged(operation, method) && {
      "304": { description: "Not changed since the ETag of If-None-Match" },
    }),
    ...Object.fromEntries(failures(operation, method)),
  };
}
