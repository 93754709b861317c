CREATE TABLE `limit_states` (
	`limit_id` integer NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`level` integer DEFAULT 0 NOT NULL,
	`warning_since` integer,
	`critical_since` integer,
	`clear_since` integer,
	`eased_since` integer,
	`value_at` integer,
	`missing` integer DEFAULT false NOT NULL,
	`no_data` integer DEFAULT false NOT NULL,
	`service_type` integer NOT NULL,
	`opened_at` integer DEFAULT 0 NOT NULL,
	`error_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`limit_id`, `host_id`, `name_id`),
	FOREIGN KEY (`limit_id`) REFERENCES `limits`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `limit_states_by_host` ON `limit_states` (`host_id`);--> statement-breakpoint
CREATE INDEX `limit_states_by_name` ON `limit_states` (`name_id`);--> statement-breakpoint
CREATE TABLE `limits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`statistics` text NOT NULL,
	`descriptor` text DEFAULT '' NOT NULL,
	`per_processor` integer DEFAULT false NOT NULL,
	`filter` text DEFAULT '{}' NOT NULL,
	`below` integer DEFAULT false NOT NULL,
	`warning` real,
	`critical` real,
	`hold` integer DEFAULT 0 NOT NULL,
	`clear_value` real,
	`clear_after` integer DEFAULT 0 NOT NULL,
	`missing` text DEFAULT 'keep' NOT NULL,
	`downtime` integer DEFAULT false NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`runbook` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `limits_name_unique` ON `limits` (`name`);--> statement-breakpoint
DROP INDEX `alerts_open_of_check`;--> statement-breakpoint
ALTER TABLE `alerts` ADD `limit_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `alerts_open_of_check` ON `alerts` (`host_id`,`name_id`,`event_type`,`limit_id`) WHERE "alerts"."closed_at" is null;--> statement-breakpoint
DROP INDEX `downtime_of_check_by_start`;--> statement-breakpoint
ALTER TABLE `downtime_intervals` ADD `limit_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `downtime_of_check_by_start` ON `downtime_intervals` (`host_id`,`name_id`,`event_type`,`limit_id`,`started_at`);--> statement-breakpoint
DROP INDEX `events_once`;--> statement-breakpoint
DROP INDEX `events_of_check_by_date`;--> statement-breakpoint
ALTER TABLE `events` ADD `limit_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `events` ADD `severity` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `events_once` ON `events` (`host_id`,`name_id`,`event_type`,`limit_id`,`state`,`collected_sec`,`collected_usec`);--> statement-breakpoint
CREATE INDEX `events_of_check_by_date` ON `events` (`host_id`,`name_id`,`event_type`,`limit_id`,`date`);--> statement-breakpoint
DROP INDEX `silent_recoveries_of_check`;--> statement-breakpoint
ALTER TABLE `silent_recoveries` ADD `limit_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `silent_recoveries_of_check` ON `silent_recoveries` (`host_id`,`name_id`,`event_type`,`limit_id`,`date`);--> statement-breakpoint
ALTER TABLE `services` ADD `limit_level` integer DEFAULT 0 NOT NULL;