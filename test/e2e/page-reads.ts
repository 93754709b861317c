/**
 * What tests read in a page, which changes while it is read: requests, renders and motions take their time. Each read
 * is judged again until it holds; what must not be there is looked for once everything has loaded.
 */
import { expect, type Matchers } from "bun:test";
import type { Locator, Page, Request } from "playwright-core";
import { eventually, PATIENCE } from "./support.ts";

/** Requests of each page that have no reply yet, and how many it has made. */
const traffic = new WeakMap<Page, { open: Set<Request>; made: number }>();

/** Lets `settled` know what the page waits for. Call it before the page requests anything. */
export function watchTraffic(page: Page): void {
  const counts = { open: new Set<Request>(), made: 0 };
  traffic.set(page, counts);
  page.on("request", (request) => {
    // A new document gives up what the one before it asked for.
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) counts.open.clear();
    counts.open.add(request);
    counts.made++;
  });
  page.on("requestfinished", (request) => counts.open.delete(request));
  page.on("requestfailed", (request) => counts.open.delete(request));
}

/** Runs in the page: resolves when everything that was to be drawn is drawn, and its effects have run. */
async function drawn(): Promise<void> {
  await document.fonts.ready;
  for (let frames = 0; frames < 3; frames++) {
    await new Promise((done) => requestAnimationFrame(done));
    await new Promise((done) => setTimeout(done));
  }
  const motions = document.getAnimations();
  const ending = motions.filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  // One whose element goes away is cancelled, which rejects its promise.
  await Promise.allSettled(ending.map(({ finished }) => finished));
}

/**
 * Resolves when the page waits for nothing: no request is under way, and nothing moves any more, except what moves
 * without end.
 * @param page of `openPage`
 */
export async function settled(page: Page): Promise<void> {
  const counts = traffic.get(page);
  if (!counts) throw new Error("the requests of this page are not watched");
  const asked = () => [...counts.open].map((request) => new URL(request.url()).pathname);
  try {
    await eventually("no request is under way", async () => {
      const before = counts.made;
      if (counts.open.size > 0) return false;
      await page.evaluate(drawn);
      return counts.open.size === 0 && counts.made === before;
    });
  } catch (error) {
    throw new Error(`the page does not settle, and waits for: ${asked().join(", ") || "nothing"}`, {
      cause: error,
    });
  }
}

type Soon<M> = {
  [name in Exclude<keyof M, "not">]: M[name] extends (...expected: infer Expected) => unknown
    ? (...expected: Expected) => Promise<void>
    : never;
};

type SoonMatchers<T> = Soon<Matchers<T>> & { not: Soon<Matchers<unknown>> };

/**
 * `expect` for what is read in a page: reads and judges until it holds. Names the expected and the last value when
 * that never comes.
 */
export function expectSoon<T>(read: () => T | Promise<T>): SoonMatchers<T> {
  const judged = (name: string, isNegated: boolean) =>
    async function judge(...expected: unknown[]): Promise<void> {
      // Made here, as its stack leads to the test.
      const failure = new Error();
      Error.captureStackTrace(failure, judge);
      try {
        await eventually(name, async () => {
          const one = expect(await read());
          const matchers = (isNegated ? one.not : one) as unknown as Record<
            string,
            (...args: unknown[]) => void
          >;
          matchers[name]?.(...expected);
          return true;
        });
      } catch (error) {
        const last = error instanceof Error ? error.cause : error;
        failure.message = `not within ${PATIENCE} ms: ${last instanceof Error ? last.message : last}`;
        throw failure;
      }
    };
  const matchers = (isNegated: boolean, more: object = {}) =>
    new Proxy(more, { get: (own, name) => Reflect.get(own, name) ?? judged(String(name), isNegated) });
  return matchers(false, { not: matchers(true) }) as SoonMatchers<T>;
}

/** None of them is in the page, which has loaded everything. */
export async function expectAbsent(...all: Locator[]): Promise<void> {
  for (const locator of all) {
    await settled(locator.page());
    await expectSoon(() => locator.count()).toBe(0);
  }
}

/** None of them can be seen in the page, which has loaded everything. */
export async function expectHidden(...all: Locator[]): Promise<void> {
  for (const locator of all) {
    await settled(locator.page());
    await expectSoon(() => locator.isVisible()).toBe(false);
  }
}

/** Whether the element has the focus. */
export function isFocused(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === document.activeElement);
}
