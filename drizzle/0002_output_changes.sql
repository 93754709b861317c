CREATE TABLE `output_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`service_id` integer NOT NULL,
	`date` integer NOT NULL,
	`before` text NOT NULL,
	`after` text NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `output_changes_by_host` ON `output_changes` (`host_id`,`date`);--> statement-breakpoint
CREATE INDEX `output_changes_by_service` ON `output_changes` (`service_id`,`date`);--> statement-breakpoint
CREATE INDEX `output_changes_by_date` ON `output_changes` (`date`);