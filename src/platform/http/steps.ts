/** Changes of many objects, made in steps between which others are served. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { batchesOf } from "../batches.ts";
import type { AppContext } from "./context.ts";
import { ApiError } from "./errors.ts";

/** Objects of a step of which each has a fixed number of rows. */
export const OBJECTS = 50;

/**
 * Takes a step with each part of a list. Others are served after each.
 * @param size objects of a step, which should take about 20 ms
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
 * How an operation changes the objects that it names if they are more than fit into a step. All are checked first, so
 * a refusal changes nothing. Then each step is one call of the operation for some of them, in a transaction with its audit
 * entry. An object that the operation would refuse by then, as it was deleted meanwhile, is skipped. As many as fit into a
 * step are changed by one call, all or none.
 */
export interface Stepped<A, R> {
  /** The argument with the ids of the objects. */
  objects: keyof A & string;
  /** Objects of a step; `OBJECTS` if absent. */
  size?: (args: A) => number;
  /** Throws what the operation would. */
  check: (args: A, c: AppContext) => void;
  /** Their replies as one. Absent for an operation that replies with an empty object. */
  reply?: (replies: readonly R[]) => R;
}

type Handle = (args: never, c: AppContext) => unknown;

/** An operation of which each call is one transaction, as one that takes more objects in steps. */
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
