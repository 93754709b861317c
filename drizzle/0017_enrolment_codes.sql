CREATE TABLE `enrolment_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key_id` integer NOT NULL,
	`code_hash` text NOT NULL,
	`uses` integer NOT NULL,
	`used` integer DEFAULT 0 NOT NULL,
	`ends` integer NOT NULL,
	`created` integer NOT NULL,
	`lastused` integer,
	FOREIGN KEY (`key_id`) REFERENCES `agent_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `enrolment_codes_codeHash_unique` ON `enrolment_codes` (`code_hash`);--> statement-breakpoint
CREATE INDEX `enrolment_codes_by_key` ON `enrolment_codes` (`key_id`);