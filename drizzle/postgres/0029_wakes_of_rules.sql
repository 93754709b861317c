ALTER TABLE "alert_wakes" DROP CONSTRAINT "alert_wakes_pkey";
--> statement-breakpoint
ALTER TABLE "alert_wakes" ADD COLUMN "rule_id" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "alert_wakes" ADD COLUMN "closed_until" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "alert_wakes" ADD CONSTRAINT "alert_wakes_reported_rule_id_pk" PRIMARY KEY("reported","rule_id");
--> statement-breakpoint
CREATE INDEX "alerts_open_of_rule" ON "alerts" USING btree ("rule_id","id") WHERE "closed_at" is null;