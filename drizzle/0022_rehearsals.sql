CREATE TABLE `rehearsal_messages` (
	`delivery_id` integer PRIMARY KEY NOT NULL,
	`rehearsal_id` integer NOT NULL,
	`user_id` integer,
	`step` integer NOT NULL,
	`acknowledged_at` integer,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`rehearsal_id`) REFERENCES `rehearsals`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rehearsal_messages_by_rehearsal` ON `rehearsal_messages` (`rehearsal_id`);--> statement-breakpoint
CREATE INDEX `rehearsal_messages_by_user` ON `rehearsal_messages` (`user_id`);--> statement-breakpoint
CREATE TABLE `rehearsals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`rule_id` integer,
	`schedule_id` integer,
	`weekly_id` integer,
	`started_by` text DEFAULT '' NOT NULL,
	`started_at` integer NOT NULL,
	`failed_at` integer NOT NULL,
	`escalate` integer DEFAULT false NOT NULL,
	`wait` integer NOT NULL,
	`notified_steps` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`ends_at` integer,
	`ended_at` integer,
	`muted` text DEFAULT '' NOT NULL,
	`outcome` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`weekly_id`) REFERENCES `weekly_rehearsals`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `rehearsals_by_date` ON `rehearsals` (`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `rehearsals_by_rule` ON `rehearsals` (`rule_id`);--> statement-breakpoint
CREATE INDEX `rehearsals_by_schedule` ON `rehearsals` (`schedule_id`);--> statement-breakpoint
CREATE INDEX `rehearsals_by_weekly` ON `rehearsals` (`weekly_id`);--> statement-breakpoint
CREATE INDEX `rehearsals_due` ON `rehearsals` (`due_at`) WHERE "rehearsals"."due_at" is not null;--> statement-breakpoint
CREATE TABLE `weekly_rehearsals` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`enabled` integer DEFAULT true NOT NULL,
	`rule_id` integer,
	`schedule_id` integer,
	`escalate` integer DEFAULT false NOT NULL,
	`wait` integer NOT NULL,
	`day` integer NOT NULL,
	`time` text NOT NULL,
	`timezone` text NOT NULL,
	`due_at` integer NOT NULL,
	FOREIGN KEY (`rule_id`) REFERENCES `rules`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`schedule_id`) REFERENCES `on_call_schedules`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `weekly_rehearsals_name_unique` ON `weekly_rehearsals` (`name`);--> statement-breakpoint
CREATE INDEX `weekly_rehearsals_by_rule` ON `weekly_rehearsals` (`rule_id`);--> statement-breakpoint
CREATE INDEX `weekly_rehearsals_by_schedule` ON `weekly_rehearsals` (`schedule_id`);--> statement-breakpoint
CREATE INDEX `weekly_rehearsals_due` ON `weekly_rehearsals` (`due_at`);