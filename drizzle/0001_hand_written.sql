-- Written by hand: what Drizzle cannot say. `make migration` neither makes nor checks what stands here.
--
-- These tables are WITHOUT ROWID: their rows are found by the whole key and changed in place, so that one tree less is
-- kept. Columns and keys are those of src/platform/storage/schema; test/platform/storage/upgrade.test.ts compares them.
DROP TABLE `event_counts`;
--> statement-breakpoint
CREATE TABLE `event_counts` (
	`scope` integer NOT NULL,
	`day` integer NOT NULL,
	`service_type` integer NOT NULL,
	`event_type` integer NOT NULL,
	`state` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`scope`, `day`, `service_type`, `event_type`, `state`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TABLE `event_name_counts`;
--> statement-breakpoint
CREATE TABLE `event_name_counts` (
	`group_id` integer NOT NULL,
	`name_id` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`group_id`, `name_id`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TABLE `group_count_changes`;
--> statement-breakpoint
CREATE TABLE `group_count_changes` (
	`host_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	`sign` integer NOT NULL,
	PRIMARY KEY(`host_id`, `group_id`)
) WITHOUT ROWID;
--> statement-breakpoint
DROP TABLE `host_counts`;
--> statement-breakpoint
CREATE TABLE `host_counts` (
	`status` integer NOT NULL,
	`stopped` integer NOT NULL,
	`heartbeat` integer NOT NULL,
	`led` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`status`, `stopped`, `heartbeat`, `led`)
) WITHOUT ROWID;
