CREATE TABLE `public_notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`event_id` integer,
	`text` text NOT NULL,
	`uname` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`ended_by` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `hosts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `public_notes_by_host` ON `public_notes` (`host_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `public_notes_by_event` ON `public_notes` (`event_id`) WHERE "public_notes"."event_id" is not null;