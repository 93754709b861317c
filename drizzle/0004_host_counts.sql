CREATE TABLE `host_counts` (
	`status` integer NOT NULL,
	`stopped` integer NOT NULL,
	`heartbeat` integer NOT NULL,
	`led` integer NOT NULL,
	`n` integer NOT NULL,
	PRIMARY KEY(`status`, `stopped`, `heartbeat`, `led`)
);
--> statement-breakpoint
CREATE INDEX `hosts_by_status_text` ON `hosts` (`status_text`,`hostname`);--> statement-breakpoint
CREATE INDEX `hosts_by_events` ON `hosts` (`events`,`hostname`);--> statement-breakpoint
CREATE INDEX `hosts_ignored` ON `hosts` (`id`) WHERE "hosts"."status" = 2;