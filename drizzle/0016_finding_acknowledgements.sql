CREATE TABLE `finding_acknowledgements` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`finding_id` integer NOT NULL,
	`uname` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`until` integer,
	`ended_at` integer,
	FOREIGN KEY (`finding_id`) REFERENCES `health_findings`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `finding_acknowledgements_by_finding` ON `finding_acknowledgements` (`finding_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `finding_acknowledgements_open` ON `finding_acknowledgements` (`finding_id`) WHERE "finding_acknowledgements"."ended_at" is null;