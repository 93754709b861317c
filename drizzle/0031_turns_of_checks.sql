-- A scheduled check that is on and waits for its turn shows its last result. Earlier versions stored such services as
-- orange, and hosts accordingly.
UPDATE `services` SET `led` = 2
WHERE `led` = 1 AND (`monitor_state` & 7) = 5 AND `limit_level` = 0 AND (`status` & ~`status_hint`) = 0;--> statement-breakpoint
UPDATE `hosts` SET `services_ok` = (SELECT count(*) FROM `services` WHERE `host_id` = `hosts`.`id` AND `vanished_at` IS NULL AND `services`.`led` = 2)
WHERE `id` IN (SELECT `host_id` FROM `services` WHERE `led` = 2 AND (`monitor_state` & 7) = 5 AND `vanished_at` IS NULL);--> statement-breakpoint
UPDATE `hosts` SET
	`led` = CASE WHEN `services_ok` = `services_total` THEN 2 ELSE `led` END,
	`status_text` = CASE WHEN `services_ok` = `services_total` THEN 'All ' || `services_total` || ' services are available'
		ELSE `services_ok` || ' out of ' || `services_total` || ' services are available' END
WHERE `status` <> 2 AND NOT `stopped` AND `heartbeat` <> 0
	AND `id` IN (SELECT `host_id` FROM `services` WHERE `led` = 2 AND (`monitor_state` & 7) = 5 AND `vanished_at` IS NULL);--> statement-breakpoint
DELETE FROM `host_counts`;--> statement-breakpoint
INSERT INTO `host_counts` (`status`, `stopped`, `heartbeat`, `led`, `n`)
SELECT `status`, `stopped`, `heartbeat`, `led`, count(*) FROM `hosts` GROUP BY `status`, `stopped`, `heartbeat`, `led`;
