CREATE TABLE `database_sizes` (
	`day` integer PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `health_findings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`code` text NOT NULL,
	`subject` text DEFAULT '' NOT NULL,
	`severity` text NOT NULL,
	`text` text NOT NULL,
	`advice` text NOT NULL,
	`since` integer NOT NULL,
	`opened_at` integer,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `health_findings_open` ON `health_findings` (`code`,`subject`) WHERE "health_findings"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `health_findings_of_check` ON `health_findings` (`code`,`subject`,`since`);--> statement-breakpoint
CREATE INDEX `health_findings_by_end` ON `health_findings` (`ended_at`);