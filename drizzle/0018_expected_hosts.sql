CREATE TABLE `expected_hosts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hostname` text NOT NULL,
	`hostname_key` text DEFAULT '' NOT NULL,
	`hostgroups` text NOT NULL,
	`tags` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`skew` integer NOT NULL,
	`within` text NOT NULL,
	`created` integer NOT NULL,
	`host_id` integer,
	`arrived` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `expected_hosts_hostname_unique` ON `expected_hosts` (`hostname`);--> statement-breakpoint
CREATE INDEX `expected_hosts_by_arrival` ON `expected_hosts` (`arrived`);