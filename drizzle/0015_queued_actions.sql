CREATE TABLE `queued_actions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`service` text NOT NULL,
	`action` text NOT NULL,
	`state` text NOT NULL,
	`until` integer NOT NULL,
	`uname` text NOT NULL,
	`created_at` integer NOT NULL,
	`fetched_at` integer,
	`ended_at` integer,
	`code` integer,
	`output` text DEFAULT '' NOT NULL,
	`audit_id` integer NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `queued_actions_of_host` ON `queued_actions` (`host_id`,`id`);--> statement-breakpoint
CREATE INDEX `queued_actions_waiting` ON `queued_actions` (`host_id`,`id`) WHERE "queued_actions"."state" = 'waiting';--> statement-breakpoint
CREATE INDEX `queued_actions_pending` ON `queued_actions` (`until`) WHERE "queued_actions"."state" in ('waiting', 'fetched');--> statement-breakpoint
CREATE INDEX `queued_actions_by_age` ON `queued_actions` (`created_at`);--> statement-breakpoint
ALTER TABLE `hosts` ADD `actionqueue` integer DEFAULT false NOT NULL;