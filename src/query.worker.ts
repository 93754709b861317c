/** Entry of a query worker, a thread for long queries. Its argument says where the database is (ReadPlace). */
import { systemClock } from "./platform/clock.ts";
import { serveQueries } from "./platform/queries/serve-queries.ts";
import { StoredSettings } from "./platform/settings/stored-settings.ts";
import { openForReading, type ReadPlace } from "./platform/storage/read-place.ts";
import { allQueries } from "./queries.ts";

const place: ReadPlace = JSON.parse(process.argv.at(-1) ?? "");

serveQueries(
  () => openForReading(place),
  (db) => allQueries(db, new StoredSettings(db), systemClock),
);
