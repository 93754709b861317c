CREATE TABLE `delivery_findings` (
	`delivery_id` integer NOT NULL,
	`finding_id` integer NOT NULL,
	PRIMARY KEY(`delivery_id`, `finding_id`),
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`finding_id`) REFERENCES `health_findings`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `delivery_findings_by_finding` ON `delivery_findings` (`finding_id`);--> statement-breakpoint
CREATE TABLE `health_alerts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule_id` integer NOT NULL,
	`finding_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer,
	`notified_at` integer,
	`escalations` integer DEFAULT 0 NOT NULL,
	`was_acknowledged` integer DEFAULT false NOT NULL,
	`flapping_at` integer,
	`closed_at` integer,
	`outcome` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`finding_id`) REFERENCES `health_findings`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `health_alerts_once` ON `health_alerts` (`finding_id`,`rule_id`);--> statement-breakpoint
CREATE INDEX `health_alerts_due` ON `health_alerts` (`due_at`) WHERE "health_alerts"."due_at" is not null;--> statement-breakpoint
CREATE INDEX `health_alerts_open` ON `health_alerts` (`rule_id`) WHERE "health_alerts"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `health_alerts_by_rule` ON `health_alerts` (`rule_id`);