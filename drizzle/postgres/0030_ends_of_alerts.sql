ALTER TABLE "alerts" ADD COLUMN "followed_from" bigint;
--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "ended_at" bigint;
--> statement-breakpoint
ALTER TABLE "health_alerts" ADD COLUMN "followed_from" bigint;
--> statement-breakpoint
ALTER TABLE "health_alerts" ADD COLUMN "ended_at" bigint;