DROP INDEX `downtime_by_end`;--> statement-breakpoint
CREATE INDEX `downtime_by_end` ON `downtime_intervals` (`ended_at`,`started_at`) WHERE "downtime_intervals"."ended_at" is not null;