ALTER TABLE "acknowledgements" ADD COLUMN "failed_from" bigint;
--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "dismissed_from" bigint;