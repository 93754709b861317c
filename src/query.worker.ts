/** Entry of the query worker, a thread for long queries. Its argument is the path of the database. */
import { systemClock } from "./platform/clock.ts";
import { serveQueries } from "./platform/queries/serve-queries.ts";
import { StoredSettings } from "./platform/settings/stored-settings.ts";
import { allQueries } from "./queries.ts";

serveQueries(process.argv.at(-1) ?? "", (db) => allQueries(db, new StoredSettings(db), systemClock));
