CREATE TABLE `alert_wakes` (
	`reported` text PRIMARY KEY NOT NULL,
	`after_id` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `alerts_suppressed` ON `alerts` (`id`) WHERE "alerts"."closed_at" is null and "alerts"."outcome" <> '';--> statement-breakpoint
CREATE INDEX `health_alerts_suppressed` ON `health_alerts` (`id`) WHERE "health_alerts"."closed_at" is null and "health_alerts"."outcome" <> '';