CREATE TABLE `event_counts` (
	`scope` integer NOT NULL,
	`day` integer NOT NULL,
	`service_type` integer NOT NULL,
	`event_type` integer NOT NULL,
	`state` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`scope`, `day`, `service_type`, `event_type`, `state`)
);
--> statement-breakpoint
CREATE TABLE `event_name_counts` (
	`group_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`group_id`, `name_id`)
);
--> statement-breakpoint
CREATE TABLE `group_count_changes` (
	`host_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	`sign` integer NOT NULL,
	PRIMARY KEY(`host_id`, `group_id`)
);
--> statement-breakpoint
DROP INDEX `events_active_by_date`;--> statement-breakpoint
CREATE INDEX `events_noted` ON `events` (`id`) WHERE "events"."noted" = 1;--> statement-breakpoint
CREATE INDEX `events_active_by_date` ON `events` (`date`,`id`,`host_id`,`name_id`,`dismissed`,`state`,`service_type`,`event_type`) WHERE "events"."active" = 1;