DROP INDEX "statistics_by_type";
--> statement-breakpoint
CREATE INDEX "statistics_by_type" ON "statistics" USING btree ("type","id","service_id","descriptor");