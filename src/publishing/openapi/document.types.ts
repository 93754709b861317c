/** The subset of OpenAPI 3.1 and JSON Schema (2020-12) that the document uses. */

export interface Schema {
  $ref?: string;
  type?: string;
  const?: string | number;
  title?: string;
  description?: string;
  /** Allowed values in words. When the document is served, this becomes part of the description. */
  allowed?: string;
  default?: unknown;
  enum?: (string | number)[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema | boolean;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  format?: string;
}

export interface Parameter {
  name: string;
  in: "query";
  description?: string;
  required: boolean;
  style?: "form";
  explode?: boolean;
  schema: Schema;
}

export interface MediaType {
  schema: Schema;
  encoding?: Record<string, { contentType?: string; style?: "form"; explode?: boolean }>;
}

export interface RequestBody {
  required: boolean;
  content: Record<string, MediaType>;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, { description: string; schema: Schema }>;
  content?: Record<string, MediaType>;
}

export interface OperationObject {
  tags: string[];
  operationId: string;
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, ResponseObject>;
}

export type PathItem = Partial<Record<"get" | "post", OperationObject>>;

export type Tag = { name: string; description: string };

export interface SecurityScheme {
  type: "apiKey" | "http";
  description: string;
  name?: string;
  in?: "cookie" | "header";
  scheme?: "bearer";
}

export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: Tag[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}
