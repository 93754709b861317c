CREATE TABLE `agent_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`secret` text NOT NULL,
	`secret_number` integer DEFAULT 1 NOT NULL,
	`previous` text DEFAULT '' NOT NULL,
	`previousuntil` integer DEFAULT 0 NOT NULL,
	`hostgroups` text NOT NULL,
	`tags` text NOT NULL,
	`hostpattern` text DEFAULT '' NOT NULL,
	`ends` integer,
	`created` integer NOT NULL,
	`lastused` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_keys_name_unique` ON `agent_keys` (`name`);--> statement-breakpoint
ALTER TABLE `hosts` ADD `key_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `hosts` ADD `next_key_id` integer;--> statement-breakpoint
ALTER TABLE `hosts` ADD `key_secret` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `hosts` ADD `groups_ignored` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `hosts_by_key` ON `hosts` (`key_id`,`hostname_key`) WHERE "hosts"."key_id" > 0;--> statement-breakpoint
CREATE INDEX `hosts_by_next_key` ON `hosts` (`next_key_id`) WHERE "hosts"."next_key_id" is not null;