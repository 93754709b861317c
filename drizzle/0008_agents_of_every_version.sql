ALTER TABLE `hosts` ADD `unreadable` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `hosts` ADD `stop_told_at` integer;