CREATE TABLE `backups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`place` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`state` text NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`database_bytes` integer DEFAULT 0 NOT NULL,
	`trouble` text DEFAULT '' NOT NULL
);
