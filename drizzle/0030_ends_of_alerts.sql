ALTER TABLE `alerts` ADD `followed_from` integer;--> statement-breakpoint
ALTER TABLE `alerts` ADD `ended_at` integer;--> statement-breakpoint
ALTER TABLE `health_alerts` ADD `followed_from` integer;--> statement-breakpoint
ALTER TABLE `health_alerts` ADD `ended_at` integer;