CREATE TABLE `limit_sums` (
	`limit_id` integer NOT NULL,
	`host_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`month_from` integer NOT NULL,
	`counted_from` integer NOT NULL,
	`sum` real NOT NULL,
	`at` integer NOT NULL,
	`counters` text NOT NULL,
	PRIMARY KEY(`limit_id`, `host_id`, `name_id`),
	FOREIGN KEY (`limit_id`) REFERENCES `limits`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`name_id`) REFERENCES `names`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `limit_sums_by_host` ON `limit_sums` (`host_id`);--> statement-breakpoint
CREATE INDEX `limit_sums_by_name` ON `limit_sums` (`name_id`);--> statement-breakpoint
ALTER TABLE `limits` ADD `period` text DEFAULT 'message' NOT NULL;--> statement-breakpoint
ALTER TABLE `limits` ADD `timezone` text DEFAULT 'UTC' NOT NULL;