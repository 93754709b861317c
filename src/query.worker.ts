/** The thread on which long queries run. Its argument is the path of the database. */
import { systemClock } from "./clock.ts";
import { allQueries } from "./queries.ts";
import { serveQueries } from "./reader/serve-queries.ts";
import { StoredSettings } from "./settings/stored-settings.ts";

serveQueries(process.argv.at(-1) ?? "", (db) => allQueries(db, new StoredSettings(db), systemClock));
