import { declareError } from "./errors.ts";
import { changesState, type Operation } from "./operation.ts";

/** The error for every change in a public demonstration. */
export const readOnly = declareError(
  403,
  "server.readonly",
  "This Muster is a public demonstration: nothing in it can be changed",
);

/** Operations that show visitors, who share one account, to each other. */
const ABOUT_VISITORS: readonly string[] = ["/session/list"];

/**
 * Operations for a Muster that strangers may look at: those that would change something are refused, except signing
 * in.
 */
export function withoutChanges(operations: readonly Operation[]): Operation[] {
  const refuse = () => {
    throw readOnly();
  };
  return operations.map((operation) => {
    const { kind, access, path } = operation;
    const isRefused = (changesState(kind) && access !== "public") || ABOUT_VISITORS.includes(path);
    return isRefused ? { ...operation, admit: refuse } : operation;
  });
}
