CREATE TABLE `suspected_failures` (
	`host_id` integer NOT NULL,
	`service_id` integer NOT NULL,
	`event_type` integer NOT NULL,
	`since` integer NOT NULL,
	`collected_sec` integer NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`service_id`, `event_type`),
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`service_id`) REFERENCES `services`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `suspected_failures_by_host` ON `suspected_failures` (`host_id`);