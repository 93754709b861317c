CREATE TABLE `mail_report_groups` (
	`report_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`report_id`, `group_id`),
	FOREIGN KEY (`report_id`) REFERENCES `mail_reports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `host_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mail_report_groups_by_group` ON `mail_report_groups` (`group_id`);--> statement-breakpoint
CREATE TABLE `mail_report_users` (
	`report_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`report_id`, `user_id`),
	FOREIGN KEY (`report_id`) REFERENCES `mail_reports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `mail_report_users_by_user` ON `mail_report_users` (`user_id`);--> statement-breakpoint
CREATE TABLE `mail_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`period` text NOT NULL,
	`hour` integer NOT NULL,
	`everything` integer DEFAULT false NOT NULL,
	`target` real NOT NULL,
	`channel_id` integer NOT NULL,
	`addresses` text DEFAULT '[]' NOT NULL,
	`last_day` text NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_reports_name_unique` ON `mail_reports` (`name`);--> statement-breakpoint
CREATE INDEX `mail_reports_by_channel` ON `mail_reports` (`channel_id`);--> statement-breakpoint
CREATE TABLE `report_deliveries` (
	`delivery_id` integer PRIMARY KEY NOT NULL,
	`report_id` integer NOT NULL,
	`user_id` integer,
	`period_from` integer NOT NULL,
	`period_to` integer NOT NULL,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`report_id`) REFERENCES `mail_reports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `report_deliveries_by_report` ON `report_deliveries` (`report_id`);--> statement-breakpoint
CREATE INDEX `report_deliveries_by_user` ON `report_deliveries` (`user_id`);