DROP INDEX `hosts_now`;--> statement-breakpoint
DROP INDEX `hosts_by_name`;--> statement-breakpoint
DROP INDEX `hosts_by_led`;--> statement-breakpoint
DROP INDEX `hosts_by_status_text`;--> statement-breakpoint
DROP INDEX `hosts_by_events`;--> statement-breakpoint
ALTER TABLE `hosts` ADD `hostname_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `hosts` SET `hostname_key` = lower(`hostname`);--> statement-breakpoint
CREATE INDEX `hosts_now` ON `hosts` (`status`,`deadline`,`hostname_key`,`cpu`,`mem`,`led`);--> statement-breakpoint
CREATE INDEX `hosts_by_name` ON `hosts` (`hostname_key`,`id`);--> statement-breakpoint
CREATE INDEX `hosts_by_led` ON `hosts` (`led`,`hostname_key`);--> statement-breakpoint
CREATE INDEX `hosts_by_status_text` ON `hosts` (`status_text`,`hostname_key`);--> statement-breakpoint
CREATE INDEX `hosts_by_events` ON `hosts` (`events`,`hostname_key`);--> statement-breakpoint
ALTER TABLE `host_groups` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `host_groups` SET `name_key` = lower(`name`);--> statement-breakpoint
CREATE INDEX `host_groups_by_key` ON `host_groups` (`name_key`,`id`);--> statement-breakpoint
ALTER TABLE `names` ADD `name_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `names` SET `name_key` = lower(`name`);--> statement-breakpoint
CREATE INDEX `names_by_key` ON `names` (`name_key`,`id`);