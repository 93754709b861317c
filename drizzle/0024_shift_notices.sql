CREATE TABLE `shift_notices` (
	`delivery_id` integer PRIMARY KEY NOT NULL,
	`schedule_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`part` text NOT NULL,
	`starts_at` integer NOT NULL,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `shift_notices_of_shift` ON `shift_notices` (`schedule_id`,`starts_at`);--> statement-breakpoint
CREATE INDEX `shift_notices_by_user` ON `shift_notices` (`user_id`);--> statement-breakpoint
ALTER TABLE `on_call_schedules` ADD `notice_minutes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `on_call_schedules` ADD `handover_notice` integer DEFAULT false NOT NULL;