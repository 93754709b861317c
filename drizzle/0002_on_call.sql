CREATE TABLE `on_call_overrides` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`schedule_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`begins_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`created_by` text NOT NULL,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `on_call_overrides_by_schedule` ON `on_call_overrides` (`schedule_id`,`ends_at`);--> statement-breakpoint
CREATE INDEX `on_call_overrides_by_user` ON `on_call_overrides` (`user_id`);--> statement-breakpoint
CREATE TABLE `on_call_schedules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`timezone` text NOT NULL,
	`rotations` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `on_call_schedules_name_unique` ON `on_call_schedules` (`name`);