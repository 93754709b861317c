DROP INDEX "downtime_by_end";
--> statement-breakpoint
CREATE INDEX "downtime_by_end" ON "downtime_intervals" USING btree ("ended_at","started_at") WHERE "ended_at" is not null;