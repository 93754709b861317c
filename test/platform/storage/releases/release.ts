/** What a released version stored, and what it answered from that: later versions must bring it up and answer the same. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { METHODS, type Operation } from "../../../../src/platform/http/operation.ts";
import { examples, type Populated } from "../../../publishing/openapi/examples.ts";
import type { TestApp } from "../../../support/app.ts";
import type { Fields, TestClient } from "../../../support/client.ts";

const FOLDER = join(import.meta.dir, "../../../fixtures/releases");

/** Operations whose replies are not about what is stored. The export has the settings. */
const OF_THE_PROGRAM: readonly string[] = [
  "/openapi.json",
  "/login/methods",
  "/admin/channels/kinds",
  "/admin/settings/get",
  "/admin/refusals/list",
  "/admin/health/get",
  "/admin/nodes/list",
];

/** Path of an operation, with its arguments, and the reply. */
export interface Answer {
  path: string;
  args: Fields;
  reply: unknown;
}

export interface Release {
  version: string;
  /** The time of its clock, unix seconds. */
  time: number;
  answers: Answer[];
}

export const fileOf = (version: string, name: string) => join(FOLDER, version, name);

const unzipped = (version: string, name: string) => Bun.gunzipSync(readFileSync(fileOf(version, name)));

/** Those that are kept. */
export const keptVersions = (): string[] => readdirSync(FOLDER).sort();

export function releaseOf(version: string): Release {
  return JSON.parse(new TextDecoder().decode(unzipped(version, "release.json.gz")));
}

/** The database file. */
export const fileDatabaseOf = (version: string): Uint8Array => unzipped(version, "muster.db.gz");

/** The statements that make the database on PostgreSQL. */
export const serverDatabaseOf = (version: string): Uint8Array => unzipped(version, "postgres.sql.gz");

const isReading = ({ kind, path }: Operation) =>
  METHODS[kind].includes("GET") && ["read", "query"].includes(kind) && !OF_THE_PROGRAM.includes(path);

/** Asks every operation that reads, and more. */
export async function answersOf(
  { operations }: TestApp,
  populace: Populated,
  more: readonly [path: string, args: Fields][],
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const questions: [path: string, args: Fields][] = [
    ...operations
      .filter(isReading)
      .map(({ path }): [string, Fields] => [path, examples(populace)[path] ?? {}]),
    ["/admin/transfer/export", { secrets: true }],
    ...more,
  ];
  for (const [path, args] of questions) {
    const { status, json } = await populace.admin.get(`/api/1${path}`, args);
    if (status === 200 && json !== undefined) answers.push({ path, args, reply: json });
  }
  return answers;
}

/** Asks again what a release was asked. */
export async function askedAgain(admin: TestClient, answers: readonly Answer[]): Promise<Answer[]> {
  const again: Answer[] = [];
  for (const { path, args } of answers) {
    const { status, json } = await admin.get(`/api/1${path}`, args);
    again.push({ path, args, reply: status === 200 ? json : `status ${status}` });
  }
  return again;
}
