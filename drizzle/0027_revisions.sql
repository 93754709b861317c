CREATE TABLE `revisions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`host_id` integer,
	`object_id` integer NOT NULL,
	`until` integer NOT NULL,
	`content` text,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `revisions_by_date` ON `revisions` (`kind`,`until`,`object_id`);--> statement-breakpoint
CREATE INDEX `revisions_by_host` ON `revisions` (`host_id`,`until`);--> statement-breakpoint
INSERT INTO `revisions` (`kind`, `object_id`, `until`) SELECT 'recording', 0, unixepoch() WHERE EXISTS (SELECT 1 FROM `users`) OR EXISTS (SELECT 1 FROM `hosts`);
