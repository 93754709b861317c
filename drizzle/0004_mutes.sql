CREATE TABLE `__new_maintenance_windows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text,
	`enabled` integer DEFAULT true NOT NULL,
	`filter` text DEFAULT '{}' NOT NULL,
	`schedule` text NOT NULL,
	`created_at` integer NOT NULL,
	`muted_by` text,
	`note` text DEFAULT '' NOT NULL,
	`leased_until` integer,
	`grace` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_maintenance_windows`("id", "name", "enabled", "filter", "schedule", "created_at") SELECT "id", "name", "enabled", "filter", "schedule", "created_at" FROM `maintenance_windows`;--> statement-breakpoint
DROP TABLE `maintenance_windows`;--> statement-breakpoint
ALTER TABLE `__new_maintenance_windows` RENAME TO `maintenance_windows`;--> statement-breakpoint
CREATE UNIQUE INDEX `maintenance_windows_name_unique` ON `maintenance_windows` (`name`);