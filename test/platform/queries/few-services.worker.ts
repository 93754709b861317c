/** A query worker that composes no moment of all hosts if they have more than two services. */
import { pastQueries } from "../../../src/past-queries.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { serveQueries } from "../../../src/platform/queries/serve-queries.ts";
import { StoredSettings } from "../../../src/platform/settings/stored-settings.ts";
import { openForReading, type ReadPlace } from "../../../src/platform/storage/read-place.ts";
import { allQueries } from "../../../src/queries.ts";

const place: ReadPlace = JSON.parse(process.argv.at(-1) ?? "");

serveQueries(
  () => openForReading(place),
  (db) => allQueries(db, new StoredSettings(db), systemClock),
  (db) => pastQueries(db, new StoredSettings(db), systemClock, { maxServices: 2 }),
);
