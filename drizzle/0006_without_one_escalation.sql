ALTER TABLE `alerts` DROP COLUMN `escalated_at`;--> statement-breakpoint
ALTER TABLE `rules` DROP COLUMN `escalate_after`;