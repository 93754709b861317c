DROP INDEX `hosts_by_status_text`;--> statement-breakpoint
DROP INDEX `hosts_by_events`;--> statement-breakpoint
CREATE INDEX `hosts_in_lists` ON `hosts` (`id`,`status`,`hostname_key`,`led`,`events`,`status_text`);--> statement-breakpoint
DROP INDEX `services_by_host_and_name`;--> statement-breakpoint
DROP INDEX `services_by_name`;--> statement-breakpoint
DROP INDEX `services_present`;--> statement-breakpoint
DROP INDEX `services_vanished_by_host`;--> statement-breakpoint
CREATE UNIQUE INDEX `services_by_name_and_host` ON `services` (`name_id`,`host_id`);--> statement-breakpoint
CREATE INDEX `services_of_host` ON `services` (`host_id`,`vanished_at`);--> statement-breakpoint
DROP INDEX `downtime_by_end`;--> statement-breakpoint
CREATE INDEX `downtime_by_end` ON `downtime_intervals` (`ended_at`) WHERE "downtime_intervals"."ended_at" is not null;--> statement-breakpoint
DROP INDEX `events_once`;--> statement-breakpoint
DROP INDEX `events_of_check_by_date`;--> statement-breakpoint
CREATE UNIQUE INDEX `events_once` ON `events` (`collected_sec`,`collected_usec`,`host_id`,`name_id`,`event_type`,`limit_id`,`state`);--> statement-breakpoint
CREATE INDEX `events_of_check_by_date` ON `events` (`host_id`,`name_id`,`event_type`,`limit_id`,`date`,`state`);--> statement-breakpoint
DROP INDEX `statistics_by_type`;--> statement-breakpoint
CREATE INDEX `statistics_by_type` ON `statistics` ("id" / 1024,`type`,`id`,`service_id`,`descriptor`);