CREATE TABLE `host_tags` (
	`host_id` integer NOT NULL,
	`name` text NOT NULL,
	`value` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`host_id`, `name`, `value`),
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `host_tags_by_name` ON `host_tags` (`name`,`value`,`host_id`);