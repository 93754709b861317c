CREATE TABLE `pictures` (
	`name` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`content` blob NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pictures_userId_unique` ON `pictures` (`user_id`);