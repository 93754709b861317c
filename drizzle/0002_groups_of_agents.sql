ALTER TABLE `host_groups` ADD `named_by_hand` integer DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX `host_groups_of_agents` ON `host_groups` (`id`) WHERE "host_groups"."named_by_hand" = 0;--> statement-breakpoint
ALTER TABLE `hosts` ADD `groups_left_out` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `group_count_changes_by_group` ON `group_count_changes` (`group_id`);