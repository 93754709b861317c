import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  casing: "snake_case",
  schema: "./src/platform/storage/schema.ts",
  out: "./drizzle",
});
