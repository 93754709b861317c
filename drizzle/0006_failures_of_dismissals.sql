ALTER TABLE `acknowledgements` ADD `failed_from` integer;--> statement-breakpoint
ALTER TABLE `events` ADD `dismissed_from` integer;