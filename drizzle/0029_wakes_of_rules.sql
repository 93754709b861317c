CREATE TABLE `__new_alert_wakes` (
	`reported` text NOT NULL,
	`rule_id` integer DEFAULT 0 NOT NULL,
	`after_id` integer NOT NULL,
	`closed_until` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`reported`, `rule_id`)
);
--> statement-breakpoint
INSERT INTO `__new_alert_wakes` (`reported`, `after_id`) SELECT `reported`, `after_id` FROM `alert_wakes`;--> statement-breakpoint
DROP TABLE `alert_wakes`;--> statement-breakpoint
ALTER TABLE `__new_alert_wakes` RENAME TO `alert_wakes`;--> statement-breakpoint
CREATE INDEX `alerts_open_of_rule` ON `alerts` (`rule_id`,`id`) WHERE "alerts"."closed_at" is null;