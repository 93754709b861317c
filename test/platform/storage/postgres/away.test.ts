import { expect, test } from "bun:test";
import { isAway, NoPrimary } from "../../../../src/platform/storage/postgres/away.ts";

const failure = (message: string, code?: string) => Object.assign(new Error(message), code && { code });

test("a server that is absent, starting, stopping, full or a standby is waited for", () => {
  for (const error of [
    failure("connect ECONNREFUSED 10.0.0.1:5432", "ECONNREFUSED"),
    failure("connect ENOENT /run/postgresql/.s.PGSQL.5432", "ENOENT"),
    failure("getaddrinfo EAI_AGAIN db1", "EAI_AGAIN"),
    failure("getaddrinfo ENOTFOUND db1", "ENOTFOUND"),
    failure("timeout expired"),
    failure("Connection terminated unexpectedly"),
    failure("Connection terminated due to connection timeout"),
    failure("the database system is starting up", "57P03"),
    failure("sorry, too many clients already", "53300"),
    new NoPrimary(),
  ])
    expect({ said: error.message, away: isAway(error) }).toEqual({ said: error.message, away: true });
});

test("a server that rejects the connection is not waited for", () => {
  for (const error of [
    failure("password authentication failed for user", "28P01"),
    failure("no pg_hba.conf entry for host", "28000"),
    failure('database "d" does not exist', "3D000"),
    failure("self-signed certificate in certificate chain", "SELF_SIGNED_CERT_IN_CHAIN"),
    failure("Hostname/IP does not match certificate's altnames", "ERR_TLS_CERT_ALTNAME_INVALID"),
    failure("The server does not support SSL connections"),
    "no error at all",
  ])
    expect({ error, away: isAway(error) }).toEqual({ error, away: false });
});
