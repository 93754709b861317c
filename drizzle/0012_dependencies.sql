CREATE TABLE `dependencies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`service` text DEFAULT '' NOT NULL,
	`cause_host_id` integer NOT NULL,
	`cause_service` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`cause_host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dependencies_once` ON `dependencies` (`host_id`,`service`,`cause_host_id`,`cause_service`);--> statement-breakpoint
CREATE INDEX `dependencies_by_cause` ON `dependencies` (`cause_host_id`);