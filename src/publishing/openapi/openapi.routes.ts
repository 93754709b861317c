import { Hono } from "hono";
import * as v from "valibot";
import { contentOf, contentOnce, contentReply } from "../../platform/http/content.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import type { PageStyle } from "../../platform/http/page-style.ts";
import { asciiJson, NO_STORE } from "../../platform/http/reply.ts";
import { described } from "../../platform/http/validate.ts";
import { type OpenApiDocument, openApiDocument } from "./document.ts";
import stylesheet from "./reference.css" with { type: "text" };
import { referencePage } from "./reference.page.ts";

const anything = v.record(v.string(), v.unknown());

/** The document of these operations in a form that can be served. */
function documentAs(form: (document: OpenApiDocument) => string, operations: readonly Operation[]) {
  return contentOnce(async () =>
    contentOf(new TextEncoder().encode(form(await openApiDocument(operations)))),
  );
}

/** The operations, and one more that describes all of them, including itself. */
export function withDescription(operations: readonly Operation[]): Operation[] {
  const everyOperation: Operation[] = [
    ...operations,
    read("/openapi.json", {
      access: "public",
      summary: "This description of the API, as OpenAPI 3.1",
      response: v.object({
        openapi: described(v.string(), "version of OpenAPI"),
        info: described(anything, "title, version, license and introduction"),
        servers: described(v.array(anything), "where the API is served"),
        tags: described(v.array(anything), "tags with their descriptions"),
        paths: described(anything, "operations by path and method"),
        components: described(anything, "schemas and ways to authenticate that operations refer to"),
      }),
      handle: async (_args, c) =>
        contentReply(c, await description(), { "Content-Type": "application/json", ...NO_STORE }),
    }),
  ];
  const description = documentAs(asciiJson, everyOperation);
  return everyOperation;
}

/** `GET /api`: the description as a web page. */
export function referenceRoutes(operations: readonly Operation[], style: PageStyle): Hono<AppEnv> {
  const page = documentAs(referencePage, operations);
  const routes = new Hono<AppEnv>();
  getOnly(routes, "/reference.css", style.sheet(stylesheet));
  getOnly(routes, "/", async (c) =>
    contentReply(c, await page(), {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
      ...style.headers,
    }),
  );
  return routes;
}
