CREATE TABLE `acknowledge_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hash` text NOT NULL,
	`delivery_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `acknowledge_links_hash_unique` ON `acknowledge_links` (`hash`);--> statement-breakpoint
CREATE INDEX `acknowledge_links_by_delivery` ON `acknowledge_links` (`delivery_id`);--> statement-breakpoint
ALTER TABLE `deliveries` ADD `recipient` text DEFAULT '' NOT NULL;