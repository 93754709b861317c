import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described } from "../../platform/http/validate.ts";

const session = v.object({
  id: described(v.string(), "id for session/revoke; it is not the cookie"),
  created: described(v.number(), "when the session began, unix timestamp"),
  used: described(v.number(), "when it was last used, unix timestamp"),
  address: described(v.string(), "address of the client"),
  useragent: described(v.string(), "User-Agent header of the client"),
  current: described(v.boolean(), "whether it is the session of this call"),
});

export const sessionListReply = v.object({
  totalRecords,
  records: described(v.array(session), "the caller's sessions"),
});
