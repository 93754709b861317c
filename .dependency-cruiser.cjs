/**
 * The direction of imports, checked by `make check`: a module imports those before it in this chain, none after it, and
 * neither files nor folders import each other in a circle.
 */
const MODULES = [
  "platform",
  "accounts",
  "monit",
  "monitoring",
  "alerting",
  "publishing",
  "operations",
  "demo",
];

const imports = (name, from, to) => ({
  name,
  severity: "error",
  from: { path: `^src/${from}/` },
  to: { path: to },
});

module.exports = {
  forbidden: [
    { name: "no-circle-of-files", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-circle-of-folders",
      severity: "error",
      scope: "folder",
      from: { path: "^(src|web)" },
      to: { circular: true },
    },
    ...MODULES.map((module, i) =>
      imports(
        `${module}-imports-upwards`,
        module,
        `^src/([^/]+$|(${MODULES.slice(i + 1).join("|") || "none"})/)`,
      ),
    ),
    // Files outside storage are written for both engines.
    {
      name: "engines-are-in-storage",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/platform/storage/" },
      to: {
        path: [
          "^bun:sqlite$",
          "node_modules/pg/",
          "node_modules/drizzle-orm/(bun-sqlite|pg-core|node-postgres)/",
        ],
      },
    },
    // Other files neither ask which engine there is nor reach past the names that storage offers (rows.ts, words.ts).
    {
      name: "only-storage-knows-the-engine",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/platform/storage/" },
      to: {
        path: "^src/platform/storage/(engine|postgres/(client|statement|statement-queue|query-dialect))\\.ts$",
      },
    },
    {
      name: "no-file-for-one-engine-above-platform",
      severity: "error",
      from: { path: "^src/(?!platform/).*\\.(sqlite|postgres)\\.ts$" },
      to: {},
    },
    // Accounts cannot import monit either: it is the lower one.
    imports("monit-knows-no-accounts", "monit", "^src/accounts/"),
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "node_modules/(?!pg/|drizzle-orm/)" },
    builtInModules: { add: ["bun", "bun:sqlite"] },
    tsPreCompilationDeps: true,
  },
};
