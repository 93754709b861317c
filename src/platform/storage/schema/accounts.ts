/** Users, their credentials and sessions, and the audit log. */
import { sql } from "drizzle-orm";
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { count, flag, id, ownedBy, textColumn } from "./columns.ts";
import { hostGroups } from "./hosts.ts";

/** Who authenticates a user: Muster (password), an OpenID provider or a proxy. */
export const USER_ORIGINS = ["local", "oidc", "proxy"] as const;
/** How the actor of an entry in the audit log was authenticated. */
export const ACTOR_CREDENTIALS = ["login", "token", "command", "link", "none"] as const;

export const users = sqliteTable(
  "users",
  {
    id: id(),
    uname: text().notNull().unique(),
    passwordMd5: text().notNull(), // sealed by the secret box; "" when the user is authenticated externally
    fullname: textColumn(),
    image: textColumn(),
    title: textColumn(),
    email: textColumn(),
    phone: textColumn(),
    mobile: textColumn(),
    imname: textColumn(),
    imtype: textColumn(),
    admin: flag(),
    restricted: flag(), // sees the hosts of their groups only, even without a grant
    origin: text({ enum: USER_ORIGINS }).notNull().default("local"),
    subject: text(), // issuer and subject at the OpenID provider, null for other users
    totpSecret: textColumn(), // sealed by the secret box, "" when there is no second factor
    totpEnabled: flag(), // set after the user confirms the secret with a code
    totpStep: count(), // 30 s step of the last accepted code; older or equal steps are rejected
  },
  (t) => [uniqueIndex("users_by_subject").on(t.subject).where(sql`${t.subject} is not null`)],
);

/** Users' pictures, at most one each. The name, which contains the type, is also in `users.image`. */
export const pictures = sqliteTable("pictures", {
  name: text().primaryKey(),
  userId: ownedBy(() => users.id).unique(),
  content: blob({ mode: "buffer" }).notNull(),
});

/** The columns of a user that a session or an API token needs. */
export const callerColumns = {
  id: users.id,
  uname: users.uname,
  fullname: users.fullname,
  admin: users.admin,
  origin: users.origin,
  restricted: users.restricted,
};

/** What users may do with the hosts of a group. A user with grants is restricted. */
export const grants = sqliteTable(
  "grants",
  {
    userId: ownedBy(() => users.id),
    groupId: ownedBy(() => hostGroups.id),
    level: text({ enum: ["view", "operate", "manage"] }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.groupId] }), index("grants_by_group").on(t.groupId)],
);

/** Recovery codes for a lost second factor. Each works once. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  {
    id: id(),
    userId: ownedBy(() => users.id),
    codeHash: text().notNull(),
  },
  (t) => [uniqueIndex("recovery_codes_once").on(t.userId, t.codeHash)],
);

/** Sessions of signed-in users. Only the hash of the cookie's value is stored. */
export const sessions = sqliteTable(
  "sessions",
  {
    idHash: text().primaryKey(),
    userId: ownedBy(() => users.id),
    csrfProtection: flag(true),
    createdAt: integer().notNull(),
    usedAt: integer().notNull(),
    address: textColumn(),
    userAgent: textColumn(),
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

/** API tokens. Only the hash of a token is stored. */
export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: id(),
    userId: ownedBy(() => users.id),
    name: text().notNull(),
    tokenHash: text().notNull().unique(),
    scope: text({ enum: ["read", "full"] }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer(), // null = never
    usedAt: integer(), // null = not yet
  },
  (t) => [index("api_tokens_by_user").on(t.userId)],
);

/** Failed logins within the throttling window. */
export const loginFailures = sqliteTable(
  "login_failures",
  {
    id: id(),
    account: text().notNull(), // keyed hash of the name: a password typed into the name field must not be readable
    address: text().notNull(), // for IPv6, the /64 network
    at: integer().notNull(),
  },
  (t) => [index("login_failures_by_address").on(t.address, t.at), index("login_failures_by_age").on(t.at)],
);

/**
 * Audit log. It never contains a secret. Names are copied, not referenced, since their objects may be
 * deleted. `via` is none when nobody was signed in, command for the command line on the machine itself,
 * and link for a link in a message: `uname` is then its recipient.
 */
export const audit = sqliteTable(
  "audit",
  {
    id: id(),
    date: integer().notNull(),
    uname: textColumn(),
    address: textColumn(),
    via: text({ enum: ACTOR_CREDENTIALS }).notNull(),
    token: textColumn(), // the API token's name
    operation: text().notNull(),
    subject: textColumn(), // host, group, user ...
    subjectId: textColumn(),
    subjectName: textColumn(),
    details: text().notNull().default("{}"), // JSON
  },
  (t) => [
    index("audit_by_date").on(t.date),
    index("audit_by_user").on(t.uname, t.id),
    index("audit_by_operation").on(t.operation, t.id),
    index("audit_of_strangers").on(t.id).where(sql`${t.via} = 'none'`),
  ],
);
