ALTER TABLE `rules` ADD `disabled_at` integer;--> statement-breakpoint
UPDATE `rules` SET `disabled_at` = unixepoch() WHERE NOT `enabled`;
