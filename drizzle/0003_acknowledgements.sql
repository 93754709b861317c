CREATE TABLE `acknowledgements` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` integer NOT NULL,
	`uname` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`until` integer,
	`ended_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `acknowledgements_by_event` ON `acknowledgements` (`event_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `acknowledgements_open` ON `acknowledgements` (`event_id`) WHERE "acknowledgements"."ended_at" is null;