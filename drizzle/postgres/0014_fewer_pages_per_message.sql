-- Without "hosts_in_lists": each event would write a new entry for its host in all indexes of the row.
DROP INDEX "hosts_by_status_text";
--> statement-breakpoint
DROP INDEX "hosts_by_events";
--> statement-breakpoint
DROP INDEX "services_by_host_and_name";
--> statement-breakpoint
DROP INDEX "services_by_name";
--> statement-breakpoint
DROP INDEX "services_present";
--> statement-breakpoint
DROP INDEX "services_vanished_by_host";
--> statement-breakpoint
DROP INDEX "downtime_by_end";
--> statement-breakpoint
DROP INDEX "events_once";
--> statement-breakpoint
DROP INDEX "events_of_check_by_date";
--> statement-breakpoint
DROP INDEX "statistics_by_type";
--> statement-breakpoint
CREATE UNIQUE INDEX "services_by_name_and_host" ON "services" USING btree ("name_id","host_id");
--> statement-breakpoint
CREATE INDEX "services_of_host" ON "services" USING btree ("host_id","vanished_at");
--> statement-breakpoint
CREATE INDEX "downtime_by_end" ON "downtime_intervals" USING btree ("ended_at") WHERE "ended_at" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "events_once" ON "events" USING btree ("collected_sec","collected_usec","host_id","name_id","event_type","limit_id","state");
--> statement-breakpoint
CREATE INDEX "events_of_check_by_date" ON "events" USING btree ("host_id","name_id","event_type","limit_id","date","state");
--> statement-breakpoint
CREATE INDEX "statistics_by_type" ON "statistics" USING btree (("id" / 1024),"type","id","service_id","descriptor");