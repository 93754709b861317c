CREATE TABLE `contacts` (
	`user_id` integer NOT NULL,
	`channel_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `channel_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `contacts_by_channel` ON `contacts` (`channel_id`);--> statement-breakpoint
CREATE TABLE `rule_schedules` (
	`rule_id` integer NOT NULL,
	`step` integer NOT NULL,
	`schedule_id` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `step`, `schedule_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rule_schedules_by_schedule` ON `rule_schedules` (`schedule_id`);--> statement-breakpoint
CREATE TABLE `rule_users` (
	`rule_id` integer NOT NULL,
	`step` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`rule_id`, `step`, `user_id`),
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rule_users_by_user` ON `rule_users` (`user_id`);--> statement-breakpoint
ALTER TABLE `alerts` ADD `escalations` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `person` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `rules` ADD `step_minutes` text DEFAULT '[0]' NOT NULL;