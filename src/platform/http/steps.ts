/** Changes of many objects, made in steps between which other callers are served. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { batchesOf } from "../batches.ts";
import type { AppContext } from "./context.ts";
import { ApiError } from "./errors.ts";

/** Objects per step, if each has a fixed number of rows. */
export const OBJECTS = 50;

/**
 * Runs a step for each part of a list. Other callers are served after each.
 * @param size objects per step; a step should take about 20 ms
 * @returns what the steps returned
 */
export async function inSteps<T, R>(
  list: readonly T[],
  size: number,
  step: (part: readonly T[]) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const part of batchesOf(list, size)) {
    results.push(step(part));
    await nextTurn();
  }
  return results;
}

/**
 * How an operation changes more objects than fit into one step. All are checked first, so a refusal changes nothing.
 * Then each step is a call of the operation for some of them, in one transaction with its audit entry. Objects that the
 * operation refuses by then, such as deleted ones, are skipped. If all objects fit into one step, one call changes all
 * or none.
 */
export interface Stepped<A, R> {
  /** The argument with the ids of the objects. */
  objects: keyof A & string;
  /** Objects per step; `OBJECTS` if absent. */
  size?: (args: A) => number;
  /** @throws ApiError if the operation would refuse these objects */
  check: (args: A, c: AppContext) => void;
  /** Their replies as one. Absent for an operation that replies with an empty object. */
  reply?: (replies: readonly R[]) => R;
}

type Handle = (args: never, c: AppContext) => unknown;

/** Wraps a handler whose calls are one transaction each, so that it takes many objects in steps. */
export function stepping(stepped: Stepped<never, never>, handle: Handle): Handle {
  const { objects, size, check, reply } = stepped as unknown as Stepped<Record<string, unknown>, unknown>;
  const act = handle as (args: object, c: AppContext) => unknown;
  return (all: Record<string, unknown>, c) => {
    const ids = all[objects] as readonly number[];
    const most = size?.(all) ?? OBJECTS;
    if (ids.length <= most) return act(all, c);
    const about = (some: readonly number[]) => ({ ...all, [objects]: some });
    const isRefused = (id: number) => {
      try {
        check(about([id]), c);
        return false;
      } catch (error) {
        if (error instanceof ApiError) return true;
        throw error;
      }
    };
    const step = (part: readonly number[]): unknown[] => {
      try {
        return [act(about(part), c)];
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const left = part.filter((id) => !isRefused(id));
        if (left.length === part.length) throw error;
        return left.length === 0 ? [] : [act(about(left), c)];
      }
    };
    const distinct = [...new Set(ids)];
    const change = async () => {
      await inSteps(distinct, most, (part) => check(about(part), c));
      const replies = await inSteps(distinct, most, step);
      return reply?.(replies.flat());
    };
    return change();
  };
}
