CREATE TABLE `grants` (
	`user_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	`level` text NOT NULL,
	PRIMARY KEY(`user_id`, `group_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`group_id`) REFERENCES `host_groups`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `grants_by_group` ON `grants` (`group_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `restricted` integer DEFAULT false NOT NULL;