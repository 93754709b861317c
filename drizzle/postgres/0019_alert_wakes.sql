CREATE TABLE "alert_wakes" (
	"reported" text collate "C" PRIMARY KEY NOT NULL,
	"after_id" bigint NOT NULL
);

--> statement-breakpoint
CREATE INDEX "alerts_suppressed" ON "alerts" USING btree ("id") WHERE "closed_at" is null and "outcome" <> '';
--> statement-breakpoint
CREATE INDEX "health_alerts_suppressed" ON "health_alerts" USING btree ("id") WHERE "closed_at" is null and "outcome" <> '';