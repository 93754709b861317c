ALTER TABLE "rules" ADD COLUMN "disabled_at" bigint;--> statement-breakpoint
UPDATE "rules" SET "disabled_at" = extract(epoch from now())::bigint WHERE NOT "enabled";
