ALTER TABLE `alerts` ADD `flapping_at` integer;--> statement-breakpoint
ALTER TABLE `rules` ADD `flap_count` integer DEFAULT 3 NOT NULL;--> statement-breakpoint
ALTER TABLE `rules` ADD `flap_window` integer DEFAULT 10 NOT NULL;