CREATE TABLE `alerts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`event_type` integer NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`notified_at` integer,
	`escalated_at` integer,
	`closed_at` integer,
	`outcome` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `alerts_once` ON `alerts` (`event_id`,`rule_id`);--> statement-breakpoint
CREATE INDEX `alerts_open_of_check` ON `alerts` (`host_id`,`name_id`,`event_type`) WHERE "alerts"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `alerts_due` ON `alerts` (`due_at`) WHERE "alerts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX `alerts_by_rule` ON `alerts` (`rule_id`);--> statement-breakpoint
CREATE INDEX `alerts_by_host` ON `alerts` (`host_id`);--> statement-breakpoint
CREATE TABLE `channels` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `channels_name_unique` ON `channels` (`name`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule_id` integer,
	`channel_id` integer,
	`rule_name` text NOT NULL,
	`channel_name` text NOT NULL,
	`kind` text NOT NULL,
	`created_at` integer NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_at` integer,
	`finished_at` integer,
	`answer` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`next_at`) WHERE "deliveries"."next_at" is not null;--> statement-breakpoint
CREATE INDEX `deliveries_by_date` ON `deliveries` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_rule` ON `deliveries` (`rule_id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_channel` ON `deliveries` (`channel_id`);--> statement-breakpoint
CREATE TABLE `delivery_events` (
	`delivery_id` integer NOT NULL,
	`event_id` integer NOT NULL,
	PRIMARY KEY(`delivery_id`, `event_id`),
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_events_by_event` ON `delivery_events` (`event_id`);--> statement-breakpoint
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
CREATE TABLE `host_counts` (
	`status` integer NOT NULL,
	`stopped` integer NOT NULL,
	`heartbeat` integer NOT NULL,
	`led` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`status`, `stopped`, `heartbeat`, `led`)
);
--> statement-breakpoint
CREATE TABLE `maintenance_windows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`filter` text DEFAULT '{}' NOT NULL,
	`schedule` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `maintenance_windows_name_unique` ON `maintenance_windows` (`name`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_codes_once` ON `recovery_codes` (`user_id`,`code_hash`);--> statement-breakpoint
CREATE TABLE `rule_channels` (
	`rule_id` integer NOT NULL,
	`step` integer NOT NULL,
	`channel_id` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `step`, `channel_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rule_channels_by_channel` ON `rule_channels` (`channel_id`);--> statement-breakpoint
CREATE TABLE `rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`position` integer NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`filter` text DEFAULT '{}' NOT NULL,
	`delay` integer DEFAULT 0 NOT NULL,
	`repeat` integer DEFAULT 0 NOT NULL,
	`recovery` integer DEFAULT true NOT NULL,
	`final` integer DEFAULT false NOT NULL,
	`quiet_hours` text,
	`escalate_after` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rules_name_unique` ON `rules` (`name`);--> statement-breakpoint
CREATE TABLE `status_pages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`group_id` integer NOT NULL,
	`services` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `host_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_pages_slug_unique` ON `status_pages` (`slug`);--> statement-breakpoint
CREATE INDEX `status_pages_by_group` ON `status_pages` (`group_id`);--> statement-breakpoint
DROP INDEX `events_active_by_date`;--> statement-breakpoint
CREATE INDEX `events_noted` ON `events` (`id`) WHERE "events"."noted" = 1;--> statement-breakpoint
CREATE INDEX `events_active_by_date` ON `events` (`date`,`id`,`host_id`,`name_id`,`dismissed`,`state`,`service_type`,`event_type`) WHERE "events"."active" = 1;--> statement-breakpoint
ALTER TABLE `users` ADD `origin` text DEFAULT 'local' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `subject` text;--> statement-breakpoint
ALTER TABLE `users` ADD `totp_secret` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `totp_enabled` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `totp_step` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `users_by_subject` ON `users` (`subject`) WHERE "users"."subject" is not null;--> statement-breakpoint
CREATE INDEX `hosts_by_status_text` ON `hosts` (`status_text`,`hostname`);--> statement-breakpoint
CREATE INDEX `hosts_by_events` ON `hosts` (`events`,`hostname`);--> statement-breakpoint
CREATE INDEX `hosts_ignored` ON `hosts` (`id`) WHERE "hosts"."status" = 2;