CREATE TABLE `deleted_host_rows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`host_id` integer NOT NULL,
	`source` text NOT NULL,
	`payload` blob NOT NULL,
	FOREIGN KEY (`host_id`) REFERENCES `deleted_hosts`(`host_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deleted_host_rows_by_host` ON `deleted_host_rows` (`host_id`,`source`,`id`);--> statement-breakpoint
CREATE TABLE `deleted_hosts` (
	`host_id` integer PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`hostname` text NOT NULL,
	`agentpassword` text DEFAULT '' NOT NULL,
	`deleted_by` text NOT NULL,
	`deleted_at` integer NOT NULL,
	`until` integer NOT NULL,
	`state` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `deleted_hosts_by_end` ON `deleted_hosts` (`until`,`host_id`);--> statement-breakpoint
CREATE INDEX `deleted_hosts_moving` ON `deleted_hosts` (`host_id`) WHERE "deleted_hosts"."state" <> 'deleted';