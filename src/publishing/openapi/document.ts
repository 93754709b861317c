/** Builds the OpenAPI document from the operations. */
import { changesState, METHODS, type Method, type Operation } from "../../platform/http/operation.ts";
import { inSteps } from "../../platform/http/steps.ts";
import { capitalised } from "../../platform/text.ts";
import { VERSION } from "../../platform/version.ts";
import { codeSchemas } from "./codes.ts";
import { ACCESS_TEXT, INTRODUCTION, SECURITY_SCHEMES, tagNamed, tagOf } from "./introduction.ts";
import { argumentBody, argumentParameters } from "./parameters.ts";
import { responsesOf } from "./responses.ts";
import type { Schema } from "./schemas.ts";

/** Path under which the operations are mounted. */
const API_PREFIX = "/api/1";

/** Operations that a step describes. Each takes up to a millisecond. */
const OPERATIONS_PER_STEP = 10;

const ERROR_SCHEMA = {
  title: "Error",
  type: "object",
  properties: {
    error: { type: "string", description: "one sentence for people" },
    code: { type: "string", description: "stable name of the error, for programs" },
  },
  required: ["error", "code"],
};

function operationId(path: string, method: Method, methods: readonly Method[]): string {
  const words = path.split(/\W/).filter(Boolean);
  const name = words.map((word, i) => (i === 0 ? word : capitalised(word))).join("");
  return methods[0] === method ? name : `${name}ByPost`;
}

/** Each entry is one way to authenticate; its values are the required roles or, for a token, the scope. */
function securityOf({ access, kind }: Operation, method: Method): Record<string, string[]>[] {
  if (access === "public") return [];
  const roles = access === "admin" || access === "operate" || access === "manage" ? [access] : [];
  const changes = changesState(kind);
  const login = { session: roles, ...(changes && method === "POST" && { csrf: [] }) };
  return access === "login" ? [login] : [login, { token: [...roles, changes ? "full" : "read"] }];
}

/** Properties that are undefined are absent from the document. */
function describe(operation: Operation, method: Method) {
  const { path, access, kind, summary } = operation;
  const parameters = method === "GET" ? argumentParameters(operation) : [];
  return {
    tags: [tagOf(path)],
    operationId: operationId(path, method, METHODS[kind]),
    summary,
    description: ACCESS_TEXT[access],
    security: securityOf(operation, method),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: method === "POST" ? argumentBody(operation) : undefined,
    responses: responsesOf(operation, method),
  };
}

export type OperationObject = ReturnType<typeof describe>;
export type PathItem = Partial<Record<"get" | "post", OperationObject>>;

function pathItem(operation: Operation): PathItem {
  const described = METHODS[operation.kind].map((method) => [
    method.toLowerCase(),
    describe(operation, method),
  ]);
  return Object.fromEntries(described);
}

/**
 * Describes the operations a few at a time and serves others in between: all of them take 0.1 s after a start.
 * @param operations all of them; the document keeps their order
 */
export async function openApiDocument(operations: readonly Operation[]) {
  const items = await inSteps(operations, OPERATIONS_PER_STEP, (some) =>
    some.map((operation) => [API_PREFIX + operation.path, pathItem(operation)] as const),
  );
  const tags = [...new Set(operations.map(({ path }) => tagOf(path)))];
  return {
    openapi: "3.1.0",
    info: {
      title: "Muster API",
      version: VERSION,
      summary: "Hosts, services, events and uptime, as Monit agents report them",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "this server" }],
    tags: tags.map(tagNamed),
    paths: Object.fromEntries(items.flat()),
    components: {
      schemas: { Error: ERROR_SCHEMA, ...codeSchemas() } as Record<string, Schema>,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

export type OpenApiDocument = Awaited<ReturnType<typeof openApiDocument>>;
