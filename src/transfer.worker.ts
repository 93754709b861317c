/** Entry of the thread that exports and imports use. Its argument says where the database is (ReadPlace). */
import { assembleTransfer } from "./muster.ts";
import { transferQueries } from "./operations/transfer/transfer.queries.ts";
import { MAX_FILE_BYTES } from "./operations/transfer/transfer.routes.ts";
import { serveQueries } from "./platform/queries/serve-queries.ts";
import { openForReading, type ReadPlace } from "./platform/storage/read-place.ts";

const place: ReadPlace = JSON.parse(process.argv.at(-1) ?? "");

serveQueries(
  () => openForReading(place),
  (db) => transferQueries(db, assembleTransfer),
  undefined,
  MAX_FILE_BYTES,
);
