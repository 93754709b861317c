/** A database whose events were kept for a day, and are now kept for ten years. */
import type { TestApp } from "../support/app.ts";
import { START } from "../support/clock.ts";

const DAY = 86_400;
const FAILING = 512;

/**
 * Two failures, one day apart, that last until the fourth day. Retention keeps the last error of each, and of the second
 * failure that is not the first one.
 */
export async function raiseEventDays(app: TestApp): Promise<void> {
  const statuses = { db: 0, web: 0 };
  const report = async (service: keyof typeof statuses, state: 0 | 1, message: string) => {
    statuses[service] = state * FAILING;
    const services = Object.entries(statuses).map(([name, status]) => ({ name, status }));
    const event = { service, state, id: FAILING, message };
    await app.report({ services, event, at: app.clock.now(), incarnation: START - 3600 });
  };
  const clean = () => {
    while (app.muster.retention.step());
  };
  app.settings.set("eventdays", 1);
  await report("db", 1, "fails");
  app.clock.step(DAY);
  await report("web", 1, "fails");
  app.clock.step(DAY);
  await report("web", 1, "fails in another way");
  app.clock.step(2 * DAY);
  await report("db", 0, "works");
  await report("web", 0, "works");
  clean();
  app.settings.set("eventdays", 3650);
}
