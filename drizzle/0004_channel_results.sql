ALTER TABLE `channels` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `channels` ADD `held_until` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `last_at` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `last_outcome` text;--> statement-breakpoint
ALTER TABLE `channels` ADD `last_answer` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `deliveries_waiting` ON `deliveries` (`channel_id`,`next_at`) WHERE "deliveries"."next_at" is not null;