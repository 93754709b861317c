import { Hono } from "hono";
import * as v from "valibot";
import type { AppEnv } from "../http/context.ts";
import { errors } from "../http/errors.ts";
import { type Operation, read } from "../http/operation.ts";
import { pageStyle } from "../http/page-style.ts";
import { described, nothing } from "../http/validate.ts";
import { openApiDocument } from "./document.ts";
import stylesheet from "./reference.css" with { type: "text" };
import { referencePage } from "./reference.page.ts";

const anything = v.record(v.string(), v.unknown());

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The given operations, and the one that describes them all, itself included. */
export function withDescription(operations: readonly Operation[]): Operation[] {
  const description = once(() => openApiDocument(all));
  const all: Operation[] = [
    ...operations,
    read("/openapi.json", {
      access: "public",
      summary: "This description of the API, as OpenAPI 3.1",
      takes: nothing,
      gives: v.object({
        openapi: described(v.string(), "version of OpenAPI"),
        info: described(anything, "title, version, license and introduction"),
        servers: described(v.array(anything), "where the API is served"),
        tags: described(v.array(anything), "nouns, with what they are"),
        paths: described(anything, "operations by path and method"),
        components: described(anything, "schemas and ways to authenticate that operations refer to"),
      }),
      handle: () => ({ ...description() }),
    }),
  ];
  return all;
}

/** `GET /api`: the same for people, as a page. */
export function referenceRoutes(operations: readonly Operation[]): Hono<AppEnv> {
  const page = once(() => String(referencePage(openApiDocument(operations))));
  const serve = (type: string, body: () => string) => {
    const routes = new Hono<AppEnv>();
    routes.get("/", (c) => c.body(body(), 200, { "Content-Type": type, "Cache-Control": "no-cache" }));
    routes.all("/", () => {
      throw errors.methodNotAllowed(["GET"]);
    });
    return routes;
  };
  return new Hono<AppEnv>()
    .route(
      "/reference.css",
      serve("text/css; charset=utf-8", () => pageStyle(stylesheet)),
    )
    .route("/", serve("text/html; charset=utf-8", page));
}
