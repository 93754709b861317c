/** The API description as a web page. Plain HTML: no script, no inline style; everything is escaped. */
import { html } from "hono/html";
import { htmlDocument } from "../../platform/http/page.ts";
import type { OpenApiDocument, OperationObject, PathItem } from "./document.ts";
import { argumentRows, type ReferenceRow, replyRows, typeText } from "./reference.rows.ts";
import type { Schema } from "./schemas.ts";

type Html = ReturnType<typeof html>;

/** One operation with all its methods. */
interface ReferenceEntry {
  path: string;
  methods: string[];
  operation: OperationObject;
}

const NOTHING = html``;

function entryOf([path, item]: [string, PathItem]): ReferenceEntry[] {
  const operation = item.get ?? item.post;
  return operation
    ? [{ path, methods: Object.keys(item).map((method) => method.toUpperCase()), operation }]
    : [];
}

const nounAnchor = (tag: string) => `noun-${tag.replace(/\W+/g, "-")}`;

function table(caption: string, rows: readonly ReferenceRow[]): Html {
  if (rows.length === 0) return NOTHING;
  return html`<h4>${caption}</h4>
<dl class="fields">${rows.map(
    ({ name, depth, type, required, text }) => html`
<div class="depth-${depth}"><dt><code>${name}</code> <span class="type">${type}</span>${
      required ? html` <strong>required</strong>` : NOTHING
    }</dt><dd>${text}</dd></div>`,
  )}
</dl>`;
}

function failures(responses: OperationObject["responses"]): Html {
  const failed = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return html`<details><summary>Errors</summary><dl class="errors">${failed.map(
    ([status, { description }]) => html`
<div><dt>${status}</dt><dd>${description}</dd></div>`,
  )}
</dl></details>`;
}

function section({ path, methods, operation }: ReferenceEntry): Html {
  const content = operation.responses["200"]?.content ?? {};
  const reply = content["application/json"]?.schema ?? {};
  return html`
<section class="operation" id="${operation.operationId}">
<h3><a href="#${operation.operationId}">${methods.map(
    (method) => html`<span class="method">${method}</span> `,
  )}<code>${path}</code></a></h3>
<p>${operation.summary}. <span class="access">${operation.description}</span></p>
${table("Arguments", argumentRows(operation))}
${table(`Reply: ${typeText(reply)}${content["text/csv"] ? ", or CSV" : ""}`, replyRows(reply))}
${failures(operation.responses)}
</section>`;
}

function codes(name: string, { title, description, oneOf = [] }: Schema): Html {
  return html`
<section class="operation" id="${name}">
<h3><a href="#${name}">${title}</a></h3>
<p>${description}</p>
<ul class="codes">${oneOf.map(({ const: code, title }) => html`<li><code>${code}</code> ${title}</li>`)}</ul>
</section>`;
}

/** The page. Its stylesheet is at /api/reference.css. */
export function referencePage(document: OpenApiDocument): string {
  const entries = Object.entries(document.paths).flatMap(entryOf);
  const ofTag = (tag: string) => entries.filter(({ operation }) => operation.tags.includes(tag));
  const coded = Object.entries(document.components.schemas).filter(([, schema]) => schema.oneOf);
  const head = html`<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/reference.css">`;
  const body = html`<header>
<h1>${document.info.title} <small>${document.info.version}</small></h1>
${document.info.description.split("\n\n").map((paragraph) => html`<p>${paragraph}</p>`)}
<p>The same for programs: <a href="/api/1/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
</header>
<nav aria-label="Operations">${document.tags.map(
    ({ name }) => html`
<div><a href="#${nounAnchor(name)}">${name}</a><ul>${ofTag(name).map(
      ({ path, operation }) =>
        html`<li><a href="#${operation.operationId}">${path.split("/").at(-1)}</a></li>`,
    )}</ul></div>`,
  )}
</nav>
<main>
<h2 id="authentication">Authentication</h2>
<dl class="fields">${Object.entries(document.components.securitySchemes).map(
    ([, { name, description, in: place = "header" }]) => html`
<div><dt><code>${name ?? "Authorization: Bearer"}</code> <span class="type">${place}</span></dt><dd>${description}</dd></div>`,
  )}
</dl>
${document.tags.map(
  ({ name, description }) => html`
<h2 id="${nounAnchor(name)}">${name} <small>${description}</small></h2>
${ofTag(name).map(section)}`,
)}
<h2 id="codes">Codes</h2>
${coded.map(([name, schema]) => codes(name, schema))}
</main>`;
  return htmlDocument(document.info.title, head, body);
}
