CREATE TABLE `event_word_sets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`words` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `event_word_sets_words_unique` ON `event_word_sets` (`words`);--> statement-breakpoint
CREATE TABLE `event_words` (
	`word` text NOT NULL,
	`set_id` integer NOT NULL,
	PRIMARY KEY(`word`, `set_id`),
	FOREIGN KEY (`set_id`) REFERENCES `event_word_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `event_words_by_set` ON `event_words` (`set_id`);--> statement-breakpoint
ALTER TABLE `events` ADD `word_set_id` integer REFERENCES event_word_sets(id);--> statement-breakpoint
CREATE INDEX `events_by_word_set` ON `events` (`word_set_id`);