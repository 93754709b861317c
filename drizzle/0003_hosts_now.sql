DROP INDEX `hosts_overdue`;--> statement-breakpoint
CREATE INDEX `hosts_now` ON `hosts` (`status`,`deadline`,`hostname`,`cpu`,`mem`,`led`);