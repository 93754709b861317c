CREATE TABLE `forecasts` (
	`statistic_id` integer PRIMARY KEY NOT NULL,
	`host_id` integer NOT NULL,
	`calculated_at` integer NOT NULL,
	`usage` real NOT NULL,
	`growth` real NOT NULL,
	`full_at` integer NOT NULL,
	`earliest` integer NOT NULL,
	`latest` integer,
	FOREIGN KEY (`statistic_id`) REFERENCES `statistics`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `forecasts_by_date` ON `forecasts` (`full_at`,`statistic_id`);--> statement-breakpoint
CREATE INDEX `forecasts_by_host` ON `forecasts` (`host_id`);