/** Who may do what, and who did. */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { count, flag, id, words } from "./columns.ts";

export const users = sqliteTable(
  "users",
  {
    id: id(),
    uname: text().notNull().unique(),
    passwordMd5: text().notNull(), // sealed by the secret box; "" when somebody else vouches for the user
    fullname: words(),
    image: words(),
    title: words(),
    email: words(),
    phone: words(),
    mobile: words(),
    imname: words(),
    imtype: words(),
    admin: flag(),
    // Who vouches for the user at sign-in: the password here, an OpenID provider, or a proxy in front.
    origin: text({ enum: ["local", "oidc", "proxy"] })
      .notNull()
      .default("local"),
    subject: text(), // issuer and subject at the OpenID provider, null of others
    totpSecret: words(), // sealed by the secret box, "" when there is no second factor
    totpEnabled: flag(), // not before the user has shown that he can make codes
    totpStep: count(), // of the last accepted code: none is accepted twice
  },
  (t) => [uniqueIndex("users_by_subject").on(t.subject).where(sql`${t.subject} is not null`)],
);

/** For a user whose second factor is lost. Each works once. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    codeHash: text().notNull(),
  },
  (t) => [uniqueIndex("recovery_codes_once").on(t.userId, t.codeHash)],
);

/** A row exists only after a login. The cookie's value is never stored, only its hash. */
export const sessions = sqliteTable(
  "sessions",
  {
    idHash: text().primaryKey(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    csrfProtection: flag(true),
    createdAt: integer().notNull(),
    usedAt: integer().notNull(),
    address: words(),
    userAgent: words(),
  },
  (t) => [index("sessions_by_user").on(t.userId), index("sessions_by_use").on(t.usedAt)],
);

export const sessionAttributes = sqliteTable(
  "session_attributes",
  {
    sessionIdHash: text()
      .notNull()
      .references(() => sessions.idHash, { onDelete: "cascade" }),
    key: text().notNull(),
    value: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionIdHash, t.key] })],
);

/** Keys with which programs call as a user. The key itself is never stored, only its hash. */
export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: id(),
    userId: integer()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text().notNull(),
    tokenHash: text().notNull().unique(),
    scope: text({ enum: ["read", "full"] }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(), // null = never
    usedAt: integer(), // null = not yet
  },
  (t) => [index("api_tokens_by_user").on(t.userId)],
);

/** Wrong passwords of the throttling window. */
export const loginFailures = sqliteTable(
  "login_failures",
  {
    id: id(),
    account: text().notNull(), // keyed hash of the name: a password typed into the wrong field must not stay readable
    address: text().notNull(), // of IPv6 the network
    at: integer().notNull(),
  },
  (t) => [index("login_failures_by_address").on(t.address, t.at), index("login_failures_by_age").on(t.at)],
);

/**
 * Who did what. Never a secret. Names are those of the moment, no references: what they name may be gone. `via` none is
 * somebody who is not signed in, command the command line on the machine itself.
 */
export const audit = sqliteTable(
  "audit",
  {
    id: id(),
    date: integer().notNull(),
    uname: words(),
    address: words(),
    via: text({ enum: ["login", "token", "command", "none"] }).notNull(),
    token: words(), // the API token's name
    operation: text().notNull(),
    subject: words(), // host, group, user ...
    subjectId: words(),
    subjectName: words(),
    details: text().notNull().default("{}"), // JSON
  },
  (t) => [
    index("audit_by_date").on(t.date),
    index("audit_by_user").on(t.uname, t.id),
    index("audit_by_operation").on(t.operation, t.id),
    index("audit_of_strangers").on(t.id).where(sql`${t.via} = 'none'`),
  ],
);
