/** Entry of a query worker, a thread for long queries. Its argument says where the database is (ReadPlace). */
import { pastQueries } from "./past-queries.ts";
import { systemClock } from "./platform/clock.ts";
import { serveQueries } from "./platform/queries/serve-queries.ts";
import { StoredSettings } from "./platform/settings/stored-settings.ts";
import { openForReading, type ReadPlace } from "./platform/storage/read-place.ts";
import { allQueries } from "./queries.ts";

/** How long the state of a moment is used for further queries: those of a screen, and of its next refresh. */
const KEPT_SECONDS = 30;

const place: ReadPlace = JSON.parse(process.argv.at(-1) ?? "");

serveQueries(
  () => openForReading(place),
  (db) => allQueries(db, new StoredSettings(db), systemClock),
  (db) => pastQueries(db, new StoredSettings(db), systemClock, { keptSeconds: KEPT_SECONDS }),
);
