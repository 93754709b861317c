/** The engine on a real server: what repositories rely on, and its behaviour when the server fails. */
import { expect } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer } from "node:net";
import { eq } from "drizzle-orm";
import { migrationsFolder } from "../../../../src/platform/assets.ts";
import { databaseError } from "../../../../src/platform/storage/database-error.ts";
import { withServerAlone } from "../../../../src/platform/storage/database-server.postgres.ts";
import { activeNode, IS_HELD, Lease } from "../../../../src/platform/storage/lease.postgres.ts";
import { type Db, openDatabase, transaction } from "../../../../src/platform/storage/open.ts";
import { openPostgres } from "../../../../src/platform/storage/open-postgres.ts";
import { connect } from "../../../../src/platform/storage/postgres/connect.ts";
import { channels, hostGroups, samples, settings } from "../../../../src/platform/storage/schema.ts";
import { migrateDatabase } from "../../../../src/platform/storage/sqlite-migrations.ts";
import { LIMIT_MS } from "../../../support/migrated-databases.ts";
import { PostgresServer } from "../../../support/postgres-server.ts";
import { driver, openedDatabase, postgresTests, server } from "../../../support/postgres-tests.ts";

const { test } = postgresTests();

/** The reason for an error of `work`, in the words for administrators. */
function reasonOf(work: () => unknown): string | null {
  try {
    work();
  } catch (error) {
    return databaseError(error) ?? String(error);
  }
  return null;
}

test("values come back as SQLite gives them", () => {
  const { db } = openedDatabase();
  const bytes = Buffer.from([0, 1, 254, 255]);
  db.insert(settings).values({ key: "ä'\\", value: "a\0b" }).run();
  db.insert(channels)
    .values({ name: "c", kind: "mail", settings: "", createdAt: 2 ** 53 - 1, enabled: false })
    .run();
  expect(db.select().from(settings).get()).toEqual({ key: "ä'\\", value: "a\ufffdb" });
  expect(db.select().from(channels).get()).toMatchObject({
    id: 1,
    createdAt: 2 ** 53 - 1,
    enabled: false,
    heldUntil: null,
  });
  const row = db.$client
    .query<{ flag: number; share: number; bytes: Uint8Array }>(
      "select enabled as flag, 0.25::float8 as share, ?::bytea as bytes from channels",
    )
    .get(bytes);
  expect(row).toMatchObject({ flag: 0, share: 0.25 });
  expect(Buffer.from(row?.bytes ?? []).equals(bytes)).toBe(true);
  expect(samples.values.mapFromDriverValue(row?.bytes as never)).toEqual(bytes);
});

test("texts are in the order of their bytes, whatever the locale of the database", () => {
  const { db } = openedDatabase();
  for (const key of ["b", "ä", "B", "a"]) db.insert(settings).values({ key, value: "" }).run();
  const keys = db.select({ key: settings.key }).from(settings).orderBy(settings.key).all();
  expect(keys.map(({ key }) => key)).toEqual(["B", "a", "b", "ä"]);
});

test("a failed statement without a reader fails its transaction, which leaves nothing", () => {
  const { db } = openedDatabase();
  db.insert(hostGroups).values({ name: "one" }).run();
  expect(() =>
    transaction(db, () => {
      db.insert(settings).values({ key: "k", value: "v" }).run();
      db.insert(hostGroups).values({ name: "one" }).run();
      db.insert(settings).values({ key: "l", value: "v" }).run();
    }),
  ).toThrow("duplicate key");
  expect(db.select().from(settings).all()).toEqual([]);
});

test("a nested transaction that fails rolls back only its own changes", () => {
  const { db } = openedDatabase();
  transaction(db, () => {
    db.insert(settings).values({ key: "outer", value: "" }).run();
    expect(() =>
      transaction(db, () => {
        db.insert(settings).values({ key: "inner", value: "" }).run();
        throw new Error("never mind");
      }),
    ).toThrow("never mind");
  });
  expect(db.select({ key: settings.key }).from(settings).all()).toEqual([{ key: "outer" }]);
});

test("a transaction whose connection is lost stores nothing, and the next one has a new connection", async () => {
  const { db, name } = openedDatabase();
  const reason = reasonOf(() =>
    transaction(db, () => {
      db.insert(settings).values({ key: "k", value: "v" }).run();
      db.select().from(settings).all();
      server.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      db.insert(settings).values({ key: "l", value: "v" }).run();
    }),
  );
  expect(reason).toContain("the database server cannot be reached");
  let rows: unknown = null;
  while (rows === null) {
    await Bun.sleep(20);
    if (reasonOf(() => db.$client.query("select 1").get()) === null) rows = db.select().from(settings).all();
  }
  expect(rows).toEqual([]);
});

test("what comes after a database was closed fails, and waits for nothing", () => {
  const { db } = openedDatabase();
  const write = () => db.insert(settings).values({ key: "late", value: "" }).run();
  db.$client.close();
  expect(write).toThrow("the connection was closed");
  expect(() => transaction(db, write)).toThrow("the connection was closed");
});

test("a server that hangs is waited for once; afterwards everything fails at once until it answers again", async () => {
  const db = openPostgres(driver(), server.options(openedDatabase().name), 300);
  server.pause();
  try {
    expect(reasonOf(() => db.$client.query("select 1").get())).toContain("cannot be reached");
    // If each of these waited, this would take minutes.
    for (let i = 0; i < 1000; i++)
      expect(reasonOf(() => db.$client.query("select 1").get())).toContain("cannot be reached");
  } finally {
    server.resume();
  }
  while (reasonOf(() => db.$client.query("select 1").get()) !== null) await Bun.sleep(20);
});

test("a patient statement is waited for when the server is slow, but not when it hangs", () => {
  // Longer than any test may take.
  const { db } = openedDatabase(3_600_000);
  const slow = db.$client.query<{ n: number }>("select 7 as n from (select pg_sleep(2.5)) as slept").get();
  expect(slow?.n).toBe(7);
  server.pause();
  try {
    expect(reasonOf(() => db.$client.query("select 1").get())).toContain("cannot be reached");
  } finally {
    server.resume();
  }
});

test("one node holds the lease; another takes it when it is over, and the first can write nothing then", () => {
  const { db, name } = openedDatabase();
  const other = openPostgres(driver(), server.options(name), LIMIT_MS);
  const lease = Lease.take(db, "first");
  expect(lease?.renew()).toBe(true);
  expect(Lease.take(other, "second")).toBeNull();
  expect(activeNode(other)).toBe("first");

  server.query("update muster_lease set until = now() - interval '1 second'", name);
  expect(Lease.take(other, "second")).not.toBeNull();
  expect(lease?.renew()).toBe(false);
  const write = (to: Db, key: string) => () => to.insert(settings).values({ key, value: "" }).run();
  expect(reasonOf(() => transaction(db, write(db, "a")))).toBe("another node is active");
  expect(reasonOf(write(db, "b"))).toBe("another node is active");
  expect(reasonOf(write(other, "c"))).toBeNull();
  const stored = other.select({ key: settings.key }).from(settings).where(eq(settings.value, "")).all();
  expect(stored).toEqual([{ key: "c" }]);
});

test("a command that needs all nodes stopped ends one that hung, which can write nothing when it wakes up", () => {
  const { db, name } = openedDatabase();
  const lease = Lease.take(db, "hung");
  const write = () => db.insert(settings).values({ key: "k", value: "" }).run();
  const release = () => server.query("update muster_lease set until = '-infinity'", name);
  const alone = (work: () => void) => withServerAlone(server.options(name), migrationsFolder(), work);
  const never = () => {
    throw new Error("it has begun");
  };
  expect(() => alone(never)).toThrow("another Muster is active on it (hung)");
  expect(lease?.renew()).toBe(true);

  release();
  // Also when it wakes up before the command is done, or when the command fails.
  const work = () => {
    expect(lease?.renew()).toBe(false);
    expect(reasonOf(write)).toBe("another node is active");
    throw new Error("power cut");
  };
  expect(() => alone(work)).toThrow("power cut");
  expect(lease?.renew()).toBe(false);
  expect(reasonOf(write)).toBe("another node is active");
});

test("what fails for want of the lease within a nested transaction says so, and nothing of savepoints", () => {
  const { db, name } = openedDatabase();
  Lease.take(db, "first");
  server.query("update muster_lease set until = '-infinity'", name);
  const write = (key: string) => db.insert(settings).values({ key, value: "" }).run();
  const nested = () =>
    transaction(db, () => {
      write("inner");
      return db.select().from(settings).all();
    });
  const reasons: (string | null)[] = [];
  const outer = () =>
    transaction(db, () => {
      // As messages that are tried one by one: each trouble is theirs.
      for (let i = 0; i < 2; i++) reasons.push(reasonOf(nested));
      write("outer");
    });
  expect(reasonOf(outer)).toBe("another node is active");
  expect(reasons).toEqual(["another node is active", "another node is active"]);
  expect(server.query("select count(*) from settings", name)).toBe("0");
  // The connection is as good as before.
  expect(db.select().from(settings).all()).toEqual([]);
});

test("a lease whose end no node can have set is free", () => {
  const { db, name } = openedDatabase();
  const other = openPostgres(driver(), server.options(name), LIMIT_MS);
  const isHeld = (until: string) =>
    server.query(`select ${IS_HELD} from (select clock_timestamp() + interval '${until}' as until) as lease`);
  expect(["-1 second", "9 seconds", "15 seconds", "30 seconds", "1 hour"].map(isHeld)).toEqual([
    "f",
    "t",
    "t",
    "f",
    "f",
  ]);
  Lease.take(db, "first");
  server.query("update muster_lease set until = now() + interval '1 hour'", name);
  expect(activeNode(other)).toBe("");
  expect(Lease.take(other, "second")).not.toBeNull();
  expect(activeNode(other)).toBe("second");
});

test("a released lease is free at once", () => {
  const { db, name } = openedDatabase();
  Lease.take(db, "first")?.release();
  const other = openPostgres(driver(), server.options(name), LIMIT_MS);
  expect(Lease.take(other, "second")).not.toBeNull();
});

/** SQLite's types and the equivalent ones of PostgreSQL. */
const TYPES: Record<string, readonly string[]> = {
  integer: ["bigint", "boolean"],
  text: ["text"],
  real: ["double precision"],
  blob: ["bytea"],
};

test("both engines have the same tables, columns, keys and nullability", () => {
  const { db } = openedDatabase();
  const file = openDatabase(":memory:");
  migrateDatabase(file, migrationsFolder());
  const tables = file.$client
    .query<{ name: string }>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '\\_\\_%' escape '\\'",
    )
    .all()
    .map((table) => table.name)
    .sort();
  const here = db.$client
    .query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
    )
    .all();
  expect(here.map(({ name }) => name).filter((table) => !table.startsWith("muster_"))).toEqual(tables);
  for (const table of tables) {
    const columns = file.$client
      .query<{ name: string; type: string; notnull: number; pk: number }>(`pragma table_info("${table}")`)
      .all();
    const described = db.$client
      .query<{ column: string; type: string; nullable: string; key: number }>(
        `select column_name as "column", data_type as "type", is_nullable as "nullable", coalesce((
           select array_position(i.indkey::int[], c.ordinal_position::int) from pg_index i
           where i.indrelid = '${table}'::regclass and i.indisprimary), -1) + 1 as "key"
         from information_schema.columns c where table_schema = 'public' and table_name = '${table}'`,
      )
      .all();
    expect(described.map(({ column }) => column).sort()).toEqual(columns.map(({ name }) => name).sort());
    for (const { name: column, type, notnull, pk } of columns) {
      const description = described.find((each) => each.column === column);
      const expected = { table, column, type: true, notNull: notnull === 1 || pk > 0, key: pk };
      const actual = {
        table,
        column,
        type: TYPES[type.toLowerCase()]?.includes(description?.type ?? ""),
        notNull: description?.nullable === "NO",
        key: description?.key,
      };
      expect(actual).toEqual(expected);
    }
  }
});

test("commits that wait for a lost standby do not pile up as sessions of the server", async () => {
  const { name } = openedDatabase();
  server.query(`alter database ${name} set synchronous_commit = on`);
  const db = openPostgres(driver(), server.options(name), 300);
  // A program for each look would take longer on a slow machine than a lost session lasts.
  const observer = await connect(server.options("postgres"));
  const waiting = async () => {
    const { rows } = await observer.query(
      `select pid from pg_stat_activity where datname = '${name}' and wait_event = 'SyncRep'`,
    );
    return rows.map(({ pid }) => pid);
  };
  let writes = 0;
  const write = () =>
    reasonOf(() =>
      db
        .insert(settings)
        .values({ key: `${writes++}`, value: "" })
        .run(),
    );
  await server.waitForStandby("nobody");
  try {
    const seen = new Set<number>();
    while (seen.size < 4) {
      write();
      for (const pid of await waiting()) seen.add(pid);
      await Bun.sleep(20);
    }
    // Each new session ends the one before, which takes the server a moment.
    while ((await waiting()).length > 1) await Bun.sleep(20);
  } finally {
    await server.setStandbyNames("");
    await observer.end();
  }
});

test("a server that stops answering while a session is prepared on it is left for the next one", async () => {
  const proxy = createServer((incoming) => {
    const outgoing = connectTo(server.socket);
    incoming.on("data", (bytes) => {
      // It has let the session in, and does not answer its first question.
      if (!bytes.includes("pg_is_in_recovery")) outgoing.write(bytes);
    });
    outgoing.pipe(incoming);
    incoming.on("error", () => undefined).on("close", () => outgoing.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  try {
    const { port } = proxy.address() as AddressInfo;
    const options = server.options("postgres");
    const client = await connect({ ...options, hosts: [{ host: "127.0.0.1", port }, ...options.hosts] });
    expect(client.host).toBe(server.folder);
    await client.end();
  } finally {
    proxy.close();
  }
});

test("of two servers that accept writes, the one that was promoted last is used", async () => {
  await using promoted = await PostgresServer.standbyOf(server);
  const [old, other] = [server.options("postgres"), promoted.options("postgres")];
  const connected = async () => {
    const client = await connect({ ...old, hosts: [...old.hosts, ...other.hosts] });
    await client.end();
    return client.host;
  };
  expect(await connected()).toBe(server.folder);
  promoted.query("select pg_promote()");
  expect(await connected()).toBe(promoted.folder);
});
