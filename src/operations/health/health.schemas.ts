import * as v from "valibot";
import { acknowledgementReply } from "../../monitoring/uptime/acknowledgements.schemas.ts";
import { described } from "../../platform/http/validate.ts";
import { FINDING_SEVERITIES } from "../../platform/storage/schema/health.ts";

const number = v.number();
const string = v.string();

const finding = v.object({
  id: described(v.nullable(number), "id of the finding; null while the database cannot be written"),
  code: described(string, "code of the check"),
  subject: described(string, "channel, node, certificate ... that it is about; empty: Muster as a whole"),
  severity: described(v.picklist(FINDING_SEVERITIES), "how bad it is"),
  since: described(number, "first evaluation that found it, unix timestamp"),
  text: described(string, "what is wrong"),
  advice: described(string, "what to do about it"),
  acknowledged: acknowledgementReply,
});

const messages = v.object({
  persecond: described(
    v.nullable(number),
    "messages stored per second, over the last minute or so; null: not known yet",
  ),
  waiting: described(number, "messages that wait to be stored"),
  refused: described(
    v.array(
      v.object({
        reason: described(string, "why they were refused"),
        count: described(number, "number of messages since Muster started"),
        clients: described(number, "number of addresses they came from"),
        last: described(number, "when the last one was refused, unix timestamp"),
      }),
    ),
    "refused messages by reason, the latest first",
  ),
});

const agents = v.object({
  hosts: described(number, "number of hosts that are not ignored"),
  versions: described(
    v.array(
      v.object({
        version: described(string, "version of Monit; empty: the agent reports none"),
        hosts: described(number, "number of hosts with it"),
      }),
    ),
    "versions of agents, the most frequent 50",
  ),
  wrongclocks: described(number, "number of hosts whose clock is off by more than a minute"),
  clocks: described(
    v.array(
      v.object({
        id: described(number, "id of the host"),
        name: described(string, "name of the host"),
        offset: described(number, "seconds by which its clock is behind; negative: ahead"),
      }),
    ),
    "the worst ten of them",
  ),
});

const database = v.object({
  engine: described(v.picklist(["SQLite", "PostgreSQL"]), "engine of the database"),
  bytes: described(number, "size of the database without its log"),
  growth: described(
    v.nullable(number),
    "bytes by which it grows a day, over up to 30 days; null: not known yet",
  ),
  free: described(
    v.nullable(number),
    "free bytes on the disk of the database; null: not known, as for PostgreSQL",
  ),
  total: described(v.nullable(number), "size of that disk in bytes; null: not known"),
  fulldays: described(
    v.nullable(number),
    "days until the disk is full at this growth; null: not known, or the database does not grow",
  ),
});

const certificate = v.object({
  name: described(
    string,
    "Muster for the certificate that it serves, otherwise host and port of the base URL",
  ),
  expires: described(v.nullable(number), "when it expires, unix timestamp; null: it could not be looked at"),
  problem: described(string, "why it could not be looked at, or why its renewed files cannot be used"),
});

export const healthReply = v.object({
  evaluated: described(number, "when the checks ran, unix timestamp"),
  state: described(
    v.picklist(["ok", ...FINDING_SEVERITIES]),
    "severity of the worst finding; ok: there is none",
  ),
  findings: described(v.array(finding), "what is wrong with Muster itself, worst first"),
  messages: described(messages, "messages of agents"),
  agents: described(
    agents,
    "agents, as read at most an hour ago, or five minutes ago while an administrator has the web UI open",
  ),
  database: described(database, "the database and its disk"),
  backup: described(
    v.object({
      possible: described(v.boolean(), "whether this database is backed up, on schedule or by muster backup"),
      last: described(v.nullable(number), "when the last one was made, unix timestamp; null: not known"),
      proven: described(
        v.nullable(number),
        "when the newest one that was restored and compared was made, unix timestamp; null: never",
      ),
    }),
    "backups",
  ),
  channels: described(
    v.object({ failing: described(number, "enabled channels whose last attempt failed, 50 at most") }),
    "channels",
  ),
  deliveries: described(
    v.object({
      waiting: described(number, "notifications that wait to be sent"),
      oldest: described(
        v.nullable(number),
        "when the oldest of them was created, unix timestamp; null: none waits",
      ),
    }),
    "notifications",
  ),
  certificates: described(v.array(certificate), "certificates with which clients reach Muster"),
  forecasts: described(
    v.object({ behind: described(number, "past days without forecasts") }),
    "the daily forecasts",
  ),
  compaction: described(
    v.object({
      packedthrough: described(
        v.nullable(number),
        "time up to which samples are packed, unix timestamp; null: not known since the start",
      ),
      failed: described(number, "hosts whose samples cannot be packed"),
    }),
    "the packing of samples",
  ),
});
