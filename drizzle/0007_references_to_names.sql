CREATE INDEX `alerts_by_name` ON `alerts` (`name_id`);--> statement-breakpoint
CREATE INDEX `downtime_by_name` ON `downtime_intervals` (`name_id`);--> statement-breakpoint
CREATE INDEX `services_by_name` ON `services` (`name_id`);--> statement-breakpoint
CREATE INDEX `services_present` ON `services` (`host_id`) WHERE "services"."vanished_at" is null;--> statement-breakpoint
CREATE INDEX `services_vanished_by_host` ON `services` (`host_id`,`vanished_at`) WHERE "services"."vanished_at" is not null;--> statement-breakpoint
CREATE INDEX `silent_recoveries_by_name` ON `silent_recoveries` (`name_id`);